"""Appending to `events.jsonl`: one writer's rule for everybody (ADR 0012).

Whoever appends holds the file's own lock, continues `seq`, ends a half line that a stranger left,
and hands its lines to the system in one call.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from caesar_core.clock import Clock, iso
from caesar_core.protocol.event import Event, EventBody
from caesar_core.protocol.versions import UnknownVersionError
from caesar_core.protocol.wire import BadEventError, decode_event, encode_event
from caesar_core.store.atomic import StoreError, store_error, write_all
from caesar_core.store.layout import TaskFiles
from caesar_core.store.lock import DEFAULT_TIMEOUT, wait_for_lock

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_LAST_BYTES: Final = 64 << 10
_CHUNK: Final = 1 << 20
_MOST_SEQ: Final = 2**53


class Journal:
    """The event stream of one task, for appending.

    Any number of journals, in any number of processes, may append to the same stream.
    """

    def __init__(self, files: TaskFiles, task_id: str, clock: Clock) -> None:
        self._path = files.events
        self._task_id = task_id
        self._clock = clock
        self._end: tuple[int, int] | None = None  # inode and size after our own last write
        self._next_seq = 0

    def append(self, body: EventBody) -> Event:
        """Append one event and return it as it stands in the stream.

        Raises:
            LockBusyError: another writer did not let go in time.
            StoreError: the disk is full, or something else than a file is in the way. Nothing of
                the event is left in the stream then.

        """
        return self.append_many((body,))[0]

    def append_many(self, bodies: Iterable[EventBody]) -> list[Event]:
        """Append events side by side; all or none. See :meth:`append`."""
        pending = list(bodies)
        if not pending:
            return []
        try:
            with self._locked() as descriptor:
                return self._write(descriptor, pending)
        except OSError as error:
            raise store_error("append to", self._path, error) from error

    @contextmanager
    def _locked(self) -> Iterator[int]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(self._path, _FLAGS, 0o666)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise StoreError(f"{self._path} is a symbolic link; it is not followed.") from None
            raise
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise StoreError(f"{self._path} is not a regular file.")
            wait_for_lock(descriptor, self._path, timeout=DEFAULT_TIMEOUT, clock=self._clock)
            yield descriptor
        finally:
            os.close(descriptor)

    def _write(self, descriptor: int, bodies: list[EventBody]) -> list[Event]:
        status = os.fstat(descriptor)
        opening = b""
        if self._end != (status.st_ino, status.st_size):
            opening = _line_end(descriptor, status.st_size)
            self._next_seq = max(self._next_seq, _seq_after(descriptor, status.st_size))
        at = iso(self._clock.now())
        events = [
            Event(seq=seq, at=at, task_id=self._task_id, body=body)
            for seq, body in enumerate(bodies, self._next_seq)
        ]
        data = opening + b"".join(map(encode_event, events))
        _write_or_take_back(descriptor, data, status.st_size)
        self._end = (status.st_ino, status.st_size + len(data))
        self._next_seq += len(events)
        return events


def _write_or_take_back(descriptor: int, data: bytes, size: int) -> None:
    """Write `data`; when the disk takes only a part, remove that part again."""
    try:
        write_all(descriptor, data)
    except OSError:
        if size < os.fstat(descriptor).st_size < size + len(data):
            with suppress(OSError):
                os.ftruncate(descriptor, size)
        raise


def _line_end(descriptor: int, size: int) -> bytes:
    if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
        return b""
    return b"\n"


def _seq_after(descriptor: int, size: int) -> int:
    """Return the number that follows the last readable event, else the number of lines."""
    start = max(0, size - _LAST_BYTES)
    for line in reversed(os.pread(descriptor, size - start, start).splitlines()):
        try:
            seq = decode_event(line).seq
        except (BadEventError, UnknownVersionError):
            continue
        if 0 <= seq < _MOST_SEQ:
            return seq + 1
    return _count_lines(descriptor, size)


def _count_lines(descriptor: int, size: int) -> int:
    return sum(
        os.pread(descriptor, _CHUNK, offset).count(b"\n") for offset in range(0, size, _CHUNK)
    )
