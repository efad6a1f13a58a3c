"""After the agent ended: what git says it changed, kept as an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.engine.observed import Observed, flags_of, stat_of
from caesar_core.engine.paths import from_project
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.worktrees import (
    outcome_meta,
    outcome_subject,
    restore_git_file,
    snapshot_of,
)
from caesar_core.errors import CaesarError
from caesar_core.identity import is_alive
from caesar_core.repo.changes import FileChange, list_changes
from caesar_core.repo.discover import Repository
from caesar_core.repo.main_tree import main_tree_state, touched_since
from caesar_core.repo.outcome import keep_outcome
from caesar_core.repo.snapshot import Snapshot, snapshot_workspace
from caesar_core.text import one_line

_OUTSIDE: Final = "Changed outside of the worktree while the task ran"
_OUTSIDE_DETAIL: Final = "By this task or by somebody else; it is not part of the task's diff."
_OUTSIDE_SHOWN: Final = 10
_SETTINGS_SHOWN: Final = 30
_FILTER: Final = "The agent assigned a git filter to files"
_SETTINGS: Final = "Programs that git runs were configured in your repository meanwhile"
_SETTINGS_DETAIL: Final = "Unless that was you, remove them: git config --list --show-origin"
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
        if run.record.base_ref is None:
            return Observation()
        run.look_again()
        repository = run.repository
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
    _report_settings(run, repository)
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


def _report_outside(run: TaskRun, repository: Repository) -> None:
    """Name what changed in the user's own work tree; nobody can tell who did it."""
    if run.main_tree is None:
        return
    ours = _output_of_follower(run)
    touched = [
        path
        for path in touched_since(run.main_tree, main_tree_state(repository))
        if not ours or _identity(repository.git_root / path) not in ours
    ]
    for path in touched[:_OUTSIDE_SHOWN]:
        run.find("low", _OUTSIDE, _OUTSIDE_DETAIL, file=path)
    if len(touched) > _OUTSIDE_SHOWN:
        run.find("low", _OUTSIDE, f"and {len(touched) - _OUTSIDE_SHOWN} more")


def _output_of_follower(run: TaskRun) -> set[tuple[int, int]]:
    """Return the files that our own output goes to, as in `caesar run … > out.json`.

    Known while whoever started the task follows it, where the system has `/proc`.
    """
    starter = run.record.starter
    if starter is None or not is_alive(starter):
        return set()
    found = (_identity(Path(f"/proc/{starter.pid}/fd/{number}")) for number in (1, 2))
    return {identity for identity in found if identity is not None}


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _in_place(run: TaskRun, repository: Repository) -> Observation:
    workspace, filters = Path(run.record.workspace), run.record.filters
    after = snapshot_workspace(repository, workspace, filters=filters)
    if after is None or run.record.base_ref is None:
        return Observation()
    _report_left_out(run, after)
    _report_settings(run, repository)
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


def _report_settings(run: TaskRun, repository: Repository) -> None:
    """Name filters, hooks and other programs that were configured while the task ran.

    A worktree shares its configuration with the user's repository: their next git would run them.
    What only the supervisor knew that has died meanwhile is not compared.
    """
    git = repository.git()
    found = set(git.list_filters()) - set(run.record.filters)
    if run.programs is not None:
        found |= set(git.list_programs()) - set(run.programs)
    fresh = sorted(found)
    if fresh:
        told = "; ".join(one_line(setting, 120) for setting in fresh[:_SETTINGS_SHOWN])
        run.find("high", _SETTINGS, f"{told}. {_SETTINGS_DETAIL}")


def _filter_lines(repository: Repository, blob: str) -> list[str]:
    shown = repository.git().run("cat-file", "blob", blob, ok=(0, 128))
    lines = shown.stdout.decode("utf-8", "replace").splitlines() if not shown.returncode else []
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
