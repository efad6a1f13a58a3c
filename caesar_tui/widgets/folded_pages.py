"""What stream and raw log have in common: long rows unfold, and both can be searched."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import ClassVar, Final, TypeAlias

from rich.segment import Segment
from textual import events
from textual.binding import BindingType

from caesar_core.board.raw_window import RawWindow
from caesar_core.board.window import EventWindow
from caesar_tui.keymap import bindings
from caesar_tui.messages import PageRead, Said
from caesar_tui.render.cells import Cell
from caesar_tui.render.stream_rows import Unfolded, wrapped
from caesar_tui.widgets.event_pages import EventPages
from caesar_tui.widgets.safe import plain

ROWS_AT_ONCE: Final = 500
"""How many rows a search looks at before it lets keys and frames come between."""
_SEARCH: Final = "search"
_Way: TypeAlias = tuple[Callable[[], Iterable[int]], Callable[[], object]]
"""Which rows to look at, seen from the current one, and what to do when none fits."""


class FoldedPages(EventPages):
    """Rows of one line each; Enter shows the whole of one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--found"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("stream")]

    def __init__(self, window: EventWindow | RawWindow, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(window, id=id)
        self.needle = ""
        self.folds = Unfolded()
        self._opened: dict[int, object] = {}
        self._texts: dict[int, list[str]] = {}
        self._seeks = 0
        self._turns = False
        self._way: _Way | None = None

    @abstractmethod
    def row_total(self) -> int:
        """Return the number of rows, each counted once."""

    @abstractmethod
    def row_key(self, row: int) -> object:
        """Return what a row stands for: the same object as long as it is held."""

    @abstractmethod
    def row_text(self, row: int) -> str:
        """Return everything that a row says, with its newlines."""

    @abstractmethod
    def first_line(self, row: int, width: int) -> list[Segment]:
        """Return the one line that a folded row is."""

    @property
    def note(self) -> str:
        """What is searched for."""
        return f"/{self.needle}" if self.needle else ""

    def show(self, task_id: str | None) -> None:
        """Show another task's, from its end, everything folded."""
        self._opened, self._seeks = {}, 0
        self._stand()
        super().show(task_id)

    def row_count(self) -> int:
        """Return the number of lines that are held."""
        return self.row_total() + self.folds.lines

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a folded row, or a line of a whole one."""
        row, part = self.folds.place(index)
        if not part:
            return self._marked(self.first_line(row, width))
        lines = self._texts.get(row, [])
        text = lines[part - 1] if part <= len(lines) else ""
        return self._marked(self.inked((Cell("", 2), Cell(text, width - 3))))

    def on_resize(self) -> None:
        """Break the lines of whole rows anew."""
        super().on_resize()
        if self._opened:
            self.fold()

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
        self._seeks = 0
        self.refresh()
        self.tell()
        if jump and self.needle:
            self._look(self._around, self._seek_both)

    def action_next(self, direction: int) -> None:
        """Go to the next match below or above, in what is not read yet as well."""
        self._look(partial(self._beyond, direction), partial(self._seek, direction))

    def action_forget(self) -> None:
        """End the search."""
        self.search("", jump=False)

    def action_unfold(self) -> None:
        """Show the whole row under the cursor, or its one line again."""
        if not self.row_total():
            return
        row, _ = self.folds.place(self.cursor)
        key = self.row_key(row)
        if self._opened.pop(id(key), None) is None:
            self._opened[id(key)] = key
        self.following = False
        self.fold()
        self.move_to(self.folds.line_of(row))

    def action_copy(self) -> None:
        """Copy the whole row under the cursor."""
        if self.row_total():
            row, _ = self.folds.place(self.cursor)
            self.app.copy_to_clipboard(plain(self.row_text(row), keep_newlines=True))
            self.report(Said("copied"))

    def came(self, direction: int) -> None:
        """Go on with a search that came to the edge of what was held."""
        if self._seeks != direction:
            return
        self._seeks = 0
        self._look(partial(self._beyond, direction), partial(self._seek_on, direction))

    def take(self, page: PageRead) -> None:
        """Take bytes; where they give the rows other places, a search begins anew from there."""
        start, way = self.window.start, self._way
        super().take(page)
        if way is not None and way is self._way and self.window.start != start:
            self._look(*way)

    def fold(self) -> None:
        """Lay out the lines of whole rows."""
        width = max(10, self.row_width - 3)
        self._texts = {}
        if self._opened:
            for row in range(self.row_total()):
                if id(self.row_key(row)) in self._opened:
                    text = plain(self.row_text(row), keep_newlines=True)
                    self._texts[row] = wrapped(text, width)
        self.folds.set((row, len(lines)) for row, lines in self._texts.items())
        self.rows_changed()

    def rows_added(self, before: int, touched: set[int]) -> None:
        """Take over rows that came behind `before` others, and paint those that changed."""
        if self._opened:
            self.fold()
        elif self.row_total() != before:
            self.rows_changed()
        for row in touched:
            self.refresh_row(self.folds.line_of(row))

    def _beyond(self, direction: int) -> range:
        """Return the rows below or above the current one."""
        here, _ = self.folds.place(self.cursor)
        return range(here + 1, self.row_total()) if direction > 0 else range(here)[::-1]

    def _seek(self, direction: int) -> bool:
        """Read on in order to find it there; whether there is anything to read."""
        more = self.see_further_back() if direction < 0 else self.see_further_on()
        self._seeks = direction if more else 0
        return more

    def _seek_both(self) -> None:
        self._turns = self._seek(-1)
        _ = self._turns or self._seek(1)

    def _seek_on(self, direction: int) -> None:
        if not self._seek(direction) and self._turns:
            self._turns = False
            self._seek(-direction)

    def _around(self) -> Iterable[int]:
        """Return the current row, those above it, and those below."""
        here, _ = self.folds.place(self.seen_cursor())
        return chain(range(here, -1, -1), range(here, self.row_total()))

    def _look(self, rows: Callable[[], Iterable[int]], missed: Callable[[], object]) -> None:
        """Go to the first of these rows that fits; else call `missed`.

        A long way is gone in pieces, so that keys and frames come between.
        """
        self._stand()
        way = iter(rows())
        if not self._has_looked(way, missed):
            self._way = (rows, missed)
            self.run_worker(self._walk(way, missed), group=_SEARCH, exit_on_error=False)

    def _stand(self) -> None:
        """Look no further."""
        self._way = None
        self.workers.cancel_group(self, _SEARCH)

    async def _walk(self, way: Iterator[int], missed: Callable[[], object]) -> None:
        is_over = False
        while not is_over:
            await asyncio.sleep(0)
            is_over = self._has_looked(way, missed)

    def _has_looked(self, way: Iterator[int], missed: Callable[[], object]) -> bool:
        """Look at the next rows of a way; whether it has come to an end."""
        for _ in range(ROWS_AT_ONCE):
            row = next(way, None)
            if row is None:
                self._way = None
                missed()
                return True
            if self.needle in self.row_text(row).lower():
                self._way = None
                self.move_to(self.folds.line_of(row))
                return True
        return False

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
