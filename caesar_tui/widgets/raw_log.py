"""What the agent's process wrote, byte for byte, made visible."""

from __future__ import annotations

from typing import Any

from rich.segment import Segment

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.raw_window import RawWindow
from caesar_tui.render.cells import Cell
from caesar_tui.widgets.folded_pages import FoldedPages


class RawLog(FoldedPages):
    """Shows `raw.log` of one task, in pieces, from its end."""

    source = "raw"

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(RawWindow(), id=id)
        self.cut = glyphs.cut

    def row_total(self) -> int:
        """Return the number of lines that are held."""
        return len(self.window)

    def row_key(self, row: int) -> object:
        """Return the line itself."""
        return self.window.events[row]

    def row_text(self, row: int) -> str:
        """Return a whole line."""
        return str(self.window.events[row])

    def first_line(self, row: int, width: int) -> list[Segment]:
        """Return as much of a line as there is room for."""
        return self.inked((Cell(self.row_text(row), width),))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Bytes have no kinds."""
        return action != "kinds" and super().check_action(action, parameters)

    def rebuild(self) -> None:
        """Lay the lines out anew."""
        self.fold()

    def add(self, events: list[Any]) -> None:
        """Take over lines that came; the one before them may have grown."""
        total = self.row_total()
        self.rows_added(total - len(events), set(range(max(0, total - len(events) - 1), total)))
