"""From the agent's two spool files to `raw.log` and `events.jsonl`, as they grow.

How far they were taken in is stored beside them, so that another supervisor can go on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from caesar_core.agents.base import SilentTranslator, Translator
from caesar_core.engine.capped import CappedLog, CappedStream, OutputLimits
from caesar_core.errors import OperationError
from caesar_core.process.environment import Redactor
from caesar_core.protocol.event import EventBody
from caesar_core.protocol.wire import decode_event
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import (
    StoreError,
    open_regular,
    read_bounded,
    size_of,
    write_atomic,
)
from caesar_core.store.holes import punch_hole
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles
from caesar_core.store.tail import Tail

_CHUNK: Final = 1 << 20
_STDERR_TAIL: Final = 16 << 10
_LONGEST_LINE: Final = 16 << 20
_HOLE: Final = 32 << 20
_UNTOUCHED: Final = 4 << 20
_EAGER: Final = 4 << 20
_MOST_REPEATED: Final = 64 << 20
_MOST_PORTIONS: Final = 16
_LIMITS: Final = OutputLimits()


class Spools:
    """Takes in what an agent writes, each byte once, whatever dies meanwhile.

    Before a portion is written out, how far everything was is stored. Another supervisor cuts
    `raw.log` back to that point, brings translator and redactors up to it from the spools, and
    does not repeat the events of the portion that was under way.

    Args:
        redactor: makes a fresh redactor; each stream needs one of its own.
        mend: puts right what the agent did to its own task directory.
        limits: what `raw.log` and the stream hold at most.
    """

    def __init__(
        self,
        files: TaskFiles,
        journal: Journal,
        translator: Translator,
        redactor: Callable[[], Redactor],
        mend: Callable[[], None],
        limits: OutputLimits = _LIMITS,
    ) -> None:
        self._mend = mend
        self._files = files
        self._limits = limits
        self._raw = CappedLog(files.raw_log, limits)
        self._stream = CappedStream(limits)
        self._journal = journal
        self._translator = translator
        self._stdout = _Spool(files.stdout, redactor())
        self._stderr = _Spool(files.stderr, redactor())
        self._lines, self._asides = _Lines(), _Lines()
        self._reads_lines = not isinstance(translator, SilentTranslator)
        self._stderr_tail = b""
        self._written_already: list[EventBody] = []
        self._resumed_at: int | None = None  # until the portion that was under way is taken in
        self._resume(_load_progress(files.spool_offsets))

    def pump(self) -> bool:
        """Take in what is there now, the more the further the agent is ahead of us.

        Returns:
            Whether there was anything.

        Raises:
            StoreError: `raw.log` or the stream cannot be written.
        """
        moved = self._take_portion()
        portions = 1
        while moved and portions < _MOST_PORTIONS and self._behind > _EAGER:
            moved, portions = self._take_portion(), portions + 1
        return moved

    @property
    def _behind(self) -> int:
        return max(self._stdout.behind, self._stderr.behind)

    def _take_portion(self) -> bool:
        # More than that could not be kept anyway.
        limits = self._limits
        most = (limits.stream if self._reads_lines else limits.raw) + limits.tail
        for spool in (self._stdout, self._stderr):
            self._raw.pass_over(spool.skip(most))
        before = (self._stdout.begin(), self._stderr.begin())
        out, err = self._stdout.read(), self._stderr.read()
        self._keep_tail(err)
        if before == (self._stdout.taken, self._stderr.taken):
            return False
        self._insist(partial(self._save, *before))
        self._take(out + err, self._lines.feed(out), self._asides.feed(err))
        if self._raw.passed_over:
            self._stdout.give_back(before[0])
            self._stderr.give_back(before[1])
        return True

    @property
    def translator(self) -> Translator:
        """What the stream has told so far."""
        return self._translator

    @property
    def was_emptied(self) -> bool:
        """Whether the agent emptied an output of its own, as `> /dev/stdout` does."""
        return self._stdout.emptied or self._stderr.emptied

    @property
    def left_out(self) -> tuple[int, int]:
        """How many bytes are missing in `raw.log`, and how many events in the stream."""
        return self._raw.left_out, self._stream.left_out

    @property
    def stderr_tail(self) -> str:
        """The end of what the agent wrote to stderr, without secrets."""
        return self._stderr_tail.decode("utf-8", "replace")

    def finish(self, exit_code: int | None = None) -> None:
        """Take in what was held back; the agent is gone and has been pumped to the end.

        Args:
            exit_code: the agent's own; `None` when it was stopped or nobody knows.

        Raises:
            StoreError: `raw.log` or the stream cannot be written.
        """
        self._mend()
        self._insist(partial(self._save, self._stdout.taken, self._stderr.taken))
        rest, said = self._stdout.flush(), self._stderr.flush()
        self._keep_tail(said)
        lines = chain(self._lines.feed(rest), self._lines.rest())
        asides = chain(self._asides.feed(said), self._asides.rest())
        end = partial(self._translator.finish, exit_code, self.stderr_tail)
        self._take(rest + said, lines, asides, end)
        self._insist(self._raw.finish)

    def remove(self) -> None:
        """Delete the spools: `raw.log` has it all."""
        with suppress(OperationError):
            delete_tree(self._files.stdout.parent)

    def _resume(self, progress: _Progress | None) -> None:
        if progress is None:
            return
        self._mend()
        self._resumed_at = progress.events
        with suppress(FileNotFoundError):
            if self._files.raw_log.lstat().st_size > progress.raw:
                os.truncate(self._files.raw_log, progress.raw)
        self._stdout.emptied = progress.emptied > 0
        self._raw.passed_over = progress.passed_over
        self._stream.left_out = progress.left_out
        for data in self._stdout.catch_up(progress.stdout):
            self._recall(data)
            self._hear_again(self._lines.feed(data), self._translator.feed)
        for data in self._stderr.catch_up(progress.stderr):
            self._recall(data)
            self._keep_tail(data)
            self._hear_again(self._asides.feed(data), self._translator.feed_stderr)
        tail, more = Tail(self._files.events, progress.events), True
        # An agent may have written any number there itself; a portion of ours becomes far less.
        while more and tail.offset - progress.events < _MOST_REPEATED:
            part = tail.read()
            for line in part.lines:
                with suppress(ValueError):
                    self._written_already.append(decode_event(line).body)
            more = part.more

    def _hear_again(self, lines: Iterable[bytes], feed: Callable[[str], object]) -> None:
        for line in lines:
            # What was given back to the disk reads as NUL bytes.
            if self._reads_lines and (text := line.lstrip(b"\0")):
                feed(text.decode("utf-8", "replace"))

    def _recall(self, data: bytes) -> None:
        if self._raw.passed_over:
            self._raw.remember(data)

    def _keep_tail(self, said: bytes) -> None:
        self._stderr_tail = (self._stderr_tail + said)[-_STDERR_TAIL:]

    def _take(
        self,
        data: bytes,
        lines: Iterable[bytes],
        asides: Iterable[bytes],
        at_the_end: Callable[[], Sequence[EventBody]] = tuple,
    ) -> None:
        bodies = self._translate(lines, asides, at_the_end) if self._reads_lines else []
        self._insist(partial(self._raw.write, data))
        self._insist(partial(self._journal.append_many, bodies))
        self._resumed_at = None

    def _insist(self, write: Callable[[], object]) -> None:
        """Write; once more when something was in the way that could be put right."""
        try:
            write()
        except StoreError:
            self._mend()
            write()

    def _translate(
        self,
        lines: Iterable[bytes],
        asides: Iterable[bytes],
        at_the_end: Callable[[], Sequence[EventBody]],
    ) -> list[EventBody]:
        bodies: list[EventBody] = []
        for line in lines:
            bodies += self._translator.feed(line.decode("utf-8", "replace"))
        for line in asides:
            bodies += self._translator.feed_stderr(line.decode("utf-8", "replace"))
        bodies += at_the_end()
        kept = self._stream.keep(bodies, self._events_before)
        fresh = [body for body in kept if not self._is_repeated(body)]
        self._written_already.clear()
        return fresh

    def _is_repeated(self, body: EventBody) -> bool:
        if body not in self._written_already:
            return False
        self._written_already.remove(body)
        return True

    @property
    def _events_before(self) -> int:
        """The size of the stream before the portion that is taken in now."""
        return size_of(self._files.events) if self._resumed_at is None else self._resumed_at

    def _save(self, stdout: int, stderr: int) -> None:
        progress = _Progress(
            stdout,
            stderr,
            raw=size_of(self._files.raw_log),
            events=self._events_before,
            emptied=int(self.was_emptied),
            passed_over=self._raw.passed_over,
            left_out=self._stream.left_out,
        )
        data = json.dumps(asdict(progress)).encode("ascii")
        write_atomic(self._files.spool_offsets, data, durable=False)


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far everything was before the portion that was written last: bytes of each file.

    Attributes:
        emptied: 1 when the agent had emptied one of its outputs.
        passed_over, left_out: see `engine.capped`.
    """

    stdout: int
    stderr: int
    raw: int
    events: int
    emptied: int = 0
    passed_over: int = 0
    left_out: int = 0


