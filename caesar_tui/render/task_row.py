"""A task as a row of the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import Glyphs
from caesar_core.board.order import Row
from caesar_core.board.standing import Group, State, elapsed_ms
from caesar_core.clock import parse_iso
from caesar_core.text import one_line
from caesar_tui.render.cells import Cell, Ink, age_text, span_text
from caesar_tui.render.columns import Columns, size_of

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


@dataclass(frozen=True, slots=True)
class Known:
    """What rows say beside what their tasks say.

    Attributes:
        prefixes: the shortest unique prefix of each task's id.
        notes: a few words more on some tasks, by their ids.

    """

    prefixes: Mapping[str, str]
    notes: Mapping[str, str]
    now: datetime


def task_cells(row: Row, known: Known, columns: Columns, glyphs: Glyphs) -> tuple[Cell, ...]:
    """Return the cells of a row.

    The age comes first: Textual writes a line from its beginning to the last cell that changed,
    and the age is the one that changes every second.
    """
    facts, stand, now = row.view.facts, row.standing, known.now
    prefix = known.prefixes.get(facts.id, facts.id)
    doing = activity(row.view, now)
    head = [
        Cell(stand.mark(glyphs), 1, ink_of(stand.state)),
        Cell(prefix, max(6, min(10, len(prefix))), "dim"),
    ]
    if columns.age:
        age = _age(row, doing.age_ms, doing.silent_ms)
        if not (age or facts.is_active or columns.time):
            age = time_of(row, now)
        head.insert(0, Cell(age, columns.age, "dim", right=True))
    if columns.agent:
        head.append(Cell(facts.agent, columns.agent))
    tail: list[Cell] = []
    size = size_of(row, glyphs)
    if columns.size and size:
        tail.append(Cell(size, columns.size, "dim", right=True))
    if columns.time:
        tail.append(Cell(time_of(row, now), columns.time, "dim", right=True))
    room = columns.width - sum(cell.width + 1 for cell in (*head, *tail))
    what = f" {glyphs.bullet} ".join(part for part in _what(row, doing.headline, known) if part)
    return (*head, Cell(what, max(room, 1), _what_ink(row)), *tail)


def _what(row: Row, headline: str, known: Known) -> tuple[str, ...]:
    """Return the state in a word, unless the headline says it, the headline, and a note."""
    facts, word = row.view.facts, row.standing.word
    note = "applied" if facts.applied_at else known.notes.get(facts.id, "")
    if row.standing.state in {"working", "asking"}:
        return (headline or word, note)
    if not facts.is_active:
        return (word, note, one_line(facts.objective))
    return (word, headline, note)


def _what_ink(row: Row) -> Ink:
    if row.group is Group.NEEDS_YOU:
        return "strong"
    return "dim" if row.group is Group.FINISHED else ""


def _age(row: Row, tool_ms: int | None, silent: int | None) -> str:
    """Return the one figure of a row that moves: the tool's age, or how long the silence is."""
    if row.standing.state in {"silent", "busy"}:
        return age_text(silent)
    return age_text(tool_ms) if row.group is Group.RUNNING else ""


def time_of(row: Row, now: datetime) -> str:
    """Return how long a task takes or took."""
    facts = row.view.facts
    began = facts.started_at or facts.created_at
    ended = parse_iso(facts.ended_at or "")
    return span_text(elapsed_ms(began, ended or now))
