"""Races as rows of the board: one row each, which unfolds into its contestants. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from caesar_core.board.glyphs import Glyphs
from caesar_core.board.order import Row
from caesar_core.board.standing import Group
from caesar_core.text import one_line
from caesar_tui.render.cells import Cell
from caesar_tui.render.columns import Columns
from caesar_tui.render.task_row import Known, task_cells


@dataclass(frozen=True, slots=True)
class Field:
    """How far a race is; `name` is the shortest unique prefix of its id."""

    name: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line of the list stands for.

    Attributes:
        key: the id of the task, or of the race.
        rows: the task's row; of a race those of its contestants that stand below it.
        field: how far the race is; `None` for a task.
        is_open: whether the contestants of the race are shown.
        is_nested: whether it stands below its race.

    """

    key: str
    rows: tuple[Row, ...]
    field: Field | None = None
    is_open: bool = False
    is_nested: bool = False

    @property
    def group(self) -> Group:
        """The group of the board."""
        return self.rows[0].group


def entries(
    rows: Sequence[Row], fields: Mapping[str, Field], opened: Collection[str], *, all_open: bool
) -> Iterator[Entry]:
    """Yield the lines of these rows in their order.

    A contestant that needs a person stands by itself: nothing that waits is ever folded away.

    Args:
        fields: the races by their ids; who is alone in a race stands there as any task.
        opened: the races that are unfolded; `all_open` unfolds every one.

    """
    members: dict[str, list[Row]] = {}
    for row in rows:
        race_id = _race_of(row, fields)
        if race_id is not None:
            members.setdefault(race_id, []).append(row)
    for row in rows:
        race_id = _race_of(row, fields)
        if race_id is None:
            yield Entry(row.view.id, (row,))
        elif race_id in members:
            shown = tuple(members.pop(race_id))
            is_open = all_open or race_id in opened
            yield Entry(race_id, shown, fields[race_id], is_open)
            if is_open:
                yield from (Entry(one.view.id, (one,), is_nested=True) for one in shown)


def entry_cells(entry: Entry, known: Known, columns: Columns, glyphs: Glyphs) -> tuple[Cell, ...]:
    """Return the cells of a line."""
    if entry.field is None:
        cells = task_cells(entry.rows[0], known, columns, glyphs)
        return _indented(cells) if entry.is_nested else cells
    field = entry.field
    is_over = field.done == field.total
    head = (Cell("", columns.age),) if columns.age else ()
    mark = glyphs.done if is_over else glyphs.waiting
    fold = Cell(glyphs.more if entry.is_open else glyphs.tool, 1, "dim")
    marks = (*head, fold, Cell(mark, 1, "ok"))
    room = columns.width - sum(cell.width + 1 for cell in marks)
    objective = one_line(entry.rows[0].view.facts.objective)
    parts = (f"race {field.name}  {field.done}/{field.total} done", objective)
    text = f" {glyphs.bullet} ".join(part for part in parts if part)
    return (*marks, Cell(text, max(1, room), "dim" if is_over else ""))


def fold_width(columns_age: int) -> int:
    """Return how many cells at the beginning of a race's row fold and unfold it by a click."""
    return (columns_age + 1 if columns_age else 0) + 4


def _indented(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return a row two cells further in; its widest cell gives the room."""
    widest = max(range(len(cells)), key=lambda index: cells[index].width)
    kept = [
        Cell(cell.text, max(1, cell.width - 2), cell.ink, cell.right) if index == widest else cell
        for index, cell in enumerate(cells)
    ]
    return (Cell("", 1), *kept)


def _race_of(row: Row, fields: Mapping[str, Field]) -> str | None:
    race_id = row.view.facts.race_id
    if race_id is None or row.group is Group.NEEDS_YOU or race_id not in fields:
        return None
    return race_id
