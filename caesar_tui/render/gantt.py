"""A timeline as rows: a scale, bars, and the mark of a moment. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caesar_core.board.glyphs import Glyphs
from caesar_core.board.timeline import Item, ItemState, Track
from caesar_core.text import human_duration
from caesar_tui.render.cells import Cell, Ink

_INKS: Final[dict[ItemState, Ink]] = {"open": "accent", "good": "ok", "bad": "bad"}
_STEPS: Final = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30),
    *(minutes * 60 for minutes in (1, 2, 5, 10, 15, 30)),
    *(hours * 3600 for hours in (1, 2, 4, 12, 24)),
)
"""Seconds between two labels of the axis."""
_MARKS: Final = {
    "message": "speech",
    "thinking": "thinking",
    "file": "file",
    "progress": "bullet",
    "error": "warn",
    "question": "question",
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How moments become columns.

    Attributes:
        begin, end: the first and the last moment, seconds since 1970.
        width: columns.

    """

    begin: float
    end: float
    width: int

    def column(self, at: float) -> int:
        """Return the column of a moment."""
        span = max(1e-9, self.end - self.begin)
        return max(0, min(self.width - 1, int((at - self.begin) / span * self.width)))

    def moment(self, column: int) -> float:
        """Return the last moment of a column."""
        return self.begin + (self.end - self.begin) * (column + 1) / max(1, self.width)


def axis(scale: Scale, bar: str) -> str:
    """Return the line of times, counted from the beginning."""
    span = max(0.1, scale.end - scale.begin)
    step = next((s for s in _STEPS if span / s * 8 <= scale.width), _STEPS[-1])
    cells = [" "] * scale.width
    free = 0
    for number in range(int(span / step) + 1):
        moment = number * step
        label = f"{bar}{human_duration(moment).replace('.0s', 's') if moment else '0s'}"
        at = scale.column(scale.begin + moment)
        if free <= at <= scale.width - len(label):
            cells[at : at + len(label)] = label
            free = at + len(label)
    return "".join(cells)


def bar(item: Item, scale: Scale, glyphs: Glyphs, now: float) -> tuple[Cell, ...]:
    """Return blanks, a bar or a mark, and blanks, as wide as the scale in all."""
    start = scale.column(item.start)
    end = scale.column(now if item.end is None else item.end)
    length = max(1, end - start + (item.end != item.start))
    length = min(length, scale.width - start)
    is_mark = item.kind in _MARKS and item.kind != "question"
    text = getattr(glyphs, _MARKS[item.kind]) if is_mark else glyphs.bar * length
    length = 1 if is_mark else length
    ink = "dim" if item.kind in {"message", "thinking", "progress", "file"} else _INKS[item.state]
    return (
        Cell("", start),
        Cell(text, length, ink),
        Cell("", scale.width - start - length),
    )


def lane(track: Track, scale: Scale, glyphs: Glyphs, now: float) -> tuple[Cell, ...]:
    """Return all calls and questions of a task on one line."""
    inks: list[Ink] = [""] * scale.width
    for item in track.items:
        if item.kind in {"tool", "question"}:
            end = scale.column(now if item.end is None else item.end)
            for column in range(scale.column(item.start), end + 1):
                inks[column] = "bad" if inks[column] == "bad" else _INKS[item.state]
    return tuple(_runs(inks, glyphs.bar))


def scale_of(tracks: Sequence[Track], width: int, now: float) -> Scale:
    """Return the scale on which all tracks fit."""
    begins = [track.begin for track in tracks if track.begin]
    ends = [track.end if track.is_over else max(track.end, now) for track in tracks if track.begin]
    begin = min(begins, default=0.0)
    return Scale(begin, max(max(ends, default=begin), begin + 1), max(1, width))


def _runs(inks: Sequence[Ink], mark: str) -> list[Cell]:
    cells: list[Cell] = []
    start = 0
    for at in range(1, len(inks) + 1):
        if at == len(inks) or inks[at] != inks[start]:
            text = mark * (at - start) if inks[start] else ""
            cells.append(Cell(text, at - start, inks[start]))
            start = at
    return cells
