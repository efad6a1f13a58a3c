"""The worktree of a task, as its record describes it."""

from __future__ import annotations

from pathlib import Path

from caesar_core.repo.snapshot import Snapshot, take_snapshot
from caesar_core.store.records import Record


def snapshot_of(record: Record) -> Snapshot | None:
    """Return what the task's worktree holds now, `None` when there is none (any more).

    Raises:
        CaesarError: it cannot be read, or its `.git` is not ours any more.
    """
    if record.worktree is None or record.git_file is None:
        return None
    worktree = Path(record.worktree)
    if not worktree.is_dir():
        return None
    return take_snapshot(
        worktree,
        excluded=record.excluded_paths or (),
        git_file=record.git_file.encode("utf-8", "surrogateescape"),
        filters=record.filters,
    )