class _Spool:
    """One spool file; `taken` is the offset up to which it was read."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self._path = path
        self._redactor = redactor
        self.taken = 0
        self.emptied = False
        self._given_back = 0

    def begin(self) -> int:
        """Return where the next read begins: at 0 again when the agent emptied the file.

        Any `> /dev/stdout` of a shell does: it opens what its stdout is, and cuts it.
        """
        if size_of(self._path) < self.taken:
            self.taken = self._given_back = 0
            self.emptied = True
        return self.taken

    @property
    def behind(self) -> int:
        """How many bytes are there and were not read."""
        return size_of(self._path) - self.taken

    def skip(self, most: int) -> int:
        """Pass over what was not read, but for its end, when it is more than `most`; how much."""
        if self.behind <= most:
            return 0
        skipped = self.behind - min(_UNTOUCHED, most)
        self.taken += skipped
        return skipped

    def give_back(self, safe: int) -> None:
        """Give the disk back what lies well before `safe`, which everybody has read."""
        end = safe - _UNTOUCHED
        if end - self._given_back >= _HOLE:
            punch_hole(self._path, self._given_back, end)
            self._given_back = end

    def read(self, limit: int = _CHUNK) -> bytes:
        try:
            with open_regular(self._path) as (descriptor, _):
                data = os.pread(descriptor, min(limit, _CHUNK), self.taken)
        except (FileNotFoundError, StoreError):  # the agent's doing: what it says there is lost
            return b""
        self.taken += len(data)
        return self._redactor.feed(data) if data else b""

    def catch_up(self, offset: int) -> Iterator[bytes]:
        """Read up to `offset` again and yield it as it was handed out before."""
        while (left := offset - self.taken) > 0:
            before = self.taken
            yield self.read(left)
            if self.taken == before:
                return

    def flush(self) -> bytes:
        return self._redactor.flush()


class _Lines:
    """Complete lines out of chunks; a line of more than 16 MiB is cut, not kept in memory."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        *complete, rest = data.split(b"\n")
        for piece in complete:
            yield self._take(piece)
        if len(self._held) < _LONGEST_LINE:
            self._held += rest

    def rest(self) -> Iterator[bytes]:
        if self._held:
            yield self._take(b"")

    def _take(self, piece: bytes) -> bytes:
        line = bytes(self._held) + piece if self._held else piece
        self._held.clear()
        return line.removesuffix(b"\r")


def _load_progress(path: Path) -> _Progress | None:
    try:
        document = json.loads(read_bounded(path, 4096))
        return _Progress(**{name: max(0, int(value)) for name, value in document.items()})
    except (
        StoreError,
        OSError,
        ValueError,
        OverflowError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        return None
