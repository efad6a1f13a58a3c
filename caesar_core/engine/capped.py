"""What one task may write at most: `raw.log` and its stream have a size that they do not pass.

Of `raw.log` the beginning and the end are kept, with a line between them that counts what is
missing. Of the stream the beginning is kept, and what says how the task went on as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.protocol.event import Error, EventBody, Finished, Progress
from caesar_core.store.atomic import size_of, store_error, write_all

# Without O_NONBLOCK a FIFO that an agent put there would be waited for.
_FLAGS: Final = (
    os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
)
_LINE: Final = "\n[caesar: {:,} bytes left out; the end of the output follows]\n"
_FULL: Final = "the stream is full: from here on only errors and the end are kept"


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Sizes in bytes.

    Attributes:
        raw: what `raw.log` holds from the beginning of the output.
        tail: what it holds besides from the end.
        stream: from which size on `events.jsonl` gets errors and the end only.
    """

    raw: int = 256 << 20
    tail: int = 1 << 20
    stream: int = 128 << 20


class CappedLog:
    """Appends to `raw.log` until it is full, then holds on to the end in memory.

    Attributes:
        passed_over: bytes that did not go into the file when they came.
    """

    def __init__(self, path: Path, limits: OutputLimits) -> None:
        self._path = path
        self._limits = limits
        self._tail = b""
        self.passed_over = 0

    def write(self, data: bytes) -> None:
        """Append.

        Raises:
            StoreError: the file cannot be written.
        """
        room = 0 if self.passed_over else max(0, self._limits.raw - size_of(self._path))
        self._append(data[:room])
        rest = data[room:]
        self.passed_over += len(rest)
        self.remember(rest)

    def pass_over(self, count: int) -> None:
        """Leave out what nobody read: from now on only the end is kept."""
        self.passed_over += count

    def remember(self, data: bytes) -> None:
        """Take note of what comes after the point where the file was full."""
        if data:
            self._tail = (self._tail + data)[-self._limits.tail :]

    @property
    def left_out(self) -> int:
        """How many bytes will be missing."""
        return max(0, self.passed_over - len(self._tail))

    def finish(self) -> None:
        """Append the end of an output that was too long.

        Raises:
            StoreError: the file cannot be written.
        """
        line = _LINE.format(self.left_out).encode("ascii") if self.left_out else b""
        self._append(line + self._tail)

    def _append(self, data: bytes) -> None:
        if not data:
            return
        try:
            descriptor = os.open(self._path, _FLAGS, 0o666)
            try:
                write_all(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise store_error("write", self._path, error) from error


class CappedStream:
    """Chooses what still goes into a stream of a given size.

    Attributes:
        left_out: how many events did not.
    """

    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self.left_out = 0

    def keep(self, bodies: Sequence[EventBody], size: int) -> list[EventBody]:
        """Return which of `bodies` to append to a stream of `size` bytes."""
        if size < self._limits.stream or not bodies:
            return list(bodies)
        kept: list[EventBody] = [b for b in bodies if isinstance(b, Error | Finished)]
        if not self.left_out and len(kept) < len(bodies):
            kept.insert(0, Progress(message=_FULL))
        self.left_out += sum(not isinstance(b, Error | Finished) for b in bodies)
        return kept
