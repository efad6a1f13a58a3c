"""The live stream of one task: virtual, bounded, following its end until a person scrolls away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.lines import EventLine, event_line
from caesar_core.board.window import EventWindow
from caesar_core.clock import parse_iso
from caesar_core.protocol.event import Event, ToolUse
from caesar_core.text import human_duration
from caesar_tui.messages import PageRead, PageWanted
from caesar_tui.render.cells import Cell, Ink
from caesar_tui.widgets.line_view import LineView

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


class EventLog(LineView):
    """Shows the events of one task. Asks for bytes with `PageWanted`, is given `PageRead`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", show=False),
        Binding("j", "scroll_down", show=False),
    ]

    @dataclass
    class Moved(Message):
        """Whether the end is followed, and how many events came since it is not."""

        following: bool
        unseen: int

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._task_id: str | None = None
        self._window = EventWindow()
        self._rows: list[Event] = []
        self._row_of: dict[str, int] = {}
        self._ends: dict[str, Event] = {}
        self._known = 0
        self._asked = False
        self._unseen = 0
        self._told = (True, 0)

    @property
    def following(self) -> bool:
        """Whether new events scroll into view."""
        return not self._anchor_released

    def show(self, task_id: str | None) -> None:
        """Show another task's stream, from its end."""
        self._task_id, self._known, self._asked = task_id, 0, False
        self._window.reset()
        self._rebuild()
        self.follow()
        if task_id is not None:
            self._ask(PageWanted(task_id, "end"))

    def grown(self, size: int, *, reset: bool) -> None:
        """Hear that the stream has more: up to the offset `size`."""
        if reset:
            self.show(self._task_id)
            return
        self._known = max(self._known, size)
        self._ask_for_more()

    def take(self, page: PageRead) -> None:
        """Take the bytes that were asked for."""
        if page.task_id != self._task_id:
            return
        self._asked = False
        self._known = max(self._known, page.size) if page.edge != "end" else page.size
        if page.edge == "before":
            self._take_before(page)
            return
        if page.edge == "end":
            self._window.reset(page.start + len(page.data))
            self._window.prepend(page.data)
            self._rebuild()
        elif page.start == self._window.end and page.data:
            self._take_after(page)
        if page.data:
            self._ask_for_more()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._unseen = 0
        self._anchor_released = False
        self.anchor()
        if self._task_id is not None and self._known > self._window.end:
            self._ask(PageWanted(self._task_id, "end"))
        self._tell()

    def row_count(self) -> int:
        """Return the number of rows that are held."""
        return len(self._rows)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return time, mark, who, what, and a call's duration."""
        event = self._rows[index]
        end = self._ends.get(event.body.id) if isinstance(event.body, ToolUse) else None
        line, took = event_line(end or event), _took(event, end)
        text = line.text if end is None else event_line(event).text or line.text
        label = event_line(event).label if end is not None else line.label
        return self.inked(self._cells(line, label, text, took, width))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """See further back when the top comes near, and whether the end is left or reached."""
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value and new_value < self.size.height and not self._window.is_complete:
            start, end = self._window.page_before()
            if self._task_id is not None:
                self._ask(PageWanted(self._task_id, "before", start, end))
        if new_value >= self.max_scroll_y:
            self._unseen = 0
        self._tell()

    def _cells(
        self, line: EventLine, label: str, text: str, took: str, width: int
    ) -> tuple[Cell, ...]:
        mark = Cell(getattr(self._glyphs, line.mark), 1, _INKS.get(line.mark, ""))
        narrow = width < 60
        head = (mark,) if narrow else (Cell(line.time, 8, "dim"), mark)
        who = Cell(label, 8, "dim")
        tail = (Cell(took, len(took), "dim"),) if took else ()
        room = width - sum(cell.width + 1 for cell in (*head, who, *tail))
        return (*head, who, Cell(text, max(1, room), _TEXT_INKS.get(line.mark, "")), *tail)

    def _take_before(self, page: PageRead) -> None:
        rows, top = len(self._rows), self.scroll_offset.y
        if not self._window.prepend(page.data):
            return
        self._rebuild()
        self.scroll_to(y=top + len(self._rows) - rows, animate=False)

    def _take_after(self, page: PageRead) -> None:
        held = len(self._window)
        gone = self._window.append(page.data)
        if gone:
            rows, top = len(self._rows), self.scroll_offset.y
            self._rebuild()
            if not self.following:
                self.scroll_to(y=max(0, top + len(self._rows) - rows), animate=False)
            return
        fresh = self._window.events[held:]
        if not self.following:
            self._unseen += len(fresh)
        touched = [self._add(event) for event in fresh]
        if self.virtual_size.height != len(self._rows):
            self.rows_changed()
        else:
            for index in touched:
                self.refresh_row(index)
        self._tell()

    def _rebuild(self) -> None:
        self._rows, self._row_of, self._ends = [], {}, {}
        for event in self._window.events:
            self._add(event)
        self.rows_changed()

    def _add(self, event: Event) -> int:
        """Give an event its row: the end of a call goes into the row of its start."""
        body = event.body
        if isinstance(body, ToolUse) and body.id:
            known = self._row_of.get(body.id)
            if body.status != "started" and known is not None:
                self._ends[body.id] = event
                return known
            self._row_of[body.id] = len(self._rows)
        self._rows.append(event)
        return len(self._rows) - 1

    def _ask_for_more(self) -> None:
        if self._task_id is not None and self._window.end < self._known:
            self._ask(PageWanted(self._task_id, "after", *self._window.page_after(self._known)))

    def _ask(self, wanted: PageWanted) -> None:
        if not self._asked or wanted.edge == "end":
            self._asked = True
            self.post_message(wanted)

    def _tell(self) -> None:
        state = (self.following, self._unseen)
        if state != self._told:
            self._told = state
            self.post_message(self.Moved(*state))


def _took(start: Event, end: Event | None) -> str:
    if end is None or end is start:
        return ""
    began, ended = parse_iso(start.at), parse_iso(end.at)
    return human_duration((ended - began).total_seconds()) if began and ended else ""
