"""How wide the columns of the list are: what their content needs, the rest is for the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from caesar_core.board.glyphs import Glyphs
from caesar_core.board.order import Row
from caesar_tui.render.cells import size_text

AGE_WIDTH: Final = 5
MAX_AGENT: Final = 14
_ROOMY: Final = 44
_WIDE: Final = 64
_WORDS: Final = 14


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths in cells; 0 leaves a column out.

    Attributes:
        width: of the whole row.
        age: the figure at the row's beginning.
        size: of a diff.
        time: how long the task takes or took; without it the age of an ended task says so.

    """

    width: int
    age: int
    agent: int
    size: int
    time: int


def columns(rows: Sequence[Row], width: int, glyphs: Glyphs) -> Columns:
    """Return the columns for these rows on `width` cells."""
    needed = max((cell_len(row.view.facts.agent[:MAX_AGENT]) for row in rows), default=0)
    agent = min(needed, MAX_AGENT, max(6, width // 4)) if width >= 34 else 0
    age = AGE_WIDTH if width >= _ROOMY else 0
    time = 5 if width >= _WIDE else 0
    size = max((cell_len(size_of(row, glyphs)) for row in rows), default=0)
    taken = sum(column + 1 for column in (1, 6, age, agent, time, size) if column)
    return Columns(width, age, agent, size if width - taken >= _WORDS else 0, time)


def size_of(row: Row, glyphs: Glyphs) -> str:
    """Return the size of a task's diff."""
    return size_text(row.view.facts.insertions, row.view.facts.deletions, glyphs.minus)
