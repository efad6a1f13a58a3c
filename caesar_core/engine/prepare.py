"""Before the agent starts: its place, what the place is furnished with, and a slot."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from caesar_core.engine.before import look_before, store_before
from caesar_core.engine.set_up import set_up
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.writers import take_place
from caesar_core.errors import OperationError
from caesar_core.repo.discover import Repository
from caesar_core.repo.main_tree import main_tree_state
from caesar_core.repo.materialize import materialize
from caesar_core.repo.owner import note_owner
from caesar_core.repo.setup import SetupError
from caesar_core.repo.snapshot import snapshot_workspace
from caesar_core.repo.worktree import (
    Worktree,
    create_worktree,
    delete_tree,
    drop_branch,
    remove_worktree,
    worktree_state,
)

_SLOW: Final = 1.0


class CancelledError(OperationError):
    """The task was cancelled before its agent started."""

    code = "cancelled"


def prepare_place(run: TaskRun, stack: ExitStack) -> None:
    """Make the worktree and furnish it, or note what a workspace in place holds.

    Raises:
        OperationError: git, the disk or a setup command failed; says which.
        CancelledError: somebody asked for the end meanwhile.
    """
    if run.record.isolation == "worktree":
        _make_worktree(run)
    else:
        _claim_workspace(run, stack)
    if run.cancelled():
        raise CancelledError("Cancelled before the agent started.")


def note_surroundings(run: TaskRun) -> None:
    """Remember the user's work tree and git as they are just before the agent starts.

    Not earlier: what a person edits while the task waits for a slot is not the agent's.
    """
    repository = run.repository
    if repository is None or repository.bare:
        return
    apart = run.record.isolation == "worktree"
    run.before = look_before(repository, main_tree_state(repository) if apart else None)
    store_before(run.layout.before(run.id), run.before)
    if apart or not repository.usable:
        return
    filters = repository.git().list_filters()
    before = snapshot_workspace(repository, Path(run.record.workspace), filters=filters)
    run.update(base_ref=before.tree if before else None, filters=filters)


def claim_place(run: TaskRun, stack: ExitStack) -> None:
    """Be the one writer of a workspace in place; the stack gives the place back.

    Raises:
        WorkspaceBusyError: another task writes there.
    """
    repository = run.repository
    if run.record.isolation == "worktree" or run.record.mode != "write":
        return
    if repository is not None and repository.usable:
        workspace = Path(run.record.workspace)
        stack.callback(take_place(run.layout, workspace, run.id, run.clock).release)


def discard_worktree(run: TaskRun) -> None:
    """Remove the worktree and branch of a task whose agent never started."""
    if run.record.isolation != "worktree" or run.record.phase is None:
        return
    try:
        repository = run.repository
        if repository is None:
            return
        _clear_unfinished(run, repository, run.layout.worktree(repository.git_root, run.id))
        run.update(worktree=None, branch=None)
    except OperationError as error:
        run.find("low", "The worktree could not be removed", error.message, run.record.workspace)


def forget_first_attempt(run: TaskRun) -> None:
    """Remove what an agent wrote that nobody knew of; nothing, unless a supervisor died.

    Raises:
        OperationError: it could not be removed.
    """
    files = run.files
    for path in (files.report, files.stdout.parent, files.questions, files.answers):
        delete_tree(path)
    run.forget_findings()


def _make_worktree(run: TaskRun) -> None:
    repository = run.repository
    if repository is None or run.plan.base_ref is None:
        raise OperationError(f"{run.layout.root} is no longer a git repository.")
    path = run.layout.worktree(repository.git_root, run.id)
    if run.record.phase is not None or os.path.lexists(path):
        _clear_unfinished(run, repository, path)
    run.update(phase="worktree")
    path.parent.mkdir(parents=True, exist_ok=True)
    start = run.plan.start_ref or run.plan.base_ref
    worktree = create_worktree(repository, path, branch_stem=run.plan.branch_stem, base_ref=start)
    note_owner(repository, path, run.layout.root)
    run.update(
        worktree=str(path),
        branch=worktree.branch,
        git_file=worktree.git_file.decode("utf-8", "surrogateescape"),
        filters=worktree.filters,
    )
    if not worktree.workspace.is_dir():
        worktree.workspace.mkdir(parents=True)
    _furnish(run, repository, worktree)


def _clear_unfinished(run: TaskRun, repository: Repository, path: Path) -> None:
    """Remove what a supervisor before us made; it may have died before it could write it down."""
    state = worktree_state(repository, path)
    branch = run.record.branch or (state.branch if state else None)
    remove_worktree(repository, path, branch, keep_branch=False)
    if branch is None and run.plan.branch_stem and run.plan.base_ref:
        drop_branch(repository, run.plan.branch_stem, run.plan.base_ref)


def _furnish(run: TaskRun, repository: Repository, worktree: Worktree) -> None:
    meter = _Meter(run)
    placed = materialize(
        repository,
        run.layout.root,
        worktree,
        copy=run.plan.copy,
        link=run.plan.link,
        progress=meter.show,
    )
    for skipped in placed.skipped:
        run.find("low", "Path not materialized in the worktree", skipped.reason, file=skipped.path)
    run.update(excluded_paths=placed.placed or None)
    if run.plan.setup:
        _set_up(run, worktree.workspace)


def _set_up(run: TaskRun, workspace: Path) -> None:
    run.update(phase="setup")
    for command in run.plan.setup:
        run.progress(f"setup: {command}")
        try:
            set_up(run, (command,), workspace, run.environment())
        except SetupError:
            if run.cancelled():
                raise CancelledError("Cancelled while the worktree was set up.") from None
            raise


def _claim_workspace(run: TaskRun, stack: ExitStack) -> None:
    claim_place(run, stack)


class _Meter:
    """Turns bytes copied into progress events, once it takes longer than a second."""

    def __init__(self, run: TaskRun) -> None:
        self._run = run
        self._next = run.clock.monotonic() + _SLOW

    def show(self, done: int, total: int) -> None:
        now = self._run.clock.monotonic()
        if now >= self._next:
            self._next = now + _SLOW
            self._run.progress("copying into the worktree", pct=round(100 * done / max(total, 1)))
