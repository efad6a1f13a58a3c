"""The outcome of a task by id: from its record, else from what git keeps of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caesar_core.engine.listing import task_ids
from caesar_core.engine.observed import flags_of, stat_of
from caesar_core.engine.present import present_outcome
from caesar_core.engine.project import Project
from caesar_core.engine.worktrees import at_home, outcome_meta, outcome_subject, snapshot_of
from caesar_core.errors import CaesarError, NotFoundError, OperationError
from caesar_core.ids import resolve_prefix
from caesar_core.repo.changes import list_changes
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.outcome import (
    Outcome,
    keep_outcome,
    list_outcomes,
    read_outcome,
    read_outcome_commit,
)
from caesar_core.repo.refs import outcome_ids
from caesar_core.store.records import Record


class UnreadableOutcomeError(OperationError):
    """A task ran, and git could not tell afterwards what it changed."""

    code = "unreadable_outcome"


@dataclass(frozen=True, slots=True)
class Located:
    """A task with what it left in git.

    Attributes:
        record: its record; one made from git when the store no longer has it.
        outcome: what it left, or what it has changed so far; `None` when that is nothing.
        recovered: the record was made from git.
    """

    record: Record
    repository: Repository | None
    outcome: Outcome | None
    recovered: bool = False


def resolve_id(project: Project, prefix: str) -> str:
    """Return the task id that `prefix` stands for.

    Raises:
        NotFoundError, AmbiguousIdError: nothing fits, or several do.
    """
    return resolve_prefix(prefix, task_ids(project.root))


def locate(project: Project, task_id: str) -> Located:
    """Return a task and its outcome.

    Raises:
        NotFoundError: neither the store nor git knows it.
    """
    record = project.records.get(task_id)
    repository = find_repository(project.root)
    outcome = read_outcome(repository, task_id) if repository else None
    if record is not None:
        if repository is not None:
            record = at_home(record, repository, project.layout)
            outcome = _recorded(repository, record, outcome)
        if outcome is None and repository is not None:
            outcome = present_outcome(project, repository, record)
        return Located(record, repository, outcome)
    if outcome is None:
        raise NotFoundError(f"No task {task_id}.", "`caesar ps --all` lists every task.")
    return Located(recovered_record(project, outcome), repository, outcome, recovered=True)


def _recorded(repository: Repository, record: Record, kept: Outcome | None) -> Outcome | None:
    """Return the outcome that the record names: an agent may have moved or removed our ref."""
    if record.outcome is None or (kept is not None and kept.commit == record.outcome):
        return kept
    return read_outcome_commit(repository, record.id, record.outcome) or kept


def recovered_records(project: Project, known: Iterable[str]) -> list[Record]:
    """Return records for the outcomes that git keeps and the store has forgotten."""
    forgotten = set(outcome_ids(project.root)) - set(known)
    repository = find_repository(project.root) if forgotten else None
    if repository is None:
        return []
    found = list_outcomes(repository)
    return [recovered_record(project, o) for o in found if o.task_id in forgotten]


def recovered_record(project: Project, outcome: Outcome) -> Record:
    """Return the record of a task as far as its outcome tells."""

    def text(key: str) -> str | None:
        value = outcome.meta.get(key)
        return value if isinstance(value, str) else None

    return Record(
        id=outcome.task_id,
        agent=text("agent") or "unknown",
        role=text("role"),
        objective=text("objective") or "",
        status="succeeded",
        # How it ended is not known; what is left of it is work that nobody has proved.
        report_status="partial",
        created_at=text("created_at") or "",
        workspace=str(project.root),
        isolation="worktree",
        base_ref=outcome.base_ref,
        outcome=outcome.commit,
        changes_verified_by="git",
        extra={"recovered": True},
    )


def require_readable(located: Located) -> None:
    """Refuse to call a task without changes whose changes could not be read.

    Raises:
        UnreadableOutcomeError: its worktree was gone or broken when it ended, or git has lost what
            was kept of it.
    """
    record = located.record
    if located.outcome is None and located.repository is not None and record.outcome is not None:
        raise UnreadableOutcomeError(
            f"The outcome of {record.id} is gone from git: somebody removed refs/caesar/{record.id}"
            f" and the commit {record.outcome[:12]}.",
            f"`caesar apply --refresh {record.id}` takes it anew while its worktree is there.",
        )
    ran = record.agent_process is not None and not record.is_active
    if located.outcome is not None or record.isolation != "worktree" or not ran:
        return
    if record.stat is not None:
        return
    left = record.worktree and Path(record.worktree).is_dir()
    where = f"Its files are in {record.worktree}" if left else "Its worktree is gone"
    raise UnreadableOutcomeError(
        f"What {record.id} changed could not be read when it ended.",
        f"{where}; `caesar show {record.id}` tells why.",
    )


def refresh_outcome(project: Project, located: Located) -> bool:
    """Take the outcome anew from the worktree, as it is now, into git and the record.

    Returns:
        Whether it differs.

    Raises:
        CaesarError: the task is not over, or there is no worktree to take it from.
    """
    record, outcome, repository = located.record, located.outcome, located.repository
    base = outcome.base_ref if outcome else record.base_ref
    if repository is None or base is None or record.is_active or record.isolation == "inplace":
        raise CaesarError(f"{record.id} has no outcome.", why_nothing(record))
    snapshot = snapshot_of(record)
    if snapshot is None:
        raise CaesarError(f"The worktree of {record.id} is gone.", "The kept outcome stays.")
    if outcome is not None and snapshot.tree == outcome.tree:
        return False
    changes = list_changes(repository.git(), base, snapshot.tree, prefix=repository.prefix)
    if outcome is None and not changes:
        return False
    meta = outcome.meta if outcome else outcome_meta(record, base)
    kept = keep_outcome(repository, record.id, snapshot.tree, base, outcome_subject(record), meta)
    if not located.recovered:
        numbers, flags = stat_of(changes), flags_of(changes)
        project.records.update(record.id, outcome=kept.commit, stat=numbers, flags=flags)
    return True


def why_nothing(record: Record) -> str:
    """Return why a task has no outcome."""
    if record.is_active:
        return "The task is not over yet."
    if record.isolation == "inplace":
        return "The task worked in place: its changes are in the workspace already."
    return "The task changed nothing."
