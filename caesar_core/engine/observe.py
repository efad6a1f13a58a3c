"""After the agent ended: what git says it changed, kept as an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.engine.observed import Observed, flags_of, stat_of
from caesar_core.engine.outside import report_git_dir, report_outside, report_programs, report_refs
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
from caesar_core.repo.outcome import keep_outcome
from caesar_core.repo.revisions import commit_of, content_of
from caesar_core.repo.snapshot import Snapshot, snapshot_commit, snapshot_workspace
from caesar_core.repo.worktree import worktree_state

_GONE: Final = "The worktree was gone when the task ended"
_FILTER: Final = "The agent assigned a git filter to files"
_FILTER_DETAIL: Final = "If your git knows that filter, it runs on them when you apply:"


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
        report_git_dir(run)
        if run.record.base_ref is None:
            return Observation()
        run.look_again()
        repository = run.repository
        if repository is None:
            run.find("high", "The repository was gone when the task ended; nothing could be read")
            return Observation()
        report_refs(run, repository)
        if run.record.isolation == "worktree":
            return _worktree(run, repository)
        return _in_place(run, repository)
    except (CaesarError, OSError) as error:
        run.find("high", "The changes could not be read from git", str(error))
        return Observation()


def _worktree(run: TaskRun, repository: Repository) -> Observation:
    record = run.record
    base = record.base_ref
    report_outside(run, repository)
    if restore_git_file(record):
        run.find("medium", "The agent removed or changed the .git of its worktree; it is back")
    snapshot = snapshot_of(record) or _committed(run, repository)
    if snapshot is None or base is None:
        run.find("high", f"{_GONE}; nothing of it could be read")
        return Observation()
    _report_left_out(run, snapshot)
    report_programs(run, repository)
    changes = list_changes(repository.git(), base, snapshot.tree, prefix=repository.prefix)
    _report_filters(run, repository, base, snapshot.tree, changes)
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


def _committed(run: TaskRun, repository: Repository) -> Snapshot | None:
    """Return what the agent had committed in a worktree that is gone, `None` when nothing."""
    record = run.record
    known = worktree_state(repository, Path(record.worktree)) if record.worktree else None
    git = repository.git(filters=record.filters)
    tip = known.head if known else commit_of(git, f"refs/heads/{record.branch}")
    if tip is None or tip == record.base_ref:
        return None
    run.find("high", f"{_GONE}; only what had been committed could be read")
    return snapshot_commit(git, tip, excluded=record.excluded_paths or ())


def _in_place(run: TaskRun, repository: Repository) -> Observation:
    workspace, filters = Path(run.record.workspace), run.record.filters
    after = snapshot_workspace(repository, workspace, filters=filters)
    if after is None or run.record.base_ref is None:
        return Observation()
    _report_left_out(run, after)
    report_programs(run, repository)
    changes = list_changes(
        repository.git(), run.record.base_ref, after.tree, prefix=repository.prefix
    )
    return _observation(changes, repository.prefix, None)


def _report_filters(
    run: TaskRun, repository: Repository, base: str, tree: str, changes: Sequence[FileChange]
) -> None:
    """Name the files for which an apply would run a filter of the user's that it did not before."""
    for change in changes:
        if change.path.rpartition("/")[2] != ".gitattributes" or change.action == "deleted":
            continue
        before = _filter_lines(repository, f"{base}:{change.old_path or change.path}")
        fresh = [
            line
            for line in _filter_lines(repository, f"{tree}:{change.path}")
            if line not in before
        ]
        if fresh:
            path = from_project(change.path, repository.prefix)
            run.find("medium", _FILTER, f"{_FILTER_DETAIL} {'; '.join(fresh)}", file=path)


def _filter_lines(repository: Repository, blob: str) -> list[str]:
    lines = content_of(repository.git(), blob).decode("utf-8", "replace").splitlines()
    return [line for line in lines if "filter=" in line and not line.startswith("#")]


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
    return Observation(observed, commit, stat_of(changes), flags_of(changes))
