"""All tasks of a project, kept up to date by work that is proportional to what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from caesar_core.board.delta import Appended, BoardDelta, Health
from caesar_core.board.standing import SILENCE_MS, silent_ms
from caesar_core.clock import Clock
from caesar_core.store.layout import Layout
from caesar_core.watch.entry import Entry
from caesar_core.watch.evidence import CpuProbe
from caesar_core.watch.mark import Mark, What
from caesar_core.watch.roster import Roster

FIRST_RECORDS: Final = 300
"""So many of the newest records are read before the first frame; the rest follows."""


class Ledger:
    """The state behind a follower. Every method reads files: call them in a worker thread.

    Args:
        ids: follow only these; `None` follows everything, tasks to come included.
        replay: deliver also the events that the streams hold already.

    """

    def __init__(
        self, layout: Layout, clock: Clock, ids: Collection[str] | None = None, *, replay: bool
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._replay = replay
        self._roster = Roster(layout, ids)
        self._entries: dict[str, Entry] = {}
        self._active: dict[str, Entry] = {}
        self._bad_before = 0  # unreadable lines of streams that are read to their end
        self._probe = CpuProbe()
        self._backlog: set[Mark] = set()

    @property
    def is_behind(self) -> bool:
        """Whether something is known to be unread."""
        return bool(self._backlog or self._roster.unread)

    def begin(self) -> BoardDelta:
        """Read the newest records and enter their streams."""
        self._roster.begin()
        return self.look(records=FIRST_RECORDS)

    def look(
        self, marks: Iterable[Mark] = (), *, records: int = 0, recheck: bool = False
    ) -> BoardDelta:
        """Read what changed since the last look.

        Args:
            marks: hints where to look; what is not followed is passed over.
            records: how many of the old records that nobody read yet to read.
            recheck: stat everything that is open, and find what no hint told.

        """
        todo = {*marks, *self._backlog}
        todo |= {("record", task_id) for task_id in self._roster.next_unread(records)}
        todo |= self._everything_open() if recheck else set()
        self._backlog = set()
        frame = _Frame(changed=self._look_for_work() if recheck else set())
        for what, task_id in sorted(todo):
            if not self._roster.counts(task_id):
                continue
            if what == "record":
                self._read_record(task_id, frame)
            elif task_id in self._active:
                self._read_files(self._active[task_id], what, frame)
        return self._delta(frame)

    def _everything_open(self) -> set[Mark]:
        marks: set[Mark] = {("record", task_id) for task_id in self._roster.news(self._active)}
        for task_id in self._active:
            marks |= {("stream", task_id), ("mail", task_id)}
        return marks

    def _delta(self, frame: _Frame) -> BoardDelta:
        health = Health(
            bad_lines=self._bad_before + sum(entry.bad_lines for entry in self._active.values()),
            bad_records=self._roster.bad,
        )
        known = sorted(frame.changed & self._entries.keys())
        return BoardDelta(
            changed=tuple(self._entries[task_id].view for task_id in known),
            removed=tuple(frame.removed),
            appended=tuple(frame.appended),
            health=health,
            complete=not self._roster.unread,
        )

    def _read_record(self, task_id: str, frame: _Frame) -> None:
        if not self._roster.has_changed(task_id):
            return
        record = self._roster.read(task_id)
        if record is None:
            self._forget(task_id, frame)
            return
        frame.changed.add(task_id)
        entry = self._entries.get(task_id)
        if entry is None:
            entry = self._entries[task_id] = Entry(record, self._layout.task(task_id))
            if record.is_active or self._replay:
                entry.open(replay=self._replay or not self._roster.is_old(task_id))
                self._active[task_id] = entry
        entry.record = record
        if task_id in self._active:
            self._read_files(entry, "mail", frame)
            self._read_files(entry, "stream", frame)

    def _forget(self, task_id: str, frame: _Frame) -> None:
        self._active.pop(task_id, None)
        if self._entries.pop(task_id, None) is not None:
            frame.removed.append(task_id)

    def _read_files(self, entry: Entry, what: What, frame: _Frame) -> None:
        task_id = entry.record.id
        if what == "mail":
            frame.changed |= {task_id} if entry.collect_mail() else set()
            return
        pull = entry.pull()
        if pull.appended is not None:
            frame.changed.add(task_id)
            frame.appended.append(pull.appended)
        if pull.more:
            self._backlog.add(("stream", task_id))
        elif not entry.record.is_active:
            entry.close()
            del self._active[task_id]
            self._bad_before += entry.bad_lines

    def _look_for_work(self) -> set[str]:
        """Ask the system about the processes of silent tasks; return whose answer changed."""
        now = self._clock.now()
        silent = {
            task_id: entry.record.agent_process.pid
            for task_id, entry in self._active.items()
            if entry.record.agent_process and (silent_ms(entry.view, now) or 0) >= SILENCE_MS
        }
        answers = self._probe.look(silent.values(), self._clock.monotonic())
        changed: set[str] = set()
        for task_id, entry in self._active.items():
            busy = answers.get(silent[task_id]) if task_id in silent else None
            if busy is not entry.busy:
                entry.busy = busy
                changed.add(task_id)
        return changed


@dataclass(slots=True)
class _Frame:
    """What is gathered for one delta."""

    changed: set[str] = field(default_factory=set)
    removed: list[str] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)
