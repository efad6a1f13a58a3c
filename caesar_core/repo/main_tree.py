"""What the user's own work tree looks like, cheaply, to notice that something wrote into it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias

from caesar_core.repo.changes import text_path
from caesar_core.repo.discover import Repository

TreeState: TypeAlias = Mapping[str, tuple[str, int, int]]
"""Path of each file that differs from HEAD to its status, its time and its size."""


def main_tree_state(repository: Repository) -> TreeState:
    """Return the state of the main work tree; takes no lock and runs one git process."""
    items = repository.git(filters=()).items("status", "--porcelain", "-z", "-uall", "--no-renames")
    state = {"HEAD": (repository.head or "", 0, 0)}
    for item in items:
        path = item[3:]
        state[text_path(path)] = (item[:2].decode("ascii"), *_stamp(repository, path))
    return state


def touched_since(before: TreeState, after: TreeState) -> tuple[str, ...]:
    """Return what is not as it was, sorted; `HEAD` stands for another commit checked out."""
    names = before.keys() | after.keys()
    return tuple(sorted(name for name in names if before.get(name) != after.get(name)))


def _stamp(repository: Repository, path: bytes) -> tuple[int, int]:
    try:
        status = os.lstat(os.path.join(os.fsencode(repository.git_root), path))  # noqa: PTH118 - bytes
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
