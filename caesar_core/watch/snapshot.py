"""The board at one moment, for `ps` and `watch --once`: no thread, no observer."""

from __future__ import annotations

from collections.abc import Collection

from caesar_core.board.views import BoardView, TaskView
from caesar_core.errors import CaesarError
from caesar_core.store.layout import Layout
from caesar_core.store.mailbox import questions
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.watch.convert import facts_of, question_views
from caesar_core.watch.streams import enter


def snapshot(layout: Layout, ids: Collection[str] | None = None) -> BoardView:
    """Return all tasks, or those of `ids`, newest first.

    The streams of tasks that are over are left unread unless `ids` names them.
    """
    store = RecordStore(layout)
    if ids is None:
        scan = store.scan()
        records, damaged = list(scan.records), [task_id for task_id, _ in scan.damaged]
    else:
        records, damaged = _named(store, ids)
    records.sort(key=lambda record: (record.created_at, record.id), reverse=True)
    return BoardView(
        tasks=tuple(task_view(layout, r, read_stream=r.is_active or bool(ids)) for r in records),
        bad_records=tuple(damaged),
    )


def task_view(layout: Layout, record: Record, *, read_stream: bool = True) -> TaskView:
    """Return the view of one task; without `read_stream` the record alone is used."""
    if not read_stream:
        return TaskView(facts=facts_of(record))
    files = layout.task(record.id)
    stream, _ = enter(files)
    asked = question_views(record.id, questions(files))
    return TaskView(facts=facts_of(record), stream=stream, questions=asked)


def _named(store: RecordStore, ids: Collection[str]) -> tuple[list[Record], list[str]]:
    records: list[Record] = []
    damaged: list[str] = []
    for task_id in ids:
        try:
            record = store.get(task_id)
        except CaesarError:
            damaged.append(task_id)
        else:
            records += [] if record is None else [record]
    return records, damaged
