"""The live stream of one task: calls with their durations, search, kinds, whole events."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import BindingType

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.lines import event_line
from caesar_core.board.standing import elapsed_ms
from caesar_core.clock import parse_iso
from caesar_core.protocol.event import Event
from caesar_core.text import human_duration
from caesar_tui.keymap import bindings
from caesar_tui.messages import Said
from caesar_tui.render.cells import Cell, Ink, age_text
from caesar_tui.render.stream_rows import KINDS, Entries, Entry, Unfolded, wrapped
from caesar_tui.widgets.event_pages import EventPages
from caesar_tui.widgets.safe import plain

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


class EventLog(EventPages):
    """Shows the events of one task."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--found"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("stream")]

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self.needle = ""
        self._kind = ""
        self._entries = Entries()
        self._opened: dict[int, Event] = {}
        self._folds = Unfolded()
        self._texts: dict[int, list[str]] = {}
        self._now: datetime | None = None
        self._seeks = False

    @property
    def note(self) -> str:
        """What is searched for, and what alone is shown."""
        found = f"/{self.needle}" if self.needle else ""
        only = f"only {self._kind}" if self._kind else ""
        return "  ".join(part for part in (found, only) if part)

    def show(self, task_id: str | None) -> None:
        """Show another task's stream, from its end, everything folded."""
        self._opened, self._seeks = {}, False
        super().show(task_id)

    def tick(self, now: datetime | None) -> None:
        """Let the ages of running calls grow; `None` when the task has ended and none runs."""
        before, self._now = self._now, now
        if before == now:
            return
        top = self.scroll_offset.y
        for line in range(top, min(self.row_count(), top + self.size.height)):
            row, part = self._folds.place(line)
            if part == 0 and self._entries.is_running(row):
                self.refresh_row(line, 0, _TIME)

    def row_count(self) -> int:
        """Return the number of lines that are held."""
        return len(self._entries.items) + self._folds.lines

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return time, mark, who, what, and a call's duration; or a line of a whole event."""
        row, part = self._folds.place(index)
        if part:
            lines = self._texts.get(row, [])
            text = lines[part - 1] if part <= len(lines) else ""
            return self._marked(self.inked((Cell("", 2), Cell(text, width - 3))))
        return self._marked(self.inked(self._cells(row, width)))

    def on_resize(self) -> None:
        """Break the lines of whole events anew."""
        super().on_resize()
        if self._opened:
            self._fold()

    def on_click(self, event: events.Click) -> None:
        """Place the cursor; a double click unfolds."""
        super().on_click(event)
        if self.cursor < self.row_count() - 1:
            self.following = False
        if event.chain == 2:
            self.action_unfold()
        self.tell()

    def move_to(self, line: int) -> None:
        """Go to a line; leaving the last one ends following."""
        if line >= self.row_count():
            self.follow()
            return
        if line < self.row_count() - 1:
            self.following = False
        super().move_to(line)
        self.tell()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keep n, N and Esc for the search while there is one."""
        del parameters
        return bool(self.needle) if action in {"next", "forget"} else True

    def search(self, text: str, *, jump: bool) -> None:
        """Mark what fits; `jump` goes to the nearest match above, else below."""
        self.needle = text.strip().lower()
        self._seeks = False
        self.refresh()
        self.tell()
        if jump and self.needle:
            here, _ = self._folds.place(self.seen_cursor())
            if not self._go(range(here, -1, -1)):
                self._go(range(here, len(self._entries.items)))

    def action_next(self, direction: int) -> None:
        """Go to the next match below or above; above, further back in the file as well."""
        here, _ = self._folds.place(self.seen_cursor())
        rows = range(here + 1, len(self._entries.items)) if direction > 0 else range(here)[::-1]
        if not self._go(rows) and direction < 0:
            self._seeks = self.see_further_back()

    def action_forget(self) -> None:
        """End the search."""
        self.search("", jump=False)

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

    def action_unfold(self) -> None:
        """Show the whole event under the cursor, or its one line again."""
        if not self._entries.items:
            return
        row, _ = self._folds.place(self.cursor)
        event = self._entries.items[row].event
        if self._opened.pop(id(event), None) is None:
            self._opened[id(event)] = event
        self.following = False
        self._fold()
        self.move_to(self._folds.line_of(row))

    def action_copy(self) -> None:
        """Copy the whole event under the cursor."""
        if self._entries.items:
            row, _ = self._folds.place(self.cursor)
            self.app.copy_to_clipboard(self._entries.items[row].text)
            self.post_message(Said("copied the event"))

    def rebuild(self) -> None:
        """Make the rows of the window anew; what was unfolded stays so."""
        self._entries = Entries(self._kind)
        for event in self.window.events:
            self._entries.add(event)
        self._fold()

    def add(self, events: list[Event]) -> None:
        """Make rows of events that came behind the window."""
        before = len(self._entries.items)
        touched = {row for event in events if (row := self._entries.add(event)) is not None}
        if self._opened:
            self._fold()
        elif len(self._entries.items) != before:
            self.rows_changed()
        for row in touched:
            self.refresh_row(self._folds.line_of(row))

    def came_before(self) -> None:
        """Go on with a search that came to the top of what was held."""
        if self._seeks:
            here, _ = self._folds.place(self.cursor)
            self._seeks = not self._go(range(here)[::-1]) and self.see_further_back()

    def _go(self, rows: range) -> bool:
        """Go to the first of these rows that fits."""
        for row in rows:
            if self.needle in self._entries.items[row].text.lower():
                self.move_to(self._folds.line_of(row))
                return True
        return False

    def _fold(self) -> None:
        """Lay out the lines of unfolded events."""
        width = max(10, self.row_width - 3)
        self._texts = {}
        if self._opened:
            for row, entry in enumerate(self._entries.items):
                if id(entry.event) in self._opened:
                    self._texts[row] = wrapped(plain(entry.text, keep_newlines=True), width)
        self._folds.set((row, len(lines)) for row, lines in self._texts.items())
        self.rows_changed()

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

    def _marked(self, segments: list[Segment]) -> list[Segment]:
        """Return a row with what is searched for marked."""
        if not self.needle:
            return segments
        style = self.get_component_rich_style("log--found", partial=True)
        marked: list[Segment] = []
        for text, ink, _ in segments:
            at = text.lower().find(self.needle)
            if at < 0 or len(text.lower()) != len(text):
                marked.append(Segment(text, ink))
                continue
            end = at + len(self.needle)
            found = style if ink is None else ink + style
            marked += [Segment(text[:at], ink), Segment(text[at:end], found)]
            marked.append(Segment(text[end:], ink))
        return marked


def _took(entry: Entry) -> str:
    if entry.end is None:
        return ""
    began, ended = parse_iso(entry.event.at), parse_iso(entry.end.at)
    return human_duration((ended - began).total_seconds()) if began and ended else ""
