"""Lines of source text: their ground, what changed within them, and their colours."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Final

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from caesar_core.repo.patch import Line
from caesar_tui.render.syntax import inks
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.safe import fit, plain

LONGEST: Final = 2_000
"""Characters of one line that are looked at; a minified file has one line of megabytes."""


def shown_line(line: Line) -> str:
    """Return what is shown of a line, harmless."""
    return plain(line.text[:LONGEST].rstrip("\r"))


class CodeLines(CursorView):
    """Draws lines of files."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff--added",
        "diff--removed",
        "diff--mark-added",
        "diff--mark-removed",
    }

    def code(
        self,
        line: Line,
        width: int,
        part: int | None = None,
        span: tuple[int, int] | None = None,
        name: str = "",
    ) -> list[Segment]:
        """Return a line's text on `width` cells.

        Args:
            part: which piece of the broken line; `None` cuts it instead.
            span: the characters that changed.
            name: the file's name, for the colours.

        """
        whole = shown_line(line)
        text, at = (fit(whole, width, self.cut), 0) if part is None else _piece(whole, width, part)
        ground = self.ground(line)
        cuts = {0, len(text)}
        coloured = [(s - at, e - at, ink) for s, e, ink in (inks(whole, name) if name else ())]
        changed = (0, 0) if span is None else (span[0] - at, span[1] - at)
        for start, end in (*((s, e) for s, e, _ in coloured), changed):
            cuts |= {max(0, min(start, len(text))), max(0, min(end, len(text)))}
        mark = self.get_component_rich_style(f"diff--mark-{line.kind}") if span else ground
        parts: list[Segment] = []
        left = width
        for start, end in pairwise(sorted(cuts)):
            style = mark if changed[0] <= start < changed[1] else ground
            ink = next((ink for s, e, ink in coloured if s <= start < e), "")
            if ink and style is ground:
                style = ground + self.ink(ink)
            parts.append(Segment(text[start:end], style))
            left -= cell_len(text[start:end])
        return [*parts, Segment(" " * left, ground)] if left else parts

    def ground(self, line: Line) -> Style:
        """Return what a line stands on."""
        if line.kind == "context":
            return Style.null()
        return self.get_component_rich_style(f"diff--{line.kind}")


def _piece(text: str, width: int, part: int) -> tuple[str, int]:
    """Return a piece of a line and where it begins."""
    if text.isascii():
        return text[part * width : (part + 1) * width], part * width
    pieces = chop_cells(text, width)
    at = sum(map(len, pieces[:part]))
    return (pieces[part] if part < len(pieces) else ""), at
