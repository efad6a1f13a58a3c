"""A lock on a folder, given up when its process dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[None]:
    """Keep other processes and threads that ask likewise out of `folder`.

    Raises:
        BlockingIOError: another one holds it, and `wait` is false.

    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
