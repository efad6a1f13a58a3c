"""Removing worktrees that hold nothing anybody could miss, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from caesar_core.engine.adopt import adopt_orphans
from caesar_core.engine.present import foreign_snapshot, is_foreign
from caesar_core.engine.project import Project
from caesar_core.engine.tidy import tidy_state
from caesar_core.engine.worktrees import snapshot_of
from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.outcome import read_outcome
from caesar_core.repo.owner import owner_of
from caesar_core.repo.snapshot import take_snapshot
from caesar_core.repo.worktree import (
    WorktreeState,
    list_worktrees,
    remove_worktree,
)
from caesar_core.store.layout import CAESAR_DIR, CHECKS, Layout
from caesar_core.store.lease import lease_state
from caesar_core.store.records import Record

Action: TypeAlias = Literal["removed", "would_remove", "kept"]


@dataclass(frozen=True, slots=True)
class GcEntry:
    """One worktree and what was done with it.

    Attributes:
        orphan: no record names it.
        reason: clean, applied, missing, forced; or active, modified, in_use, inspection_failed.
    """

    id: str
    path: str
    branch: str | None
    orphan: bool
    action: Action
    reason: str
    status: str | None = None
    applied_at: str | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class GcResult:
    """What a collection did, or would do."""

    dry_run: bool
    force: bool
    entries: tuple[GcEntry, ...]
    abandoned: tuple[str, ...]

    def count(self, action: Action) -> int:
        """Return how many entries ended so."""
        return sum(entry.action == action for entry in self.entries)


def collect(project: Project, *, dry_run: bool = False, force: bool = False) -> GcResult:
    """Remove the worktrees and branches of ended tasks that hold no unapplied work.

    Committed but unapplied work is work. What could not be looked at is kept, even with `force`.
    """
    scan = project.records.scan()
    abandoned = [] if dry_run else adopt_orphans(project, scan.records)
    if not dry_run:
        tidy_state(project, scan.records)
    repository = find_repository(project.root)
    if repository is None or repository.bare:
        return GcResult(dry_run, force, (), tuple(abandoned))
    places = {str(state.path): state for state in list_worktrees(repository)}
    records = _by_worktree(project, repository, scan.records)
    ours = Path(repository.git_root) / CAESAR_DIR / "wt"
    found = {path for path in places if Path(path).parent in (ours, ours / CHECKS)} | set(records)
    sweep = _Sweep(project, repository, dry_run=dry_run, force=force)
    entries = [sweep.visit(path, records.get(path), places.get(path)) for path in sorted(found)]
    return GcResult(dry_run, force, tuple(entries), tuple(abandoned))


def _by_worktree(
    project: Project, repository: Repository, records: Iterable[Record]
) -> dict[str, Record]:
    """Return who a worktree belongs to; the reference implementation only names it by the id."""
    named = {record.worktree: record for record in records if record.worktree}
    for record in records:
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
        if record is not None and record.is_active:
            return False, "active"
        if self._is_held(task_id) or (record is None and self._is_anothers(path, task_id)):
            return False, "in_use"
        if not path.is_dir():
            return True, "missing"
        if record is not None and is_foreign(record):
            return self._judge_foreign(record, state)
        if record is None or record.git_file is None or record.base_ref is None:
            return self._judge_orphan(path, state)
        return self._judge_work(record, record.base_ref, state)

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
        merged = self._repository.git().run(
            "merge-base", "--is-ancestor", state.head, "HEAD", ok=(0, 1)
        )
        return (True, "clean") if merged.returncode == 0 else (False, "modified")

    def _is_clean(self, tree: str, base_ref: str, state: WorktreeState | None) -> bool:
        moved = state is not None and state.head not in (None, base_ref)
        return tree == self._tree_of(base_ref) and not moved

    def _tree_of(self, commit: str) -> str:
        git = self._repository.git()
        return git.text("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")

    def _remove(self, path: Path, record: Record | None, state: WorktreeState | None) -> None:
        branch = state.branch if state and state.branch else (record.branch if record else None)
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
            branch=(state.branch if state else None) or (record.branch if record else None),
            orphan=record is None,
            action=action,
            reason=reason,
            status=record.status if record else None,
            applied_at=record.applied_at if record else None,
            error=error,
        )
