"""Who did what to which file: a row for each file, a column for each contestant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.race import CellView
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell, Ink, size_text
from caesar_tui.widgets.cursor_view import CursorView

_COLUMN: Final = 13


class FileMatrix(CursorView):
    """The file under the cursor is shown in the panes."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("matrix")]

    @dataclass
    class Picked(Message):
        """Another file was chosen."""

        path: str

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._matrix: Mapping[str, Mapping[str, CellView]] = {}
        self._paths: Sequence[str] = ()
        self._field: Sequence[str] = ()
        self._picked: frozenset[tuple[str, str]] = frozenset()

    @property
    def path(self) -> str:
        """The file under the cursor; empty when there is none."""
        return self._paths[self.cursor] if self._paths else ""

    def show(
        self,
        matrix: Mapping[str, Mapping[str, CellView]],
        field: Sequence[str],
        picked: frozenset[tuple[str, str]],
    ) -> None:
        """Show who did what; `picked` are pairs of a task and a path."""
        before = self.path
        self._matrix, self._field, self._picked = matrix, field, picked
        self._paths = list(matrix)
        if before in self._paths:
            self.cursor = self._paths.index(before)
        self.rows_changed()
        self.refresh(layout=True)

    def head(self, names: Sequence[str]) -> Content:
        """Return the line above: the contestants' names, each over its column."""
        room, count = self._columns(self.row_width)
        cells = [Cell(name, _COLUMN, "dim", right=True) for name in names[:count]]
        return Content("".join(part.text for part in self.inked((Cell("", room), *cells))))

    def row_count(self) -> int:
        """Return the number of files."""
        return len(self._paths)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return the name, and a cell for each contestant."""
        path = self._paths[index]
        room, count = self._columns(width)
        cells = [self._cell(task_id, path) for task_id in self._field[:count]]
        return self.inked((Cell(path, room), *cells))

    def _columns(self, width: int) -> tuple[int, int]:
        """Return the cells for a path, and how many contestants have room beside it."""
        count = max(1, min(len(self._field), (width - 20) // (_COLUMN + 1)))
        return max(8, width - count * (_COLUMN + 1)), count

    def watch_cursor(self, before: int, after: int) -> None:
        """Show the file under the cursor."""
        super().watch_cursor(before, after)
        if before != after and self._paths:
            self.report(self.Picked(self.path))

    def _cell(self, task_id: str, path: str) -> Cell:
        cell = self._matrix[path].get(task_id)
        if cell is None:
            return Cell(self._glyphs.bullet, _COLUMN, "dim", right=True)
        size = size_text(cell.insertions, cell.deletions, self._glyphs.minus) or cell.action
        same = "= " if cell.same_as else ""
        mark = f"{self._glyphs.done} " if (task_id, path) in self._picked else ""
        ink: Ink = "accent" if mark else "dim" if same else ""
        return Cell(f"{mark}{same}{size}", _COLUMN, ink, right=True)
