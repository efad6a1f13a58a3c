"""The live stream of one task: calls with their durations, kinds, whole events."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from rich.segment import Segment

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.lines import event_line
from caesar_core.board.standing import elapsed_ms
from caesar_core.board.window import EventWindow
from caesar_core.clock import parse_iso
from caesar_core.protocol.event import Event
from caesar_core.text import human_duration
from caesar_tui.render.cells import Cell, Ink, age_text
from caesar_tui.render.stream_rows import KINDS, Entries, Entry
from caesar_tui.widgets.folded_pages import FoldedPages

_INKS: Final[dict[str, Ink]] = {
    "done": "ok",
    "failed": "bad",
    "warn": "bad",
    "question": "accent",
    "thinking": "dim",
    "bullet": "dim",
    "tool": "accent",
}
_TEXT_INKS: Final[dict[str, Ink]] = {"thinking": "dim", "bullet": "dim", "warn": "bad"}
_NARROW: Final = 60
_TIME: Final = 8


class EventLog(FoldedPages):
    """Shows the events of one task."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(EventWindow(), id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._kind = ""
        self._entries = Entries()
        self._now: datetime | None = None

    @property
    def note(self) -> str:
        """What is searched for, and what alone is shown."""
        only = f"only {self._kind}" if self._kind else ""
        return "  ".join(part for part in (super().note, only) if part)

    def tick(self, now: datetime | None) -> None:
        """Let the ages of running calls grow; `None` when the task has ended and none runs."""
        before, self._now = self._now, now
        if before == now:
            return
        top = self.scroll_offset.y
        for line in range(top, min(self.row_count(), top + self.size.height)):
            row, part = self.folds.place(line)
            if part == 0 and self._entries.is_running(row):
                self.refresh_row(line, 0, _TIME)

    def row_total(self) -> int:
        """Return the number of rows, each counted once."""
        return len(self._entries.items)

    def row_key(self, row: int) -> object:
        """Return the event that a row begins with."""
        return self._entries.items[row].event

    def row_text(self, row: int) -> str:
        """Return everything that a row says, with its newlines."""
        return self._entries.items[row].text

    def first_line(self, row: int, width: int) -> list[Segment]:
        """Return time, mark, who, what, and a call's duration."""
        return self.inked(self._cells(row, width))

    def action_kinds(self) -> None:
        """Show only the next kind of events, or all of them again."""
        names = list(KINDS)
        self._kind = names[(names.index(self._kind) + 1) % len(names)]
        self._opened = {}
        self.rebuild()
        if self.following:
            self.follow()
        self.move_to(self.row_count() - 1)
        self.tell()

    def rebuild(self) -> None:
        """Make the rows of the window anew; what was unfolded stays so."""
        self._entries = Entries(self._kind)
        for event in self.window.events:
            assert isinstance(event, Event)
            self._entries.add(event)
        self.fold()

    def add(self, events: list[Any]) -> None:
        """Make rows of events that came behind the window."""
        before = self.row_total()
        touched = {row for event in events if (row := self._entries.add(event)) is not None}
        self.rows_added(before, touched)

    def _cells(self, row: int, width: int) -> tuple[Cell, ...]:
        entry = self._entries.items[row]
        line, first = event_line(entry.end or entry.event), event_line(entry.event)
        label = first.label if entry.end is not None else line.label
        text = first.text or line.text
        if entry.more:
            text = f"{text} (+{len(entry.more)})"
        mark = Cell(getattr(self._glyphs, line.mark), 1, _INKS.get(line.mark, ""))
        when = self._age(row, entry) or line.time
        head = (mark,) if width < _NARROW else (Cell(when, _TIME, "dim"), mark)
        who, took = Cell(label, 8, "dim"), _took(entry)
        tail = (Cell(took, len(took), "dim"),) if took else ()
        room = width - sum(cell.width + 1 for cell in (*head, who, *tail))
        return (*head, who, Cell(text, max(1, room), _TEXT_INKS.get(line.mark, "")), *tail)

    def _age(self, row: int, entry: Entry) -> str:
        """Return how long a call has been running; it takes the place of its time.

        What changes every second stands first: a line is written from its beginning.
        """
        if self._now is None or not self._entries.is_running(row):
            return ""
        return age_text(elapsed_ms(entry.event.at, self._now)).rjust(_TIME)


def _took(entry: Entry) -> str:
    if entry.end is None:
        return ""
    began, ended = parse_iso(entry.event.at), parse_iso(entry.end.at)
    return human_duration((ended - began).total_seconds()) if began and ended else ""
