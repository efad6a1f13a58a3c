"""The worktree of a task, as its record describes it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.snapshot import Snapshot, take_snapshot
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.layout import Layout
from caesar_core.store.records import Record
from caesar_core.text import one_line

_LARGEST_GIT_FILE: Final = 64 << 10


def restore_git_file(record: Record) -> bool:
    """Put the worktree's `.git` back where an agent removed or rewrote it; whether that was so.

    A folder there, a repository that it made, stays as it is.

    Raises:
        StoreError: it cannot be written.
    """
    if record.worktree is None or record.git_file is None:
        return False
    worktree = Path(record.worktree)
    if worktree.is_symlink() or not worktree.is_dir():
        return False
    path, content = worktree / ".git", record.git_file.encode("utf-8", "surrogateescape")
    if path.is_dir() and not path.is_symlink():
        return False
    with suppress(FileNotFoundError, StoreError):
        if read_bounded(path, _LARGEST_GIT_FILE) == content:
            return False
    write_atomic(path, content, durable=False)
    return True


def at_home(record: Record, repository: Repository, layout: Layout) -> Record:
    """Return the record with its worktree where the project is now, without one when it is not.

    That of a project that was moved is elsewhere than recorded, and ours again once
    `git worktree repair` has run. What the record of a copied project names is the original's.
    """
    if record.worktree is None or record.git_file is None:
        return record
    home = layout.worktree(repository.git_root, record.id)
    if record.worktree == str(home) or os.path.realpath(record.worktree) == os.path.realpath(home):
        return record
    name = Path(record.git_file.strip()).name
    ours = f"gitdir: {repository.common_dir}/worktrees/{name}\n"
    with suppress(FileNotFoundError, NotADirectoryError, StoreError):
        if read_bounded(home / ".git", _LARGEST_GIT_FILE) == os.fsencode(ours):
            workspace = str(home / repository.prefix)
            return replace(record, worktree=str(home), git_file=ours, workspace=workspace)
    return replace(record, worktree=None)


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


def outcome_subject(record: Record) -> str:
    """Return the first line of the message of the task's outcome."""
    return f"caesar: {one_line(record.objective, 60)}"


def outcome_meta(record: Record, base_ref: str) -> dict[str, Any]:
    """Return what the outcome's message carries, so that the task can be told from git alone."""
    return {
        "task_id": record.id,
        "base_ref": base_ref,
        "agent": record.agent,
        "role": record.role,
        "objective": record.objective[:4000],
        "created_at": record.created_at,
        "excluded_paths": list(record.excluded_paths or ()),
    }


def workspace_warning(root: Path, place: Path) -> str:
    """Return a sentence when `place` is in another repository than `root`, else nothing."""
    ours, theirs = find_repository(root), find_repository(place)
    if ours is None or theirs is None or ours.git_root == theirs.git_root:
        return ""
    return f"Tasks run in {ours.git_root}, but this server was started in {theirs.git_root}."
