"""The journals of what was applied, newest last: for undo, and for what died in the middle."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final

from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.ids import is_safe_id
from caesar_core.repo.journal import Journal, read_journal
from caesar_core.repo.scratch import remove_abandoned_scratch
from caesar_core.repo.undo import UNDO, recover
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.lock import file_lock, try_lock
from caesar_core.store.record_store import DamagedRecordError

_LOCK_TIMEOUT: Final = 60.0
KEPT: Final = 50


class Journals:
    """The applies of one project that can be undone, one folder each."""

    def __init__(self, project: Project) -> None:
        self._folder = project.layout.applied
        self._lock = self._folder.with_suffix(".lock")
        self._clock = project.clock
        self._records = project.records

    def alone(self) -> AbstractContextManager[None]:
        """Return a context in which nobody else applies or undoes.

        Raises:
            LockBusyError: somebody else went on for too long.
        """
        return file_lock(self._lock, timeout=_LOCK_TIMEOUT, clock=self._clock)

    def of(self, task_id: str) -> list[Path]:
        """Return the journals of one task, oldest first."""
        return [path for path in self._all() if owner_of(path) == task_id]

    def open_next(self, task_id: str) -> Path:
        """Return the folder for the next apply; the oldest beyond the last fifty are forgotten."""
        taken = self._all()
        for path in taken[: max(0, len(taken) + 1 - KEPT)]:
            delete_tree(path)
        number = int(taken[-1].name.partition("-")[0]) + 1 if taken else 1
        return self._folder / f"{number:08d}-{task_id}"

    def latest(self, task_id: str | None) -> tuple[Path, Journal] | None:
        """Return the last apply that still stands, of one task or of all."""
        for path in reversed(self._all() if task_id is None else self.of(task_id)):
            found = read_journal(path)
            if found is not None and found.stage == "applied":
                return path, found
        return None

    def put_back_interrupted(self) -> None:
        """Mend what a process left half done that was killed while it applied or undid.

        Raises:
            OperationError: a file could not be put back.
        """
        remove_abandoned_scratch()
        for path in self._all():
            recover(path)
            found = read_journal(path)
            if found is None or found.stage != "applied":
                self.forget_undone(path, undone=found is not None and found.stage == "undone")

    def forget_undone(self, path: Path, *, undone: bool) -> None:
        """Delete a journal that nothing stands of any more; before that its task learns of it."""
        owner = owner_of(path)
        with suppress(NotFoundError, DamagedRecordError):
            if undone and self.of(owner) == [path] and is_safe_id(owner):
                self._records.update(owner, applied_at=None, applied_patch_digest=None)
        delete_tree(path)

    def look_after(self) -> None:
        """Mend what was interrupted, unless somebody is at work; a failure waits for the next."""
        if all(_stands(path) for path in self._all()):
            return
        lock = try_lock(self._lock)
        if lock is not None:
            with lock, suppress(CaesarError):
                self.put_back_interrupted()

    def _all(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return sorted(path for path in self._folder.iterdir() if path.is_dir())


def owner_of(journal: Path) -> str:
    """Return the id of the task that a journal belongs to."""
    return journal.name.partition("-")[2]


def _stands(path: Path) -> bool:
    try:
        found = read_journal(path)
    except CaesarError:
        return False
    return found is not None and found.stage == "applied" and not (path / UNDO).exists()
