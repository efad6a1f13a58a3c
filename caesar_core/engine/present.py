"""What a task's worktree holds now, where no outcome is kept: it runs, or was not run by us."""

from __future__ import annotations

from caesar_core.engine.project import Project
from caesar_core.engine.worktrees import snapshot_of
from caesar_core.errors import CaesarError
from caesar_core.repo.discover import Repository
from caesar_core.repo.outcome import Outcome
from caesar_core.repo.snapshot import Snapshot, take_snapshot
from caesar_core.repo.worktree import worktree_state
from caesar_core.store.records import Record


def is_foreign(record: Record) -> bool:
    """Whether the reference implementation ran this task: nothing of ours is in its record."""
    return (record.starter, record.supervisor, record.git_file) == (None, None, None)


def present_outcome(project: Project, repository: Repository, record: Record) -> Outcome | None:
    """Return what a worktree holds now as an outcome that is kept nowhere, else `None`.

    Of an ended task of ours nothing is returned: its kept outcome, or the lack of one, counts.
    """
    if record.isolation != "worktree" or not (record.is_active or is_foreign(record)):
        return None
    try:
        found = (
            foreign_snapshot(project, repository, record)
            if is_foreign(record)
            else _own_snapshot(record)
        )
    except (CaesarError, OSError):  # half made, half removed, or tampered with
        return None
    if found is None:
        return None
    base, snapshot = found
    return Outcome(record.id, "", snapshot.tree, base, {})


def foreign_snapshot(
    project: Project, repository: Repository, record: Record
) -> tuple[str, Snapshot] | None:
    """Return base and content of a worktree that the reference made; `None` when it is gone.

    An old order names no base: then it is what the worktree has checked out.

    Raises:
        CaesarError, OSError: it cannot be read.
    """
    path = project.layout.worktree(repository.git_root, record.id)
    state = worktree_state(repository, path)
    if state is None or not state.exists or state.head is None:
        return None
    snapshot = take_snapshot(
        path,
        excluded=record.excluded_paths or (),
        git_file=(path / ".git").read_bytes(),
        filters=repository.git().list_filters(),
    )
    return project.records.base_ref(record) or state.head, snapshot


def _own_snapshot(record: Record) -> tuple[str, Snapshot] | None:
    snapshot = snapshot_of(record)
    return None if snapshot is None or record.base_ref is None else (record.base_ref, snapshot)
