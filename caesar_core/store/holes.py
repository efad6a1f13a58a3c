"""Giving the disk space of a file's beginning back while the file keeps its size and offsets."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_KEEP_SIZE_PUNCH_HOLE: Final = 0x01 | 0x02
_FLAGS: Final = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def punch_hole(path: Path, start: int, end: int) -> bool:
    """Give back what `path` holds from `start` to `end`; it then reads as NUL bytes.

    Returns:
        Whether it was done. Linux can, on most of its file systems; elsewhere nothing happens.
    """
    if sys.platform != "linux" or end <= start:
        return False
    import ctypes  # only for the few tasks that print hundreds of megabytes

    try:
        fallocate = ctypes.CDLL(None, use_errno=True).fallocate
        descriptor = os.open(path, _FLAGS)
    except (OSError, AttributeError):
        return False
    try:
        begin, length = ctypes.c_int64(start), ctypes.c_int64(end - start)
        return bool(fallocate(descriptor, _KEEP_SIZE_PUNCH_HOLE, begin, length) == 0)
    finally:
        os.close(descriptor)
