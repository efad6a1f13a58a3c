"""The files that a task changed: action, size, and what to look at twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import BindingType
from textual.message import Message

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.keymap import bindings
from caesar_tui.messages import Listed
from caesar_tui.render.cells import Cell, Ink, size_text
from caesar_tui.widgets.cursor_view import CursorView

LETTERS: Final[dict[str, tuple[str, Ink]]] = {
    "created": ("A", "ok"),
    "modified": ("M", ""),
    "deleted": ("D", "bad"),
    "renamed": ("R", "accent"),
}


class FileList(CursorView):
    """A line for each file; the one under the cursor is shown in the diff."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("files")]

    @dataclass
    class Picked(Message):
        """A file was chosen; `opened`: to be read."""

        path: str
        opened: bool = False

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._files: Sequence[Listed] = ()

    def show(self, files: Sequence[Listed]) -> None:
        """Show other files."""
        if not files and not self._files:
            return
        self._files = files
        self.cursor = 0
        self.rows_changed()
        self.refresh(layout=True)

    def row_count(self) -> int:
        """Return the number of files."""
        return len(self._files)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return letter, name, flags and size."""
        file = self._files[index]
        letter, ink = LETTERS.get(file.action, ("?", ""))
        size = size_text(file.insertions, file.deletions, self._glyphs.minus)
        flags = "  ".join(flag.replace("_", " ") for flag in file.flags)
        tail = [Cell(flags, min(cell_len(flags), width // 2), "warn")] if flags else []
        tail += [Cell(size, len(size), "dim")] if size else []
        room = max(1, width - 2 - sum(cell.width + 1 for cell in tail))
        return self.inked((Cell(letter, 1, ink), Cell(file.path, room), *tail))

    def watch_cursor(self, before: int, after: int) -> None:
        """Show the file under the cursor."""
        super().watch_cursor(before, after)
        if self.has_focus and before != after:
            self._pick()

    def action_open(self) -> None:
        """Read the file under the cursor."""
        self._pick(opened=True)

    def _pick(self, *, opened: bool = False) -> None:
        if self._files:
            path = self._files[self.cursor].path.rpartition(" → ")[2]
            self.report(self.Picked(path, opened))
