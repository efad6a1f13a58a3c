"""Whole files or none: the only ways in which a small file is written or read.

A reader never sees half a document, a failure leaves no temporary file behind, and what strangers
put in place of a document (a FIFO, a device, a link, gigabytes) is refused instead of followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from caesar_core.errors import OperationError
from caesar_core.protocol.strictjson import BadJsonError, strict_json
from caesar_core.store.drafts import draft_of
from caesar_core.text import human_bytes

_READ_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_NEW_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_HINTS: Final = {
    errno.ENOSPC: "The disk is full: free some space (`caesar gc` removes finished worktrees).",
    errno.EDQUOT: "Your disk quota is used up: free some space (`caesar gc` helps).",
    errno.EROFS: "The file system is read-only: choose a project on a writable one.",
    errno.EACCES: "Check who owns the folder and its permissions.",
}


class StoreError(OperationError):
    """A file of the store cannot be read or written."""

    code = "store"


def store_error(doing: str, path: Path, error: OSError) -> StoreError:
    """Return the error for a person: `doing` is a phrase such as `write`."""
    reason = error.strerror or str(error)
    hint = _HINTS.get(error.errno or 0, "")
    return StoreError(f"Cannot {doing} {path}: {reason}.", hint)


def write_atomic(path: Path, data: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Replace `path` by `data` in one step; missing folders are made.

    After a power loss the file holds either version, never a mix; `durable=False` skips the sync
    that guarantees it, for what can be made again. `mode`: the permission bits, else as usual.

    Raises:
        StoreError: the disk is full, the folder is not writable, …

    """
    try:
        with _complete_file(path, data, durable=durable, mode=mode) as temporary:
            temporary.rename(path)
    except OSError as error:
        raise store_error("write", path, error) from error


def create_exclusive(path: Path, data: bytes, *, durable: bool = True) -> bool:
    """Create `path` with `data` unless it exists; whoever comes first wins.

    `durable`: as for `write_atomic`.

    Returns:
        Whether this call created it. No reader ever sees it half written.

    Raises:
        StoreError: the disk is full, the folder is not writable, …

    """
    try:
        with _complete_file(path, data, durable=durable) as temporary:
            return _link(temporary, path)
    except OSError as error:
        raise store_error("create", path, error) from error


def _link(temporary: Path, path: Path) -> bool:
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    return True


@contextmanager
def _complete_file(
    path: Path, data: bytes, *, durable: bool, mode: int | None = None
) -> Iterator[Path]:
    """Yield a hidden, complete neighbour of `path`, gone in the end whatever happens."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = draft_of(path)
    try:
        begin = 0o666 if mode is None else 0o600  # nobody reads a secret in between
        with os.fdopen(os.open(temporary, _NEW_FLAGS, begin), "wb", buffering=0) as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            write_all(file.fileno(), data)
            if durable:
                os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`, in one call unless the system takes less."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextmanager
def open_regular(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file for reading without following a link or waiting for a FIFO.

    Raises:
        FileNotFoundError: there is no such file.
        StoreError: it is something else than a regular file, or not readable.

    """
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreError(f"{path} is a symbolic link; it is not followed.") from None
        raise store_error("read", path, error) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise StoreError(f"{path} is not a regular file.")
        yield descriptor, status
    finally:
        os.close(descriptor)


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Raises:
        FileNotFoundError: there is no such file.
        StoreError: a link, FIFO, device or folder; larger than `limit`; not readable.

    """
    with open_regular(path) as (descriptor, status):
        if status.st_size > limit:
            raise _oversize(path, status.st_size, limit)
        try:
            data = _read_up_to(descriptor, limit + 1)
        except OSError as error:
            raise store_error("read", path, error) from error
    if len(data) > limit:
        raise _oversize(path, len(data), limit)
    return data


def _read_up_to(descriptor: int, size: int) -> bytes:
    chunks: list[bytes] = []
    while size > 0 and (chunk := os.read(descriptor, min(size, 1 << 20))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _oversize(path: Path, size: int, limit: int) -> StoreError:
    return StoreError(f"{path} has {human_bytes(size)}, more than {human_bytes(limit)}.")


def read_json(path: Path, limit: int) -> Any:
    """Return the JSON value of a foreign file, read strictly.

    Raises:
        FileNotFoundError: there is no such file.
        StoreError: see :func:`read_bounded` and `strictjson.strict_json`.

    """
    data = read_bounded(path, limit)
    try:
        return strict_json(data)
    except BadJsonError as error:
        raise StoreError(f"{path}: {error}.") from None


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 when there is none."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0
