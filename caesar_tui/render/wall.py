"""Many tasks at once, as tiles: a frame, what each does, its last lines, its question. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.cells import cell_len

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import Glyphs
from caesar_core.board.lines import EventLine
from caesar_core.board.order import Row
from caesar_core.board.views import QuestionView
from caesar_core.text import fit, one_line
from caesar_tui.render.cells import Cell, Ink, size_text
from caesar_tui.render.questions import closing
from caesar_tui.render.task_row import ink_of, time_of

MAX_TILES: Final = 12
LEAST_WIDTH: Final = 36
LEAST_HEIGHT: Final = 6
Line = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """How many tiles stand beside and below each other, and on how many pages."""

    columns: int
    rows: int
    pages: int

    @property
    def size(self) -> int:
        """Tiles on a page."""
        return self.columns * self.rows


def grid_for(count: int, width: int, height: int) -> Grid:
    """Return the arrangement with the largest tiles that shows as many as can be read."""
    widest = max(1, width // LEAST_WIDTH)
    tallest = max(1, height // LEAST_HEIGHT)
    wanted = max(1, min(count, MAX_TILES, widest * tallest))
    columns = min(
        widest, wanted, 1 if wanted == 1 else 2 if wanted <= 4 else 3 if wanted <= 9 else 4
    )
    while columns < widest and -(-wanted // columns) > tallest:
        columns += 1
    rows = min(tallest, -(-wanted // columns))
    return Grid(columns, rows, max(1, -(-count // (columns * rows))))


def tile(
    row: Row, tail: Sequence[EventLine], size: tuple[int, int], now: datetime, glyphs: Glyphs
) -> list[Line]:
    """Return the lines within a tile's frame, `size` wide and high."""
    width, height = size
    asked = row.view.open_questions
    lines: list[Line] = [_does(row, width, now)]
    below = _question(asked[0], width, now, glyphs) if asked else []
    room = max(0, height - len(lines) - len(below))
    shown = list(tail)[-room:] if room else []
    lines += [(Cell(line.plain(glyphs), width, "dim"),) for line in shown]
    lines += [(Cell("", width),)] * (height - len(lines) - len(below))
    return (lines + below)[:height]


def title(row: Row, name: str, width: int, now: datetime, glyphs: Glyphs) -> str:
    """Return what stands in the frame: mark, id, agent, size and time."""
    facts = row.view.facts
    size = size_text(facts.insertions, facts.deletions, glyphs.minus)
    parts = (
        row.standing.mark(glyphs),
        name,
        facts.agent,
        row.standing.word,
        size,
        time_of(row, now),
    )
    text = " ".join(one_line(part, 40) for part in parts if part)
    return fit(text, width).rstrip().replace("…", glyphs.cut) if cell_len(text) > width else text


def frame_ink(row: Row) -> Ink:
    """Return the colour of a tile's frame."""
    return ink_of(row.standing.state)


def _does(row: Row, width: int, now: datetime) -> Line:
    return (Cell(activity(row.view, now).text, width, "strong"),)


def _question(asked: QuestionView, width: int, now: datetime, glyphs: Glyphs) -> list[Line]:
    head = f"{glyphs.question} {closing(asked.closes_at, now)}"
    options = "  ".join(f"({n}) {one_line(o, 30)}" for n, o in enumerate(asked.options[:9], 1))
    lines: list[Line] = [(Cell(head, width, "accent"),), (Cell(one_line(asked.question), width),)]
    return [*lines, (Cell(options, width, "accent"),)] if options else lines
