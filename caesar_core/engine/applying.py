"""Applying an outcome, and taking it back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from caesar_core.clock import iso
from caesar_core.engine.after_death import tidy_remains
from caesar_core.engine.diffs import diff
from caesar_core.engine.journals import Journals, owner_of
from caesar_core.engine.outcomes import Located, locate, require_readable
from caesar_core.engine.paths import from_project, in_repository
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.repo.apply import apply_outcome, preflight
from caesar_core.repo.discover import Repository
from caesar_core.repo.merge import Conflict
from caesar_core.repo.undo import undo
from caesar_core.text import counted


class StillRunningError(CaesarError):
    """The task is not over."""

    code = "still_running"


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What applying did, or would do; paths as seen from the project.

    Attributes:
        applied: the work tree holds the outcome; in a preflight: it could.
        message: one sentence for people.
    """

    task_id: str
    applied: bool
    already_applied: bool = False
    conflicts: tuple[Conflict, ...] = ()
    files: tuple[str, ...] = ()
    merged_with_local: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo did, or would do; paths as seen from the project."""

    task_id: str | None
    undone: bool
    files: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    message: str = ""


def check_apply(project: Project, task_id: str, files: Sequence[str] | None = None) -> ApplyResult:
    """Return what applying a task would do; nothing is written.

    Raises:
        CaesarError: unknown task, still running, or a file that it does not change.
    """
    located = locate(project, task_id)
    early = _nothing_to_apply(located)
    if early is not None:
        return early
    repository, outcome = located.repository, located.outcome
    assert repository is not None
    assert outcome is not None
    seen = preflight(
        repository,
        outcome.base_ref,
        outcome.tree,
        _wanted(files, repository),
        filters=located.record.filters,
    )
    return _result(
        located,
        applied=seen.clean,
        already=seen.already_applied,
        conflicts=seen.conflicts,
        files=seen.files,
        merged=seen.merged_with_local,
        verb="would be applied",
    )


def apply_task(project: Project, task_id: str, files: Sequence[str] | None = None) -> ApplyResult:
    """Apply a task's outcome to the work tree, all or nothing.

    Raises:
        CaesarError: unknown task, still running, or a file that it does not change.
        OperationError: a file could not be written; everything was put back.
    """
    located = locate(project, task_id)
    early = _nothing_to_apply(located)
    if early is not None:
        return early
    repository, outcome = located.repository, located.outcome
    assert repository is not None
    assert outcome is not None
    tidy_remains(project)
    journals = Journals(project)
    with journals.alone():
        journals.put_back_interrupted()
        done = apply_outcome(
            repository,
            outcome.base_ref,
            outcome.tree,
            _wanted(files, repository),
            journal_dir=journals.open_next(task_id),
            filters=located.record.filters,
        )
    result = _result(
        located,
        applied=done.applied,
        already=done.already_applied,
        conflicts=done.conflicts,
        files=done.files,
        merged=done.merged_with_local,
        verb="applied",
    )
    whole = not files or check_apply(project, task_id).already_applied
    _note(project, located, result, whole=whole)
    return result


def check_undo(project: Project, task_id: str | None = None) -> UndoResult:
    """Return what an undo would restore; nothing is written.

    Raises:
        CaesarError: the journal of the apply cannot be read.
    """
    found = Journals(project).latest(task_id)
    if found is None:
        return _nothing_to_undo(task_id)
    folder, journal = found
    prefix = _prefix(project, journal.root)
    names = tuple(
        from_project(entry.path.decode("utf-8", "replace"), prefix) for entry in journal.entries
    )
    owner = owner_of(folder)
    return UndoResult(
        owner, undone=True, files=names, message=f"{counted(len(names), 'file')} of {owner}"
    )


def undo_task(project: Project, task_id: str | None = None) -> UndoResult:
    """Take back the last apply, or that of one task; later edits elsewhere stay.

    Raises:
        OperationError: a file could not be written; everything was put back.
    """
    tidy_remains(project)
    journals = Journals(project)
    with journals.alone():
        journals.put_back_interrupted()
        found = journals.latest(task_id)
        if found is None:
            return _nothing_to_undo(task_id)
        folder, journal = found
        done = undo(folder)
        if not done.conflicts:
            journals.forget_undone(folder, undone=done.undone)
    owner, prefix = owner_of(folder), _prefix(project, journal.root)
    files = tuple(from_project(path, prefix) for path in done.files)
    conflicts = tuple(replace(c, path=from_project(c.path, prefix)) for c in done.conflicts)
    message = _undo_message(owner, files, conflicts)
    return UndoResult(owner, done.undone, files, conflicts, message)


def _nothing_to_apply(located: Located) -> ApplyResult | None:
    record = located.record
    if record.is_active:
        raise StillRunningError(
            f"{record.id} is still {record.status}.", "Wait for its end, or cancel it first."
        )
    if located.outcome is not None:
        return None
    require_readable(located)
    if record.isolation == "inplace":
        message = "The task worked in place: there is nothing to apply."
        return ApplyResult(record.id, applied=False, message=message)
    return ApplyResult(record.id, applied=True, message="The task changed nothing.")


def _result(
    located: Located,
    *,
    applied: bool,
    already: bool,
    conflicts: tuple[Conflict, ...],
    files: tuple[str, ...],
    merged: tuple[str, ...],
    verb: str,
) -> ApplyResult:
    prefix = located.repository.prefix if located.repository else ""
    mixed = f", {len(merged)} merged with your edits" if merged else ""
    if conflicts:
        what = counted(len(conflicts), "conflict")
        message = f"Nothing was written: {what}."
    elif already:
        message = "Already applied: the work tree holds every change."
    else:
        message = f"{counted(len(files), 'file')} {verb}{mixed}."
    return ApplyResult(
        task_id=located.record.id,
        applied=applied,
        already_applied=already,
        conflicts=tuple(replace(c, path=from_project(c.path, prefix)) for c in conflicts),
        files=tuple(from_project(path, prefix) for path in files),
        merged_with_local=tuple(from_project(path, prefix) for path in merged),
        message=message,
    )


def _note(project: Project, located: Located, result: ApplyResult, *, whole: bool) -> None:
    """Remember in the record what came of it; a task that only git knows has none.

    A task of which only some files were applied is not applied: its worktree is still work.
    """
    if located.recovered:
        return
    if result.conflicts:
        paths = tuple(conflict.path for conflict in result.conflicts)
        project.records.update(result.task_id, apply_conflicts=paths)
        return
    changes: dict[str, object] = {"apply_conflicts": ()}
    if whole and located.record.applied_at is None and (result.files or result.already_applied):
        changes["applied_at"] = iso(project.clock.now())
        changes["applied_patch_digest"] = _digest(located)
    project.records.update(result.task_id, **changes)


class _Hash:
    """A place to write a patch to that keeps only its digest."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return len(data)


def _digest(located: Located) -> str:
    sink = _Hash()
    diff(located).write_patch(cast("BinaryIO", sink))
    return sink.digest.hexdigest()


def _wanted(files: Sequence[str] | None, repository: Repository) -> list[str] | None:
    return (
        None
        if not files
        else [in_repository(name, repository.prefix, repository.git_root) for name in files]
    )


def _prefix(project: Project, top: Path) -> str:
    try:
        return project.root.relative_to(top.resolve()).as_posix().removeprefix(".")
    except ValueError:
        return ""


def _nothing_to_undo(task_id: str | None) -> UndoResult:
    what = f"{task_id} was not applied" if task_id else "Nothing was applied"
    return UndoResult(task_id, undone=False, message=f"{what}: there is nothing to undo.")


def _undo_message(owner: str, files: Iterable[str], conflicts: Sequence[Conflict]) -> str:
    if conflicts:
        what = "1 file was" if len(conflicts) == 1 else f"{len(conflicts)} files were"
        return f"Nothing was written: {what} changed since."
    return f"{counted(len(tuple(files)), 'file')} of {owner} restored."
