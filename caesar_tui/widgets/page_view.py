"""A page of text: paragraphs broken to the width, drawn when they are seen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.render.cells import Cell, Ink
from caesar_tui.render.page import PageLine
from caesar_tui.render.stream_rows import wrapped
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.safe import plain

LONGEST = 20_000
"""Characters of one paragraph that are shown."""


class PageView(CursorView):
    """Shows the lines of a page. The place is kept when the same page comes again."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cut = glyphs.cut
        self._page: Sequence[PageLine] = ()
        self._lines: list[tuple[Cell, ...]] = []

    def show(self, page: Sequence[PageLine], *, anew: bool = False) -> None:
        """Show a page; `anew`: from its beginning."""
        if page != self._page:
            self._page = page
            self._break()
        if anew:
            self.cursor = 0
            self.scroll_home(animate=False)

    def row_count(self) -> int:
        """Return the number of lines."""
        return len(self._lines)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a line."""
        del width
        return self.inked(self._lines[index])

    def on_resize(self) -> None:
        """Break the paragraphs anew."""
        self._break()

    def _break(self) -> None:
        width = max(20, self.row_width)
        self._lines = [cells for line in self._page for cells in _cells(line, width)]
        self.cursor = min(self.cursor, max(0, len(self._lines) - 1))
        self.rows_changed()


def _cells(line: PageLine, width: int) -> list[tuple[Cell, ...]]:
    head = plain(line.head)
    before = line.indent + cell_len(head)
    room = max(8, width - before)
    parts = wrapped(plain(line.text[:LONGEST]), room)
    return [
        _row(line.indent, head if not at else " " * cell_len(head), part, line, room)
        for at, part in enumerate(parts)
    ]


def _row(indent: int, head: str, text: str, line: PageLine, room: int) -> tuple[Cell, ...]:
    """Return indent, head and text; `LineView.inked` puts one blank between two cells."""
    left = f"{' ' * indent}{head}"
    ink: Ink = line.head_ink
    if not left:
        return (Cell(text, room, line.ink),)
    return (
        Cell(left.removesuffix(" "), max(1, len(left) - 1), ink),
        Cell(text, room, line.ink),
    )
