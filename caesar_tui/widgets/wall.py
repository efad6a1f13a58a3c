"""The tiles of the wall. A frame paints the lines that changed, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.message import Message

from caesar_core.board.glyphs import ASCII, UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell, Ink
from caesar_tui.render.wall import Grid, frame_ink, grid_for, tile, title
from caesar_tui.tail import Tail
from caesar_tui.widgets.line_view import LineView
from caesar_tui.widgets.safe import fit, plain

_ROUND = "╭╮╰╯─│"
_SQUARE = "++++-|"
_DOUBLE = "╔╗╚╝═║"


class Wall(LineView):
    """Shows tasks as tiles; one of them is chosen."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tiles")]

    @dataclass
    class Opened(Message):
        """A task is to be shown in full."""

        task_id: str

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._rows: Sequence[Row] = ()
        self._names: Mapping[str, str] = {}
        self._tails: Mapping[str, Tail] = {}
        self._now: datetime | None = None
        self._lines: list[tuple[Cell, ...]] = []
        self._made: dict[tuple[str, int, int, bool], list[tuple[Cell, ...]]] = {}
        self.chosen: str | None = None
        self.page = 0

    @property
    def chosen_row(self) -> Row | None:
        """The chosen task."""
        return next((row for row in self._rows if row.view.id == self.chosen), None)

    @property
    def grid(self) -> Grid:
        """How the tiles are arranged."""
        return grid_for(len(self._rows), self.size.width, self.size.height)

    def show(
        self,
        rows: Sequence[Row],
        names: Mapping[str, str],
        tails: Mapping[str, Tail],
        now: datetime,
    ) -> None:
        """Show these tasks; a tile keeps its place while its task runs."""
        order = {row.view.id: place for place, row in enumerate(self._rows)}
        rows = sorted(rows, key=lambda row: order.get(row.view.id, len(order)))
        self._rows, self._names, self._tails, self._now = rows, names, tails, now
        self._made.clear()
        ids = [row.view.id for row in rows]
        if self.chosen not in ids:
            self.chosen = ids[0] if ids else None
        self._draw()

    def row_count(self) -> int:
        """Return the lines of the screen."""
        return len(self._lines)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return one line through all tiles of a row."""
        del width
        return [Segment(cell.text, self.ink(cell.ink)) for cell in self._lines[index]]

    def on_resize(self) -> None:
        """Arrange the tiles anew."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Choose a tile; a double click opens it."""
        grid = self.grid
        column = event.x * grid.columns // max(1, self.size.width)
        row = event.y * grid.rows // max(1, self.size.height)
        self._choose(self.page * grid.size + row * grid.columns + column)
        if event.chain == 2:
            self.action_open()

    def on_mouse_scroll_down(self) -> None:
        """Go to the next page, if there is one."""
        if self.page + 1 < self.grid.pages:
            self.action_turn(1)

    def on_mouse_scroll_up(self) -> None:
        """Go to the page before, if there is one."""
        if self.page > 0:
            self.action_turn(-1)

    def action_go(self, right: int, down: int) -> None:
        """Choose the tile beside, above or below."""
        ids = [row.view.id for row in self._rows]
        if self.chosen in ids:
            self._choose(ids.index(self.chosen) + right + down * self.grid.columns)

    def action_turn(self, pages: int) -> None:
        """Go to another page."""
        grid = self.grid
        self.page = (self.page + pages) % grid.pages
        self._choose(self.page * grid.size)

    def action_open(self) -> None:
        """Show the chosen task in full."""
        if self.chosen is not None:
            self.report(self.Opened(self.chosen))

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._rows):
            self.chosen = self._rows[place].view.id
            self.page = place // self.grid.size
            self._draw()

    def _draw(self) -> None:
        before, self._lines = self._lines, self._build()
        if len(before) != len(self._lines):
            self.rows_changed()
            return
        for index, (old, new) in enumerate(zip(before, self._lines, strict=True)):
            if old != new:
                self.refresh_row(index)

    def _build(self) -> list[tuple[Cell, ...]]:
        if self._now is None or not self.size:
            return []
        grid = self.grid
        self.page = min(self.page, grid.pages - 1)
        shown = self._rows[self.page * grid.size :][: grid.size]
        width, height = self.row_width, self.size.height
        lines: list[tuple[Cell, ...]] = []
        for band in range(grid.rows):
            top, bottom = height * band // grid.rows, height * (band + 1) // grid.rows
            tiles = shown[band * grid.columns :][: grid.columns]
            parts = [
                self._tile(
                    row,
                    width * (place + 1) // grid.columns - width * place // grid.columns,
                    bottom - top,
                )
                for place, row in enumerate(tiles)
            ]
            lines += [tuple(c for part in parts for c in part[n]) for n in range(bottom - top)]
        return lines

    def _tile(self, row: Row, width: int, height: int) -> list[tuple[Cell, ...]]:
        """Return a tile, made once for all keys between two frames: they change only the choice."""
        key = (row.view.id, width, height, row.view.id == self.chosen)
        if key not in self._made:
            self._made[key] = self._make(row, width, height, is_chosen=key[-1])
        return self._made[key]

    def _make(
        self, row: Row, width: int, height: int, *, is_chosen: bool
    ) -> list[tuple[Cell, ...]]:
        assert self._now is not None
        marks = _SQUARE if self._glyphs is ASCII else _DOUBLE if is_chosen else _ROUND
        ink: Ink = "accent" if is_chosen else frame_ink(row)
        name = self._names.get(row.view.id, row.view.id)
        said = plain(title(row, name, max(1, width - 6), self._now, self._glyphs))
        fill = marks[4] * max(0, width - 5 - cell_len(said))
        top = (
            Cell(f"{marks[0]}{marks[4]} ", 3, ink),
            Cell(said, 0, "strong" if is_chosen else ""),
            Cell(f" {fill}{marks[1]}", 0, ink),
        )
        size = (max(1, width - 4), max(1, height - 2))
        tail = self._tails.get(row.view.id)
        inner = tile(row, tail.lines if tail else (), size, self._now, self._glyphs)
        rows = [self._framed(cells, marks[5], ink) for cells in inner]
        low = (Cell(f"{marks[2]}{marks[4] * (width - 2)}{marks[3]}", width, ink),)
        return [top, *rows, low][:height]

    def _framed(self, cells: tuple[Cell, ...], side: str, ink: Ink) -> tuple[Cell, ...]:
        texts = [Cell(fit(c.text, c.width, self.cut), c.width, c.ink) for c in cells]
        return (Cell(f"{side} ", 2, ink), *texts, Cell(f" {side}", 2, ink))
