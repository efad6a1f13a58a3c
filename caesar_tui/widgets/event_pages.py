"""How a stream's pane comes by its events: page by page, from the end, bounded."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from textual.message import Message

from caesar_core.board.raw_window import RawWindow
from caesar_core.board.window import HIGH_WATER, PAGE_BYTES, EventWindow
from caesar_tui.messages import PageRead, PageWanted, Source
from caesar_tui.widgets.cursor_view import CursorView

_FULL = HIGH_WATER - 2_000


class EventPages(CursorView):
    """Holds a window of a stream. Asks for bytes with `PageWanted`, is given `PageRead`."""

    source: Source = "stream"

    class Moved(Message):
        """Whether the end is followed, how many events came since, or what is shown, changed."""

    def __init__(self, window: EventWindow | RawWindow, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.task_id: str | None = None
        self.window = window
        self.unseen = 0
        self.following = True
        self._known = 0
        self._asked = False
        self._told: tuple[bool, int, str] = (True, 0, "")

    @property
    def note(self) -> str:
        """What is searched for, and what is left out."""
        return ""

    @property
    def is_reading(self) -> bool:
        """Whether bytes are under way."""
        return self._asked

    def show(self, task_id: str | None) -> None:
        """Show another task's stream, from its end."""
        self.task_id, self._known, self._asked = task_id, 0, False
        self.window.reset()
        self.rebuild()
        self.follow()
        if task_id is not None:
            self._ask(PageWanted(task_id, "end", source=self.source))

    def grown(self, size: int, *, reset: bool) -> None:
        """Hear that the stream has more: up to the offset `size`."""
        if reset:
            self.show(self.task_id)
            return
        self._known = max(self._known, size)
        self._ask_for_more()

    def look_for_more(self) -> None:
        """Ask for what came behind the window, however much it is."""
        if self.task_id is not None and self.following:
            start = self.window.end
            self._ask(PageWanted(self.task_id, "after", start, start + PAGE_BYTES, self.source))

    def take(self, page: PageRead) -> None:
        """Take the bytes that were asked for."""
        if (page.task_id, page.source) != (self.task_id, self.source):
            return
        self._asked = False
        self._known = max(self._known, page.size) if page.edge != "end" else page.size
        if page.edge == "before":
            self._take_before(page)
            return
        if page.edge == "end":
            self.window.reset(page.start + len(page.data))
            self.window.prepend(page.data)
            self.rebuild()
        elif page.start == self.window.end and page.data:
            self._take_after(page)
        if page.data:
            self._ask_for_more()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.unseen, self.following = 0, True
        self._to_the_end()
        if self.task_id is not None and self._known > self.window.end:
            self._ask(PageWanted(self.task_id, "end", source=self.source))
        self.tell()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """See further back when the top comes near, and whether the end is left or reached."""
        super().watch_scroll_y(old_value, new_value)
        if new_value >= self.max_scroll_y:
            if new_value > old_value:
                self.unseen, self.following = 0, True
                self._ask_for_more()
        elif new_value < old_value:
            self.following = False
            if new_value < self.size.height:
                self.see_further_back()
        self.tell()

    def rows_changed(self) -> None:
        """Take over a new number of rows; the end stays in view when it is followed."""
        follows = self.following
        super().rows_changed()
        if follows:
            self._to_the_end()

    def on_resize(self) -> None:
        """Keep the end in view when it is followed."""
        if self.following:
            self._to_the_end()

    def see_further_back(self) -> bool:
        """Ask for what lies before; whether there is anything."""
        if self.window.is_complete or self.task_id is None:
            return False
        start, end = self.window.page_before()
        self._ask(PageWanted(self.task_id, "before", start, end, self.source))
        return True

    def see_further_on(self) -> bool:
        """Ask for what comes behind; whether there is anything."""
        if self.task_id is None or self.window.end >= self._known:
            return False
        start, end = self.window.page_after(self._known)
        self._ask(PageWanted(self.task_id, "after", start, end, self.source))
        return True

    def tell(self) -> None:
        """Say what is new about where the view stands."""
        state = (self.following, self.unseen, self.note)
        if state != self._told:
            self._told = state
            self.report(self.Moved())

    @abstractmethod
    def rebuild(self) -> None:
        """Make the rows of the window anew."""

    @abstractmethod
    def add(self, events: list[Any]) -> None:
        """Make rows of events that came behind the window."""

    def came(self, direction: int) -> None:
        """Hear that the window reaches further back (-1) or further on (1)."""

    def _take_before(self, page: PageRead) -> None:
        rows, top = self.row_count(), self.scroll_offset.y
        if self.window.prepend(page.data):
            self.rebuild()
            more = self.row_count() - rows
            self.cursor += more
            self.scroll_to(y=top + more, animate=False, force=True)
        self.came(-1)

    def _take_after(self, page: PageRead) -> None:
        held = len(self.window)
        gone = self.window.append(page.data)
        fresh = self.window.events[max(0, held - gone) :]
        if not self.following:
            self.unseen += len(fresh)
        if gone:
            rows, top = self.row_count(), self.scroll_offset.y
            self.rebuild()
            if not self.following:
                self.cursor += self.row_count() - rows
                self.scroll_to(y=max(0, top + self.row_count() - rows), animate=False, force=True)
        else:
            self.add(fresh)
        self.tell()
        self.came(1)

    def _to_the_end(self) -> None:
        self.following = True
        self.cursor = self.row_count() - 1
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def _ask_for_more(self) -> None:
        """Ask for what came behind the window, unless that would take away what is looked at."""
        is_kept = not self.following and len(self.window) > _FULL
        if is_kept and self.scroll_offset.y < self.max_scroll_y:
            return
        self.see_further_on()

    def _ask(self, wanted: PageWanted) -> None:
        if not self._asked or wanted.edge == "end":
            self._asked = True
            self.report(wanted)
