"""After the agent ended: what git says it changed, kept as an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.engine.observed import Observed
from caesar_core.engine.paths import from_project
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.worktrees import (
    outcome_meta,
    outcome_subject,
    restore_git_file,
    snapshot_of,
)
from caesar_core.errors import CaesarError
from caesar_core.repo.changes import FileChange, list_changes
from caesar_core.repo.discover import Repository
from caesar_core.repo.main_tree import main_tree_state, touched_since
from caesar_core.repo.outcome import keep_outcome
from caesar_core.repo.snapshot import Snapshot, snapshot_workspace

_OUTSIDE: Final = "Changed outside of the worktree while the task ran"
_OUTSIDE_DETAIL: Final = "By this task or by somebody else; it is not part of the task's diff."
_OUTSIDE_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Observation:
    """What git saw; `observed` is `None` when it could not look."""

    observed: tuple[Observed, ...] | None = None
    outcome: str | None = None
    stat: dict[str, int] | None = None
    flags: tuple[str, ...] = ()


def observe(run: TaskRun) -> Observation:
    """Record the worktree (or the workspace) as a git tree and list what changed.

    What goes wrong here is a finding, never the end: the report is written anyway.
    """
    try:
        repository = run.repository
        if run.record.base_ref is None:
            return Observation()
        if repository is None:
            run.find("high", "The repository was gone when the task ended; nothing could be read")
            return Observation()
        if run.record.isolation == "worktree":
            return _worktree(run, repository)
        return _in_place(run, repository)
    except (CaesarError, OSError) as error:
        run.find("high", "The changes could not be read from git", str(error))
        return Observation()


def _worktree(run: TaskRun, repository: Repository) -> Observation:
    record = run.record
    base = record.base_ref
    _report_outside(run, repository)
    if restore_git_file(record):
        run.find("medium", "The agent removed or changed the .git of its worktree; it is back")
    snapshot = snapshot_of(record)
    if snapshot is None or base is None:
        run.find("high", "The worktree was gone when the task ended; nothing of it could be read")
        return Observation()
    _report_left_out(run, snapshot)
    changes = list_changes(repository.git(), base, snapshot.tree, prefix=repository.prefix)
    commit = None
    if changes:
        outcome = keep_outcome(
            repository,
            run.id,
            snapshot.tree,
            base,
            outcome_subject(record),
            outcome_meta(record, base),
        )
        commit = outcome.commit
    return _observation(changes, repository.prefix, commit)


def _report_outside(run: TaskRun, repository: Repository) -> None:
    """Name what changed in the user's own work tree; nobody can tell who did it."""
    if run.main_tree is None:
        return
    touched = touched_since(run.main_tree, main_tree_state(repository))
    for path in touched[:_OUTSIDE_SHOWN]:
        run.find("low", _OUTSIDE, _OUTSIDE_DETAIL, file=path)
    if len(touched) > _OUTSIDE_SHOWN:
        run.find("low", _OUTSIDE, f"and {len(touched) - _OUTSIDE_SHOWN} more")


def _in_place(run: TaskRun, repository: Repository) -> Observation:
    workspace, filters = Path(run.record.workspace), run.record.filters
    after = snapshot_workspace(repository, workspace, filters=filters)
    if after is None or run.record.base_ref is None:
        return Observation()
    _report_left_out(run, after)
    changes = list_changes(
        repository.git(), run.record.base_ref, after.tree, prefix=repository.prefix
    )
    return _observation(changes, repository.prefix, None)


def _report_left_out(run: TaskRun, snapshot: Snapshot) -> None:
    for left in snapshot.left_out:
        run.find("medium", "A file could not be recorded", left.reason, file=left.path)


def _observation(changes: Sequence[FileChange], prefix: str, commit: str | None) -> Observation:
    observed = tuple(
        Observed(
            path=from_project(change.path, prefix),
            action=change.action,
            old_path=from_project(change.old_path, prefix) if change.old_path else None,
        )
        for change in changes
    )
    stat = {
        "files": len(changes),
        "insertions": sum(change.insertions or 0 for change in changes),
        "deletions": sum(change.deletions or 0 for change in changes),
    }
    flags = tuple(sorted({flag for change in changes for flag in change.flags}))
    return Observation(observed, commit, stat, flags)
