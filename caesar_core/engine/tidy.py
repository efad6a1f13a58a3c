"""Small files of the store that a killed process left behind and nobody needs any more."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from caesar_core.engine.project import Project
from caesar_core.errors import OperationError
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.layout import Layout
from caesar_core.store.lock import try_lock
from caesar_core.store.records import Record

_OLD: Final = 3600.0  # seconds; a delegation writes its plan a moment before its record


def tidy_state(project: Project, records: Iterable[Record]) -> None:
    """Remove plans, spools and locks of ended tasks, and plans of those that never came to be."""
    records = tuple(records)
    active = {record.id for record in records if record.is_active}
    known = set(project.records.list_ids())
    now = project.clock.now().timestamp()
    for record in records:
        if record.id not in active:
            _tidy_task(project.layout, record.id)
    with suppress(FileNotFoundError):
        for path in project.layout.plans.iterdir():
            task_id = path.name.partition(".")[0]
            if task_id in active:
                continue
            with suppress(OSError):
                if task_id in known or now - path.lstat().st_mtime > _OLD:
                    path.unlink()


def _tidy_task(layout: Layout, task_id: str) -> None:
    with suppress(OperationError):
        delete_tree(layout.task(task_id).stdout.parent)
    for path in (layout.record_lock(task_id), layout.supervisor_lock(task_id)):
        with suppress(OperationError):
            lock = try_lock(path) if path.exists() else None
            if lock is not None:
                lock.remove()
