"""A task as a row of the board."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import Glyphs
from caesar_core.board.order import Row
from caesar_core.board.standing import Group, State, elapsed_ms
from caesar_core.clock import parse_iso
from caesar_core.text import one_line
from caesar_tui.render.cells import Cell, Ink, age_text, size_text, span_text

AGE_WIDTH: Final = 5
_ROOMY: Final = 44
_INKS: Final[dict[State, Ink]] = {
    "working": "ok",
    "busy": "ok",
    "starting": "ok",
    "done": "ok",
    "silent": "warn",
    "slot": "dim",
    "preparing": "dim",
    "partial": "warn",
    "cancelled": "dim",
    "failed": "bad",
    "timed_out": "bad",
}


def ink_of(state: State) -> Ink:
    """Return the colour of a state; what needs a person stands out."""
    return _INKS.get(state, "accent")


def task_cells(
    row: Row, prefix: str, now: datetime, width: int, glyphs: Glyphs
) -> tuple[Cell, ...]:
    """Return the cells of a row `width` cells wide; what does not fit is left out by rank.

    The age comes first: Textual writes a line from its beginning to the last cell that changed,
    and the age is the one that changes every second.
    """
    facts, stand = row.view.facts, row.standing
    ink = ink_of(stand.state)
    doing = activity(row.view, now)
    head = [Cell(stand.mark(glyphs), 1, ink), Cell(prefix, max(6, min(10, len(prefix))), "dim")]
    age = _age(row, doing.age_ms, doing.silent_ms) if width >= _ROOMY else ""
    head.insert(0, Cell(age, AGE_WIDTH if width >= _ROOMY else 0, "dim", right=True))
    if width >= 34:
        head.append(Cell(facts.agent, 8 if width >= _ROOMY else 6))
    tail: list[Cell] = []
    if width >= 54:
        size = size_text(facts.insertions, facts.deletions, glyphs.minus)
        tail.append(Cell(size, 11, "dim", right=True))
    if width >= 64:
        tail.append(Cell(_time(row, now), 5, "dim", right=True))
    room = width - sum(cell.width + 1 for cell in (*head, *tail))
    what = f" {glyphs.bullet} ".join(part for part in _what(row, doing.headline) if part)
    return (*head, Cell(what, max(room, 1), _what_ink(row)), *tail)


def _what(row: Row, headline: str) -> tuple[str, ...]:
    """Return the state in a word, unless the headline says it, and the headline."""
    facts, word = row.view.facts, row.standing.word
    if row.standing.state in {"working", "asking"}:
        return (headline or word,)
    if not facts.is_active:
        return (word, "applied" if facts.applied_at else "", one_line(facts.objective))
    return (word, headline)


def _what_ink(row: Row) -> Ink:
    if row.group is Group.NEEDS_YOU:
        return "strong"
    return "dim" if row.group is Group.FINISHED else ""


def _age(row: Row, tool_ms: int | None, silent: int | None) -> str:
    """Return the one figure of a row that moves: the tool's age, or how long the silence is."""
    if row.standing.state in {"silent", "busy"}:
        return age_text(silent)
    return age_text(tool_ms) if row.group is Group.RUNNING else ""


def _time(row: Row, now: datetime) -> str:
    facts = row.view.facts
    began = facts.started_at or facts.created_at
    ended = parse_iso(facts.ended_at or "")
    return span_text(elapsed_ms(began, ended or now))
