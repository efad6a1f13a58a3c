"""Forgetting tasks that ended long ago: their directory, their record and their outcome."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from caesar_core.clock import parse_iso
from caesar_core.engine.gc_entries import Action, GcEntry
from caesar_core.engine.outcomes import recovered_records
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.outcome import Outcome, drop_outcome, read_outcome
from caesar_core.repo.revisions import tree_of
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.lease import lease_state
from caesar_core.store.races import load_race, race_ids
from caesar_core.store.records import Record


def history_entries(
    project: Project,
    older_than: float,
    *,
    without_worktree: Collection[str],
    dry_run: bool,
    force: bool,
) -> list[GcEntry]:
    """Visit every task that ended more than `older_than` seconds ago, and the races of such.

    Args:
        without_worktree: the tasks whose worktree has been removed, or would be.
    """
    scan = project.records.scan()
    known = [record.id for record in scan.records] + [name for name, _ in scan.damaged]
    records = [*scan.records, *recovered_records(project, known)]
    needed = {record.resumes for record in records if record.is_active}
    history = _History(project, without_worktree, dry_run=dry_run, force=force)
    before = project.clock.now().timestamp() - older_than
    entries = [
        history.visit(record, is_resumed=record.id in needed)
        for record in sorted(records, key=lambda record: record.id)
        if not record.is_active and _ended(record) < before
    ]
    gone = {entry.id for entry in entries if entry.action != "kept"}
    left = {record.id for record in records} - gone | {name for name, _ in scan.damaged}
    return entries + history.races(left)


def _ended(record: Record) -> float:
    """Return when a task ended, in seconds since the epoch; one that does not say it: never."""
    moment = parse_iso(record.ended_at or record.created_at)
    return moment.timestamp() if moment is not None else float("inf")


class _History:
    def __init__(
        self, project: Project, gone: Collection[str], *, dry_run: bool, force: bool
    ) -> None:
        self._project = project
        self._gone = gone
        self._dry_run = dry_run
        self._force = force
        repository = find_repository(project.root)
        self._repository = None if repository is None or repository.bare else repository

    def visit(self, record: Record, *, is_resumed: bool) -> GcEntry:
        try:
            stays = "resumed" if is_resumed else self._why_it_stays(record)
            if stays == "unapplied" and self._force:
                stays, reason = "", "forced"
            else:
                reason = stays or "old"
            if not stays and not self._dry_run:
                self._forget(record)
        except CaesarError as error:
            return self._entry(record, "kept", "inspection_failed", error.message)
        done: Action = "would_remove" if self._dry_run else "removed"
        return self._entry(record, "kept" if stays else done, reason)

    def races(self, left: set[str]) -> list[GcEntry]:
        """Visit the races none of whose tasks is left."""
        entries = []
        for race_id in race_ids(self._project.layout):
            race = load_race(self._project.layout, race_id)
            if race is None or left.intersection(race.task_ids):
                continue
            path = self._project.layout.race(race_id)
            if not self._dry_run:
                path.unlink(missing_ok=True)
            action: Action = "would_remove" if self._dry_run else "removed"
            entries.append(
                GcEntry(
                    id=race_id,
                    path=str(path),
                    branch=None,
                    orphan=False,
                    action=action,
                    reason="old",
                    kind="race",
                )
            )
        return entries

    def _why_it_stays(self, record: Record) -> str:
        if lease_state(self._project.layout.lease(record.id)) in {"active", "unknown"}:
            return "in_use"
        has_worktree = any(place.exists() for place in self._places(record))
        if has_worktree and record.id not in self._gone:
            return "modified"  # or it would be gone by now
        outcome = self._outcome(record)
        is_work = outcome is not None and not self._is_empty(self._repository, outcome)
        return "unapplied" if is_work and not record.applied_at else ""

    def _places(self, record: Record) -> list[Path]:
        """Return where its worktree may be: as recorded, and where the project was moved to."""
        if record.worktree is None or self._repository is None:
            return []
        home = self._project.layout.worktree(self._repository.git_root, record.id)
        return [Path(record.worktree), home]

    def _outcome(self, record: Record) -> Outcome | None:
        return read_outcome(self._repository, record.id) if self._repository else None

    def _is_empty(self, repository: Repository | None, outcome: Outcome) -> bool:
        assert repository is not None
        return outcome.tree == tree_of(repository.git(), outcome.base_ref)

    def _forget(self, record: Record) -> None:
        """Remove it; the record last, so that a task half forgotten is forgotten next time."""
        layout = self._project.layout
        if self._repository is not None:
            drop_outcome(self._repository, record.id)
        delete_tree(layout.task(record.id).dir)
        delete_tree(layout.applied / record.id)
        layout.record(record.id).unlink(missing_ok=True)

    def _entry(self, record: Record, action: Action, reason: str, error: str = "") -> GcEntry:
        return GcEntry(
            id=record.id,
            path=str(self._project.layout.task(record.id).dir),
            branch=None,
            orphan=False,
            action=action,
            reason=reason,
            status=record.status,
            applied_at=record.applied_at,
            error=error,
            kind="task",
        )
