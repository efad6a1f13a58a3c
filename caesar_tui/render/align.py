"""Several results of one file, aligned on the lines of their common base. Pure.

The same place of the file stands at the same height in every column, so that they can be scrolled
together: first a base line, as each result keeps or removes it, then what each adds behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from caesar_core.repo.patch import Hunk, Line, PatchFile


@dataclass(frozen=True, slots=True)
class AlignedCell:
    """One column of a row: the line, and which hunk of the result it is of, from 1."""

    line: Line | None = None
    hunk: int = 0


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """A row of all columns; without cells it stands for lines that nobody touched."""

    cells: tuple[AlignedCell, ...] = ()
    base_no: int | None = None


@dataclass(slots=True)
class _Column:
    """What one result does to each base line."""

    kept: dict[int, tuple[Line, int]] = field(default_factory=dict)
    added: dict[int, list[tuple[Line, int]]] = field(default_factory=dict)


def aligned(files: Sequence[PatchFile | None]) -> list[AlignedRow]:
    """Return the rows; `None` stands for a result that leaves the file alone."""
    columns = [_column(file) for file in files]
    text = {no: line for column in columns for no, (line, _) in column.kept.items()}
    places = sorted({*text, *(no for column in columns for no in column.added)})
    rows: list[AlignedRow] = []
    last = 0
    for no in places:
        if no in text:
            if no > last + 1:
                rows.append(AlignedRow())
            rows.append(_base_row(columns, no, text[no]))
            last = no
        rows += _added_rows(columns, no)
    return rows


def _base_row(columns: Sequence[_Column], no: int, known: Line) -> AlignedRow:
    untouched = Line("context", known.text, no, None)
    cells = [AlignedCell(*column.kept.get(no, (untouched, 0))) for column in columns]
    return AlignedRow(tuple(cells), no)


def _added_rows(columns: Sequence[_Column], no: int) -> Iterator[AlignedRow]:
    runs = [column.added.get(no, []) for column in columns]
    for at in range(max(map(len, runs), default=0)):
        cells = [AlignedCell(*run[at]) if at < len(run) else AlignedCell() for run in runs]
        yield AlignedRow(tuple(cells))


def _column(file: PatchFile | None) -> _Column:
    column = _Column()
    for number, hunk in enumerate(file.hunks if file is not None else (), 1):
        _take(column, hunk, number)
    return column


def _take(column: _Column, hunk: Hunk, number: int) -> None:
    behind = hunk.old_start if not hunk.old_count else hunk.old_start - 1
    for line in hunk.lines:
        if line.old_no is None:
            column.added.setdefault(behind, []).append((line, number))
        else:
            behind = line.old_no
            column.kept[behind] = (line, number)
