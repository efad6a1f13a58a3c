"""What a stat tells about change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, int, int]


def stamp(found: os.stat_result) -> Stamp:
    """Return modification time, inode and size."""
    return found.st_mtime_ns, found.st_ino, found.st_size


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a file or folder, `None` when it is not there."""
    try:
        return stamp(path.lstat())
    except OSError:
        return None
