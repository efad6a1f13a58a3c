"""A patch as rows of a pane: a file's head, a hunk's head, lines. Pure; one list for any width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from caesar_core.repo.patch import Hunk, Line, PatchFile, Row, iter_rows

FOLDED_LINES: Final = 5_000
"""A file with more changed lines is shown by its head alone."""
DiffRowKind: TypeAlias = Literal["file", "note", "hunk", "pair", "single"]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row: `text` of heads and notes, `row` of a pair, `line` of a single line."""

    kind: DiffRowKind
    text: str = ""
    row: Row | None = None
    line: Line | None = None


def diff_rows(files: Iterable[PatchFile], *, split: bool) -> list[DiffRow]:
    """Return all rows of a patch, side by side (`split`) or in one column."""
    return [row for file in files for row in _file_rows(file, split=split)]


def changed_spans(left: str, right: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return what differs between two lines: what is left after the common beginning and end.

    `None` for lines that have too little in common for marks to help.
    """
    least = min(len(left), len(right))
    start = next((i for i in range(least) if left[i] != right[i]), least)
    end = next((i for i in range(least - start) if left[-1 - i] != right[-1 - i]), least - start)
    if (start + end) * 3 < max(len(left.strip()), len(right.strip())):
        return None
    return (start, len(left) - end), (start, len(right) - end)


def file_title(file: PatchFile) -> str:
    """Return a file's head: action, name, size, and what is special about it."""
    moved = file.action in {"renamed", "copied"}
    name = f"{file.old_path} → {file.path}" if moved else file.path
    parts = [file.action, name]
    if not file.binary:
        parts.append(f"+{file.insertions} −{file.deletions}")
    return "  ".join(parts)


def _file_rows(file: PatchFile, *, split: bool) -> Iterator[DiffRow]:
    yield DiffRow("file", file_title(file))
    yield from (DiffRow("note", note) for note in _notes(file))
    if file.insertions + file.deletions <= FOLDED_LINES:
        for hunk in file.hunks:
            yield DiffRow("hunk", _hunk_title(hunk))
            yield from _lines(hunk, split=split)


def _notes(file: PatchFile) -> Iterator[str]:
    old, new = file.old_mode, file.new_mode
    if file.binary:
        yield "binary file"
    if file.action == "modified" and old != new:
        yield f"mode {old} → {new}"
    if "120000" in {old, new}:
        yield "symbolic link"
    if file.insertions + file.deletions > FOLDED_LINES:
        yield f"{file.insertions + file.deletions} changed lines, folded"


def _hunk_title(hunk: Hunk) -> str:
    return f"@@ {hunk.old_start} → {hunk.new_start}  {hunk.heading}".rstrip()


def _lines(hunk: Hunk, *, split: bool) -> Iterator[DiffRow]:
    if split:
        yield from (DiffRow("pair", row=row) for row in iter_rows(hunk))
    else:
        yield from (DiffRow("single", line=line) for line in hunk.lines)
