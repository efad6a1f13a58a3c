"""Locks between processes that a `kill -9` releases (`flock`)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from caesar_core.clock import Clock
from caesar_core.errors import OperationError
from caesar_core.store.atomic import store_error

DEFAULT_TIMEOUT: Final = 10.0
_FIRST_WAIT: Final = 0.001
_LONGEST_WAIT: Final = 0.05


class LockBusyError(OperationError):
    """Somebody else holds a lock for longer than one may wait."""

    code = "busy"


class FileLock:
    """A lock that is held until `release`, the end of the `with` block or of the process.

    Its file may be removed while the lock is held, and only then: whoever waited for it finds that
    the name is gone, and takes the lock of the file that has it now.
    """

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self._path = path

    def remove(self) -> None:
        """Let go and remove the file; for a lock that nobody will need again."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            self.release()

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def try_lock(path: Path) -> FileLock | None:
    """Take the lock at once, `None` when somebody else holds it.

    Raises:
        StoreError: the lock's file cannot be opened.

    """
    while True:
        descriptor = _open(path)
        if not lock_descriptor(descriptor):
            os.close(descriptor)
            return None
        if _has_name(descriptor, path):
            return FileLock(descriptor, path)
        os.close(descriptor)


@contextmanager
def file_lock(path: Path, *, timeout: float = DEFAULT_TIMEOUT, clock: Clock) -> Iterator[None]:
    """Hold the lock inside the block; wait for it at most `timeout` seconds.

    Raises:
        LockBusyError: it was not free in time.
        StoreError: the lock's file cannot be opened.

    """
    descriptor = _open(path)
    try:
        wait_for_lock(descriptor, path, timeout=timeout, clock=clock)
        while not _has_name(descriptor, path):
            os.close(descriptor)
            descriptor = _open(path)
            wait_for_lock(descriptor, path, timeout=timeout, clock=clock)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def claimed(path: Path, *, clock: Clock) -> Iterator[None]:
    """Hold the lock of a new id; its file stays only when the process is killed.

    By that file whoever looks later finds what the process had begun. Who tidies up may hold it
    for a moment.

    Raises:
        LockBusyError: it was not free in time.
        StoreError: the lock's file cannot be opened.

    """
    with file_lock(path, clock=clock):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def wait_for_lock(descriptor: int, path: Path, *, timeout: float, clock: Clock) -> None:
    """Lock an open file; see :func:`file_lock`."""
    deadline = clock.monotonic() + timeout
    pause = _FIRST_WAIT
    while not lock_descriptor(descriptor):
        if clock.monotonic() >= deadline:
            raise LockBusyError(
                f"{path} has been locked for {timeout:g} seconds.",
                "Another caesar process works on it; try again.",
            )
        clock.sleep(pause)
        pause = min(pause * 2, _LONGEST_WAIT)


def lock_descriptor(descriptor: int) -> bool:
    """Try to lock an open file; whether it worked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _has_name(descriptor: int, path: Path) -> bool:
    """Whether the locked file still has that name: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise store_error("lock", path, error) from error
