"""Which records there are and which of them changed, by stamps instead of by content."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from caesar_core.errors import CaesarError
from caesar_core.ids import is_safe_id
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.watch.stamp import Stamp, stamp, stamp_of

_SUFFIX = ".json"


class Roster:
    """The records of a project, each read once and again only when its stamp changed.

    Args:
        only: the ids that count; `None` counts all, those to come included.

    """

    def __init__(self, layout: Layout, only: Collection[str] | None) -> None:
        self._layout = layout
        self._only = None if only is None else frozenset(only)
        self._store = RecordStore(layout)
        self._folder: Stamp | None = None
        self._read: dict[str, Stamp] = {}
        self._unread: list[str] = []
        self._old: frozenset[str] = frozenset()
        self._bad: set[str] = set()

    @property
    def bad(self) -> tuple[str, ...]:
        """Ids whose record cannot be read."""
        return tuple(sorted(self._bad))

    @property
    def unread(self) -> int:
        """How many of the records found at the beginning have not been read yet."""
        return len(self._unread)

    def begin(self) -> None:
        """List the records that there are."""
        stamps = self._scan()
        self._unread = sorted(stamps, key=lambda task_id: stamps[task_id], reverse=True)
        self._old = frozenset(stamps)

    def next_unread(self, count: int) -> list[str]:
        """Return ids to read next, the last written first."""
        batch, self._unread = self._unread[:count], self._unread[count:]
        return batch

    def is_old(self, task_id: str) -> bool:
        """Whether the task existed when the roster began."""
        return task_id in self._old

    def counts(self, task_id: str) -> bool:
        """Whether the task is one of those that are followed."""
        return is_safe_id(task_id) and (self._only is None or task_id in self._only)

    def news(self, active: Collection[str]) -> list[str]:
        """Return the ids of records that came, went or changed.

        All are stat'ed if the folder changed; else only those of `active` tasks, whose record
        the reference implementation may rewrite in place.
        """
        if stamp_of(self._layout.records) == self._folder:
            stamps = {task_id: stamp_of(self._layout.record(task_id)) for task_id in active}
            return [
                task_id for task_id, found in stamps.items() if found != self._read.get(task_id)
            ]
        waiting, found_now = set(self._unread), self._scan()
        gone = [task_id for task_id in self._read if task_id not in found_now]
        return gone + [
            task_id
            for task_id, found in found_now.items()
            if task_id not in waiting and found != self._read.get(task_id)
        ]

    def has_changed(self, task_id: str) -> bool:
        """Whether the record is not the one that was read."""
        return stamp_of(self._layout.record(task_id)) != self._read.get(task_id)

    def read(self, task_id: str) -> Record | None:
        """Return the record, `None` if it is gone or cannot be read."""
        found = stamp_of(self._layout.record(task_id))
        self._bad.discard(task_id)
        if found is None:
            self._read.pop(task_id, None)
            return None
        self._read[task_id] = found
        try:
            return self._store.get(task_id)
        except CaesarError:
            self._bad.add(task_id)
            return None

    def _scan(self) -> dict[str, Stamp]:
        self._folder = stamp_of(self._layout.records)
        try:
            with os.scandir(self._layout.records) as entries:
                return dict(self._stamps(entries))
        except OSError:
            return {}

    def _stamps(self, entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[str, Stamp]]:
        for item in entries:
            task_id = item.name.removesuffix(_SUFFIX)
            if task_id == item.name or not self.counts(task_id):
                continue
            try:
                yield task_id, stamp(item.stat(follow_symlinks=False))
            except OSError:
                continue
