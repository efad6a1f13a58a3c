"""A comparison as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from caesar_core.board.race import CellView, ComparisonView, ForecastView
from caesar_core.cli.output import Output
from caesar_core.cli.race_text import standings_lines
from caesar_core.cli.tables import columns
from caesar_core.ids import shortest_prefixes
from caesar_core.text import one_line, visible

_LETTERS: Final = {"created": "A ", "deleted": "D ", "renamed": "R "}


def comparison_lines(found: ComparisonView, out: Output) -> Iterator[str]:
    """Yield the contestants, the files, what is the same and what collides."""
    yield from standings_lines(found.race, out)
    if found.matrix:
        yield ""
        yield from matrix_lines(found, out)
    short = shortest_prefixes(found.race.task_ids)
    if found.identical or found.forecast:
        yield ""
    for group in found.identical:
        yield f"identical: {' = '.join(short[task_id] for task_id in group)}"
    for view in found.forecast:
        yield from forecast_lines(view, short, out)


def matrix_lines(found: ComparisonView, out: Output) -> Iterator[str]:
    """Yield a row for each file and a column for each contestant; `=` names who did the same."""
    ids = found.race.task_ids
    short = shortest_prefixes(ids)
    header = ("FILE", *(short[task_id] for task_id in ids))
    rows = [
        (one_line(path, 200), *(_cell(row, task_id, short) for task_id in ids))
        for path, row in found.matrix.items()
    ]
    first, *lines = columns(header, rows, out.width if out.is_terminal else 200)
    yield out.paint("dim", first)
    yield from lines


def forecast_lines(view: ForecastView, short: Mapping[str, str], out: Output) -> Iterator[str]:
    """Yield where two results collide, or one with the work tree."""
    other = short.get(view.other, view.other) or "your work tree"
    name = short.get(view.task_id, view.task_id)
    for path, reason in view.paths:
        where = f"{name} and {other}" if view.other else f"{name} with {other}"
        word = out.paint("warn", "would conflict")
        yield f"{word}: {where}, {visible(path)}: {visible(reason)}"


def _cell(row: Mapping[str, CellView], task_id: str, short: Mapping[str, str]) -> str:
    cell = row.get(task_id)
    if cell is None:
        return "-"
    before = [other for other in row if other in cell.same_as]
    earlier = next((other for other in row if other == task_id or other in before), task_id)
    if earlier != task_id:
        return f"= {short.get(earlier, earlier)}"
    if cell.insertions is None:
        return f"{_LETTERS.get(cell.action, '')}binary"
    return f"{_LETTERS.get(cell.action, '')}+{cell.insertions} -{cell.deletions or 0}"
