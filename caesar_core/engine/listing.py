"""Which tasks there are: cheap for `ps` and completion, complete when something needs care."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.board.views import TaskView
from caesar_core.repo.refs import outcome_ids
from caesar_core.store.layout import Layout
from caesar_core.store.races import race_ids
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.remains import locked_ids
from caesar_core.watch.snapshot import task_view

LATEST: Final = 10


@dataclass(frozen=True, slots=True)
class Listed:
    """A task as it is listed."""

    record: Record
    view: TaskView


@dataclass(frozen=True, slots=True)
class Listing:
    """Tasks, newest first.

    Attributes:
        damaged: id and reason of each record that cannot be read.
    """

    tasks: tuple[Listed, ...]
    damaged: tuple[tuple[str, str], ...]


def task_ids(root: Path) -> list[str]:
    """Return the ids of the store and of the outcomes that only git still knows."""
    return sorted({*RecordStore(Layout(root)).list_ids(), *outcome_ids(root)})


def known_races(root: Path) -> list[str]:
    """Return the ids of the races that have a file."""
    return race_ids(Layout(root))


def list_tasks(
    root: Path, is_wanted: Callable[[Record], bool], *, everything: bool = False
) -> Listing:
    """Return the wanted tasks: the active ones and the ten that ended last, or `everything`.

    Abandoned tasks get a supervisor on the way. The engine is imported only when there is one,
    an outcome that the store has forgotten, or something that a killed process left.
    """
    scan = RecordStore(Layout(root)).scan()
    records = list(scan.records)
    forgotten = outcome_ids(root) - {record.id for record in records}
    if forgotten or any(record.is_active for record in records) or locked_ids(Layout(root)):
        from caesar_core.engine.service import Service

        records = Service(root).complete(records)
    kept = [record for record in records if is_wanted(record)]
    if not everything:
        kept = _recent(kept)
    kept.sort(key=lambda record: (record.created_at, record.id), reverse=True)
    layout = Layout(root)
    tasks = (Listed(r, task_view(layout, r, read_stream=r.is_active)) for r in kept)
    return Listing(tuple(tasks), scan.damaged)


def _recent(records: Sequence[Record]) -> list[Record]:
    ended = [record for record in records if not record.is_active]
    latest = sorted(ended, key=lambda record: record.ended_at or "", reverse=True)[:LATEST]
    return [record for record in records if record.is_active] + latest
