"""From the agent's two spool files to `raw.log` and `events.jsonl`, as they grow.

How far they were taken in is stored beside them, so another supervisor goes on from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from caesar_core.agents.base import SilentTranslator, Translator
from caesar_core.clock import Clock
from caesar_core.process.environment import Redactor
from caesar_core.protocol.event import EventBody
from caesar_core.store.atomic import StoreError, read_bounded, write_all, write_atomic
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles

_CHUNK: Final = 1 << 20
_LONGEST_LINE: Final = 16 << 20
_SAVE_EVERY: Final = 1.0


class Spools:
    """Takes in what an agent writes.

    Args:
        redactor: makes a fresh redactor; each stream needs one of its own.
    """

    def __init__(
        self,
        files: TaskFiles,
        journal: Journal,
        translator: Translator,
        redactor: Callable[[], Redactor],
        clock: Clock,
    ) -> None:
        self._files = files
        self._journal = journal
        self._translator = translator
        self._clock = clock
        self._saved_at = clock.monotonic()
        offsets = _load_offsets(files.spool_offsets)
        self._stdout = _Spool(files.stdout, offsets[0], redactor())
        self._stderr = _Spool(files.stderr, offsets[1], redactor())
        self._lines = _Lines()
        self._reads_lines = not isinstance(translator, SilentTranslator)

    @property
    def final_text(self) -> str | None:
        """The agent's last words, from its stream."""
        return self._translator.final_text

    def pump(self) -> bool:
        """Take in what is there now; whether there was anything.

        Raises:
            StoreError: `raw.log` or the stream cannot be written.
        """
        out, err = self._stdout.read(), self._stderr.read()
        if not out.moved and not err.moved:
            return False
        self._write_raw(out.data + err.data)
        self._translate(self._lines.feed(out.data))
        now = self._clock.monotonic()
        if now - self._saved_at >= _SAVE_EVERY:
            self._save(now)
        return True

    def finish(self) -> None:
        """Take in what was held back; the agent is gone and has been pumped to the end."""
        rest = self._stdout.flush()
        self._write_raw(rest + self._stderr.flush())
        self._translate((*self._lines.feed(rest), *self._lines.rest()))
        self._save(self._clock.monotonic())

    def remove(self) -> None:
        """Delete the spools: `raw.log` has it all."""
        for path in (self._files.stdout, self._files.stderr, self._files.spool_offsets):
            path.unlink(missing_ok=True)
        self._files.stdout.parent.rmdir()

    def _translate(self, lines: Iterator[bytes] | tuple[bytes, ...]) -> None:
        if not self._reads_lines:
            return
        bodies: list[EventBody] = []
        for line in lines:
            bodies += self._translator.feed(line.decode("utf-8", "replace"))
        self._journal.append_many(bodies)

    def _write_raw(self, data: bytes) -> None:
        if not data:
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self._files.raw_log, flags, 0o666)
            try:
                write_all(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreError(
                f"Cannot write {self._files.raw_log}: {error.strerror}.", "Is the disk full?"
            ) from error

    def _save(self, now: float) -> None:
        self._saved_at = now
        document = {"stdout": self._stdout.taken, "stderr": self._stderr.taken}
        write_atomic(self._files.spool_offsets, json.dumps(document).encode(), durable=False)


class _Read:
    __slots__ = ("data", "moved")

    def __init__(self, data: bytes, *, moved: bool) -> None:
        self.data = data
        self.moved = moved


class _Spool:
    """One spool file; `taken` is the offset up to which everything has been handed out."""

    def __init__(self, path: Path, offset: int, redactor: Redactor) -> None:
        self._path = path
        self._offset = offset
        self._redactor = redactor

    @property
    def taken(self) -> int:
        return self._offset

    def read(self) -> _Read:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return _Read(b"", moved=False)
        try:
            data = os.pread(descriptor, _CHUNK, self._offset)
        finally:
            os.close(descriptor)
        self._offset += len(data)
        return _Read(self._redactor.feed(data) if data else b"", moved=bool(data))

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


def _load_offsets(path: Path) -> tuple[int, int]:
    try:
        document = json.loads(read_bounded(path, 4096))
        return max(0, int(document["stdout"])), max(0, int(document["stderr"]))
    except (FileNotFoundError, StoreError, ValueError, KeyError, TypeError):
        return 0, 0
