"""One file of several contestants side by side, aligned on the base's lines, scrolled together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import BindingType
from textual.message import Message

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.repo.patch import PatchFile
from caesar_tui.keymap import bindings
from caesar_tui.render.align import AlignedCell, AlignedRow, aligned
from caesar_tui.widgets.code_lines import CodeLines
from caesar_tui.widgets.safe import fit

MOST: Final = 4
LEAST: Final = 34
_MARKS: Final = {"added": "+", "removed": "-", "context": " "}


class ComparePane(CodeLines):
    """Two to four columns; Space picks the hunk under the cursor from the focused one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--absent", "diff--file", "diff--place"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare")]

    @dataclass
    class Taken(Message):
        """A hunk of the focused contestant was picked, or let go."""

        hunk: int

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._path = ""
        self._titles: Sequence[str] = ()
        self._rows: list[AlignedRow] = []
        self._focused = 0
        self._picked: Sequence[Collection[int]] = ()

    def show(self, path: str, titles: Sequence[str], files: Sequence[PatchFile | None]) -> None:
        """Show another file."""
        anew = path != self._path
        self._path, self._titles = path, titles
        self._rows = aligned(files)
        self.rows_changed()
        if anew:
            self.cursor = 0
            self.scroll_home(animate=False)

    def mark(self, focused: int, picked: Sequence[Collection[int]]) -> None:
        """Say which column has the focus, and which hunks of each are picked."""
        if (focused, picked) != (self._focused, self._picked):
            self._focused, self._picked = focused, picked
            self.refresh()

    @property
    def columns(self) -> range:
        """The places of the contestants that are shown."""
        shown = max(1, min(MOST, len(self._titles), self.size.width // LEAST))
        first = max(0, min(self._focused - shown // 2, len(self._titles) - shown))
        return range(first, first + shown)

    def row_count(self) -> int:
        """Return the rows, and the line of names."""
        return len(self._rows) + 1 if self._titles else 0

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return the names, or one line of each."""
        columns = self.columns
        room = width // max(1, len(columns))
        widths = [room] * (len(columns) - 1) + [width - room * (len(columns) - 1)]
        parts: list[Segment] = []
        for place, cells in zip(columns, widths, strict=True):
            gap = cells != widths[-1] or place != columns[-1]
            parts += self._column(index, place, cells - gap)
            parts += [Segment(" ")] * gap
        return parts

    def action_pick(self) -> None:
        """Pick the hunk under the cursor, or let it go."""
        if 0 < self.cursor <= len(self._rows):
            cells = self._rows[self.cursor - 1].cells
            hunk = cells[self._focused].hunk if cells else 0
            if hunk:
                self.report(self.Taken(hunk))

    def _column(self, index: int, place: int, width: int) -> list[Segment]:
        if not index:
            name = "diff--place" if place == self._focused else "diff--file"
            text = fit(f"{place + 1} {self._titles[place]}", width, self.cut)
            return [Segment(text, self.get_component_rich_style(name))]
        row = self._rows[index - 1]
        if not row.cells:
            return [Segment(fit(self._glyphs.bullet * 3, width), self.ink("dim"))]
        return self._line(row, row.cells[place], place, width)

    def _line(self, row: AlignedRow, cell: AlignedCell, place: int, width: int) -> list[Segment]:
        if cell.line is None:
            return [Segment(" " * width, self.get_component_rich_style("diff--absent"))]
        taken = place < len(self._picked) and cell.hunk in self._picked[place]
        mark = self._glyphs.done if taken and cell.hunk else " "
        number = f"{mark}{row.base_no or '':>5} "
        sign = _MARKS[cell.line.kind]
        ground = self.ground(cell.line)
        body = self.code(cell.line, max(1, width - 8), name=self._path)
        head = Segment(number, self.ink("accent" if mark != " " else "dim"))
        return [head, Segment(sign, ground), *body]
