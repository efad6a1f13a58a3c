"""Clearing up after processes that were killed over a task's order, or just behind its end."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from caesar_core.engine.project import Project
from caesar_core.engine.writers import leave_place
from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.scratch import remove_abandoned_scratch
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.drafts import remove_drafts
from caesar_core.store.layout import Layout
from caesar_core.store.lock import try_lock
from caesar_core.store.records import Record
from caesar_core.store.remains import (
    clear_after_death,
    forget_order,
    locked_ids,
    release_stale_lease,
)


def tidy_remains(project: Project) -> None:
    """Remove what only a running task needs of those that are over, and orders without a record.

    Costs one look into a folder as long as nothing of the kind has happened.
    """
    layout = project.layout
    for task_id in locked_ids(layout):
        with suppress(CaesarError, OSError):
            record = project.records.get(task_id)
            if record is None:
                _forget_unborn(layout, task_id)
            elif not record.is_active:
                clear_after_death(layout, task_id, project.clock)
                leave_place(layout, Path(record.workspace), task_id, project.clock)
                _tidy_task(project, task_id)


def _forget_unborn(layout: Layout, task_id: str) -> None:
    """Clear up after whoever died before there was a record: over an order, a race or a pick."""
    path = layout.supervisor_lock(task_id)
    if not path.exists():
        forget_order(layout, task_id)
        return
    lock = try_lock(path)
    if lock is not None:  # else whoever combines results is at it
        with lock:
            forget_order(layout, task_id)
            remove_abandoned_scratch()
            lock.remove()


def remove_all_drafts(project: Project, records: Iterable[Record]) -> None:
    """Remove all that processes were writing that are dead now, in the store and elsewhere."""
    remove_drafts(project.layout.folders)
    for record in records:
        remove_drafts(project.layout.task(record.id).folders)
    remove_abandoned_scratch()


def _tidy_task(project: Project, task_id: str) -> None:
    layout = project.layout
    lock = try_lock(layout.supervisor_lock(task_id))
    if lock is None:
        return
    with lock:
        spools = layout.task(task_id).stdout.parent
        for path in (spools, *layout.run_files(task_id), layout.private(task_id)):
            with suppress(OperationError):
                delete_tree(path)
        release_stale_lease(layout, task_id, project.clock)
        _remove_lock(layout, task_id)
        lock.remove()


def _remove_lock(layout: Layout, task_id: str) -> None:
    path = layout.record_lock(task_id)
    with suppress(OperationError):
        lock = try_lock(path) if path.exists() else None
        if lock is not None:
            lock.remove()
