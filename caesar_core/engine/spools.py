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
from caesar_core.errors import OperationError
from caesar_core.process.environment import Redactor
from caesar_core.protocol.event import EventBody
from caesar_core.protocol.wire import decode_event
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import (
    StoreError,
    open_regular,
    read_bounded,
    store_error,
    write_all,
    write_atomic,
)
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles
from caesar_core.store.tail import Tail

_CHUNK: Final = 1 << 20
_STDERR_TAIL: Final = 16 << 10
_LONGEST_LINE: Final = 16 << 20
# Without O_NONBLOCK a FIFO that an agent put there would be waited for.
_RAW_FLAGS: Final = (
    os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
)


class Spools:
    """Takes in what an agent writes, each byte once, whatever dies meanwhile.

    Before a portion is written out, how far everything was is stored. Another supervisor cuts
    `raw.log` back to that point, brings translator and redactors up to it from the spools, and
    does not repeat the events of the portion that was under way.

    Args:
        redactor: makes a fresh redactor; each stream needs one of its own.
        mend: puts right what the agent did to its own task directory.
    """

    def __init__(
        self,
        files: TaskFiles,
        journal: Journal,
        translator: Translator,
        redactor: Callable[[], Redactor],
        mend: Callable[[], None],
    ) -> None:
        self._mend = mend
        self._files = files
        self._journal = journal
        self._translator = translator
        self._stdout = _Spool(files.stdout, redactor())
        self._stderr = _Spool(files.stderr, redactor())
        self._lines = _Lines()
        self._reads_lines = not isinstance(translator, SilentTranslator)
        self._stderr_tail = b""
        self._written_already: list[EventBody] = []
        self._resumed_at: int | None = None  # until the portion that was under way is taken in
        self._resume(_load_progress(files.spool_offsets))

    def pump(self) -> bool:
        """Take in what is there now; whether there was anything.

        Raises:
            StoreError: `raw.log` or the stream cannot be written.
        """
        before = (self._stdout.begin(), self._stderr.begin())
        out, err = self._stdout.read(), self._stderr.read()
        self._keep_tail(err)
        if before == (self._stdout.taken, self._stderr.taken):
            return False
        self._insist(partial(self._save, *before))
        self._take(out + err, self._lines.feed(out))
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
        self._take(rest + said, lines, lambda: self._translator.finish(exit_code, self.stderr_tail))

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
        for data in self._stdout.catch_up(progress.stdout):
            for line in self._lines.feed(data):
                if self._reads_lines:
                    self._translator.feed(line.decode("utf-8", "replace"))
        for data in self._stderr.catch_up(progress.stderr):
            self._keep_tail(data)
        tail, more = Tail(self._files.events, progress.events), True
        while more:
            part = tail.read()
            for line in part.lines:
                with suppress(ValueError):
                    self._written_already.append(decode_event(line).body)
            more = part.more

    def _keep_tail(self, said: bytes) -> None:
        self._stderr_tail = (self._stderr_tail + said)[-_STDERR_TAIL:]

    def _take(
        self,
        data: bytes,
        lines: Iterable[bytes],
        at_the_end: Callable[[], Sequence[EventBody]] = tuple,
    ) -> None:
        bodies = self._translate(lines, at_the_end) if self._reads_lines else []
        self._insist(partial(self._write_raw, data))
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
        self, lines: Iterable[bytes], at_the_end: Callable[[], Sequence[EventBody]]
    ) -> list[EventBody]:
        bodies: list[EventBody] = []
        for line in lines:
            bodies += self._translator.feed(line.decode("utf-8", "replace"))
        bodies += at_the_end()
        fresh = [body for body in bodies if not self._is_repeated(body)]
        self._written_already.clear()
        return fresh

    def _is_repeated(self, body: EventBody) -> bool:
        if body not in self._written_already:
            return False
        self._written_already.remove(body)
        return True

    def _write_raw(self, data: bytes) -> None:
        if not data:
            return
        try:
            descriptor = os.open(self._files.raw_log, _RAW_FLAGS, 0o666)
            try:
                write_all(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise store_error("write", self._files.raw_log, error) from error

    def _save(self, stdout: int, stderr: int) -> None:
        events = _size(self._files.events) if self._resumed_at is None else self._resumed_at
        emptied = int(self.was_emptied)
        progress = _Progress(stdout, stderr, _size(self._files.raw_log), events, emptied)
        data = json.dumps(asdict(progress)).encode("ascii")
        write_atomic(self._files.spool_offsets, data, durable=False)


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far everything was before the portion that was written last: bytes of each file.

    Attributes:
        emptied: 1 when the agent had emptied one of its outputs.
    """

    stdout: int
    stderr: int
    raw: int
    events: int
    emptied: int = 0


class _Spool:
    """One spool file; `taken` is the offset up to which it was read."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self._path = path
        self._redactor = redactor
        self.taken = 0
        self.emptied = False

    def begin(self) -> int:
        """Return where the next read begins: at 0 again when the agent emptied the file.

        Any `> /dev/stdout` of a shell does: it opens what its stdout is, and cuts it.
        """
        if _size(self._path) < self.taken:
            self.taken = 0
            self.emptied = True
        return self.taken

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


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _load_progress(path: Path) -> _Progress | None:
    try:
        document = json.loads(read_bounded(path, 4096))
        return _Progress(**{name: max(0, int(value)) for name, value in document.items()})
    except (FileNotFoundError, StoreError, ValueError, TypeError, AttributeError):
        return None
