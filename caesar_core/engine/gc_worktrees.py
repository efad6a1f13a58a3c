"""Removing worktrees that hold nothing anybody could miss, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from caesar_core.engine.gc_entries import Action, GcEntry
from caesar_core.engine.present import foreign_snapshot, is_foreign
from caesar_core.engine.project import Project
from caesar_core.engine.worktrees import at_home, snapshot_of
from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.outcome import read_outcome
from caesar_core.repo.owner import owner_of
from caesar_core.repo.revisions import commit_of, is_merged, tree_of
from caesar_core.repo.snapshot import take_snapshot
from caesar_core.repo.worktree import (
    WorktreeState,
    list_worktrees,
    remove_worktree,
)
from caesar_core.store.layout import CAESAR_DIR, CHECKS, Layout
from caesar_core.store.lease import lease_state
from caesar_core.store.records import Record


def worktree_entries(
    project: Project, records: Iterable[Record], *, dry_run: bool, force: bool
) -> list[GcEntry]:
    """Visit every worktree of ours that git or a record knows; see `engine.gc.collect`."""
    repository = find_repository(project.root)
    if repository is None or repository.bare:
        return []
    places = {str(state.path): state for state in list_worktrees(repository)}
    named = _by_worktree(project, repository, records)
    ours = Path(repository.git_root) / CAESAR_DIR / "wt"
    found = {path for path in places if Path(path).parent in (ours, ours / CHECKS)} | set(named)
    sweep = _Sweep(project, repository, dry_run=dry_run, force=force)
    return [sweep.visit(path, named.get(path), places.get(path)) for path in sorted(found)]


def _by_worktree(
    project: Project, repository: Repository, records: Iterable[Record]
) -> dict[str, Record]:
    """Return who a worktree belongs to; the reference implementation only names it by the id."""
    named = {}
    for record in records:
        if record.worktree:
            found = at_home(record, repository, project.layout)
            named[found.worktree or record.worktree] = found if found.worktree else record
        if record.isolation == "worktree" and is_foreign(record):
            path = project.layout.worktree(repository.git_root, record.id)
            if path.is_dir():
                named[str(path)] = record
    return named


class _Sweep:
    def __init__(
        self, project: Project, repository: Repository, *, dry_run: bool, force: bool
    ) -> None:
        self._project = project
        self._repository = repository
        self._dry_run = dry_run
        self._force = force

    def visit(self, path: str, record: Record | None, state: WorktreeState | None) -> GcEntry:
        task_id = record.id if record else Path(path).name
        try:
            if Path(path).parent.name == CHECKS:
                collectable, reason = self._judge_check_place(task_id)
            else:
                collectable, reason = self._judge(Path(path), task_id, record, state)
        except CaesarError as error:
            return self._entry(path, record, state, "kept", "inspection_failed", error.message)
        if not collectable and self._force and reason == "modified":
            collectable, reason = True, "forced"
        if not collectable:
            return self._entry(path, record, state, "kept", reason)
        if self._dry_run:
            return self._entry(path, record, state, "would_remove", reason)
        try:
            self._remove(Path(path), record, state)
        except CaesarError as error:
            return self._entry(path, record, state, "kept", "inspection_failed", error.message)
        return self._entry(path, record, state, "removed", reason)

    def _judge(
        self, path: Path, task_id: str, record: Record | None, state: WorktreeState | None
    ) -> tuple[bool, str]:
        needed = self._who_needs_it(path, task_id, record, state)
        if needed:
            return False, needed
        if record is not None and record.worktree and path.is_dir() and self._home(path) != path:
            return False, "copied"
        if not path.is_dir():
            return self._judge_missing(path, record, state)
        if record is not None and is_foreign(record):
            return self._judge_foreign(record, state)
        if record is None or record.git_file is None or record.base_ref is None:
            return self._judge_orphan(path, state)
        return self._judge_work(record, record.base_ref, state)

    def _who_needs_it(
        self, path: Path, task_id: str, record: Record | None, state: WorktreeState | None
    ) -> str:
        """Return why nobody may touch it, whatever it holds; empty when nothing is in the way."""
        if record is not None and record.is_active:
            return "active"
        if self._is_held(task_id) or (record is None and self._is_anothers(path, task_id)):
            return "in_use"
        return "locked" if state is not None and state.locked else ""

    def _home(self, path: Path) -> Path:
        """Return where the worktree of that task belongs in this repository; `path` if it is so."""
        home = self._project.layout.worktree(self._repository.git_root, path.name)
        return path if home.resolve() == path.resolve() else home

    def _judge_missing(
        self, path: Path, record: Record | None, state: WorktreeState | None
    ) -> tuple[bool, str]:
        """Judge what is left of a worktree that somebody removed: its branch, which may be work."""
        home = self._home(path)
        if home != path and home.is_dir():
            return False, "moved"
        branch = _branch_of(record, state)
        tip = (
            commit_of(self._repository.git(), f"refs/heads/{branch}")
            if branch
            else state and state.head
        )
        if not tip or self._is_kept_elsewhere(tip, record):
            return True, "missing"
        return False, "modified"

    def _is_kept_elsewhere(self, tip: str, record: Record | None) -> bool:
        if record is not None and record.base_ref == tip:
            return True
        outcome = read_outcome(self._repository, record.id) if record else None
        if record and record.applied_at and outcome and self._tree_of(tip) == outcome.tree:
            return True
        return is_merged(self._repository.git(), tip)

    def _is_held(self, task_id: str) -> bool:
        return lease_state(self._project.layout.lease(task_id)) in {"active", "unknown"}

    def _is_anothers(self, path: Path, task_id: str) -> bool:
        """Whether there is a record that does not tell us: damaged, or of a project beside ours."""
        owner = owner_of(self._repository, path) or self._project.root
        layouts = (self._project.layout, Layout(owner))
        return any(layout.record(task_id).exists() for layout in layouts)

    def _judge_check_place(self, task_id: str) -> tuple[bool, str]:
        """Judge a checkout for checks: it holds nothing of its own; needed while they run."""
        record = self._project.records.get(task_id)
        active = record is not None and record.is_active
        return (False, "active") if active else (True, "clean")

    def _judge_foreign(self, record: Record, state: WorktreeState | None) -> tuple[bool, str]:
        base = self._project.records.base_ref(record)
        found = foreign_snapshot(self._project, self._repository, record)
        if base is None or found is None:
            raise OperationError("The commit that it started from is not known.")
        snapshot = found[1]
        clean = not snapshot.left_out and self._is_clean(snapshot.tree, base, state)
        return (True, "clean") if clean else (False, "modified")

    def _judge_work(
        self, record: Record, base_ref: str, state: WorktreeState | None
    ) -> tuple[bool, str]:
        snapshot = snapshot_of(record)
        if snapshot is None:
            return True, "missing"
        if snapshot.left_out:
            return False, "modified"  # git could not record all of it
        outcome = read_outcome(self._repository, record.id)
        if record.applied_at and outcome is not None and snapshot.tree == outcome.tree:
            return True, "applied"
        clean = self._is_clean(snapshot.tree, base_ref, state)
        return (True, "clean") if clean else (False, "modified")

    def _judge_orphan(self, path: Path, state: WorktreeState | None) -> tuple[bool, str]:
        if state is None or state.head is None:
            return False, "modified"
        snapshot = take_snapshot(path, git_file=(path / ".git").read_bytes(), filters=())
        if snapshot.left_out or self._tree_of(state.head) != snapshot.tree:
            return False, "modified"
        return (
            (True, "clean")
            if is_merged(self._repository.git(), state.head)
            else (False, "modified")
        )

    def _is_clean(self, tree: str, base_ref: str, state: WorktreeState | None) -> bool:
        moved = state is not None and state.head not in (None, base_ref)
        return tree == self._tree_of(base_ref) and not moved

    def _tree_of(self, commit: str) -> str:
        return tree_of(self._repository.git(), commit)

    def _remove(self, path: Path, record: Record | None, state: WorktreeState | None) -> None:
        branch = _branch_of(record, state)
        ours = branch if branch and branch.startswith("caesar/") else None
        remove_worktree(self._repository, path, ours, keep_branch=ours is None)
        if record is not None:
            self._project.records.update(record.id, worktree=None)

    def _entry(
        self,
        path: str,
        record: Record | None,
        state: WorktreeState | None,
        action: Action,
        reason: str,
        error: str = "",
    ) -> GcEntry:
        return GcEntry(
            id=record.id if record else Path(path).name,
            path=path,
            branch=_branch_of(record, state),
            orphan=record is None,
            action=action,
            reason=reason,
            status=record.status if record else None,
            applied_at=record.applied_at if record else None,
            error=error,
        )


def _branch_of(record: Record | None, state: WorktreeState | None) -> str | None:
    """Return the branch that git names, else the recorded one."""
    return (state.branch if state else None) or (record.branch if record else None)
