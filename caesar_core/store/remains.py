"""What a process that was killed left in the store beside a task, as far as it can be proved."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core.clock import Clock
from caesar_core.errors import CaesarError
from caesar_core.ids import is_safe_id
from caesar_core.store.drafts import remove_drafts
from caesar_core.store.layout import Layout
from caesar_core.store.lease import forget_takeover, release_if_stale
from caesar_core.store.lock import try_lock
from caesar_core.store.races import load_race
from caesar_core.store.slots import Slots

_OF_AN_ORDER: Final = frozenset(("task.json", "brief.md"))


def locked_ids(layout: Layout) -> set[str]:
    """Return the ids of the tasks that a lock was made for and not removed: running, or untidy."""
    try:
        names = os.listdir(layout.locks)  # noqa: PTH208 - part of every `ps`
    except FileNotFoundError:
        return set()
    ids = {stem for stem, dot, _ in (name.rpartition(".") for name in names) if dot}
    return {task_id for task_id in ids if is_safe_id(task_id)}


def clear_after_death(layout: Layout, task_id: str, clock: Clock) -> None:
    """Remove the drafts, slots and tickets of dead processes. Living ones lose nothing."""
    remove_drafts((*layout.folders, *layout.task(task_id).folders))
    with suppress(CaesarError, OSError):
        slots = Slots(layout, 1, clock)
        slots.holders()
        slots.waiting()
    forget_takeover(layout.lease(task_id))


def release_stale_lease(layout: Layout, task_id: str, clock: Clock) -> None:
    """Remove the lease of a task that is over when its holder is dead."""
    release_if_stale(layout.lease(task_id), f"task {task_id}", clock)


def forget_order(layout: Layout, task_id: str) -> None:
    """Remove an order that whoever wrote it died over: no record, and nothing but the order.

    The id may be that of a race: then its file goes, unless one of its tasks was started.
    """
    lock = try_lock(layout.record_lock(task_id))
    if lock is None:
        return
    with lock:
        if layout.record(task_id).exists():
            return
        remove_drafts((*layout.folders, *layout.task(task_id).folders))
        _remove_order(layout.task(task_id).dir)
        layout.plan(task_id).unlink(missing_ok=True)
        _forget_race(layout, task_id)
        lock.remove()


def _forget_race(layout: Layout, race_id: str) -> None:
    race = load_race(layout, race_id)
    if race is not None and not any(layout.record(task).exists() for task in race.task_ids):
        layout.race(race_id).unlink(missing_ok=True)


def _remove_order(folder: Path) -> None:
    with suppress(FileNotFoundError):
        if {path.name for path in folder.iterdir()} <= _OF_AN_ORDER:
            shutil.rmtree(folder, ignore_errors=True)
