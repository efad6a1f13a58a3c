"""A patch as rows of a pane: a file's head, a hunk's head, lines. Pure; one list for any width."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from caesar_core.repo.patch import Hunk, Line, PatchFile, Row, iter_rows

FOLDED_LINES: Final = 5_000
"""A file with more changed lines is shown by its head alone."""
DiffRowKind: TypeAlias = Literal["file", "note", "hunk", "pair", "single"]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row: `text` of heads and notes, `row` of a pair, `line` of a single line.

    `path` is the file that it belongs to.
    """

    kind: DiffRowKind
    text: str = ""
    row: Row | None = None
    line: Line | None = None
    path: str = ""


def diff_rows(
    files: Iterable[PatchFile], *, split: bool, turned: Collection[str] = ()
) -> list[DiffRow]:
    """Return all rows of a patch, side by side (`split`) or in one column.

    Args:
        turned: files that are folded although they are small, or shown although they are big.

    """
    return [
        row for file in files for row in _file_rows(file, split=split, turned=file.path in turned)
    ]


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


def _file_rows(file: PatchFile, *, split: bool, turned: bool) -> Iterator[DiffRow]:
    lines = file.insertions + file.deletions
    is_big = lines > FOLDED_LINES
    yield DiffRow("file", file_title(file), path=file.path)
    yield from (DiffRow("note", note, path=file.path) for note in _notes(file))
    if is_big is not turned:
        if lines:
            yield DiffRow(
                "note", f"{lines} changed lines, folded; Enter shows them", path=file.path
            )
        return
    for hunk in file.hunks:
        yield DiffRow("hunk", _hunk_title(hunk), path=file.path)
        yield from _lines(hunk, file.path, split=split)


def _notes(file: PatchFile) -> Iterator[str]:
    old, new = file.old_mode, file.new_mode
    if file.binary:
        yield "binary file"
    if file.action == "modified" and old != new:
        yield f"mode {old} → {new}"
    if "120000" in {old, new}:
        yield "symbolic link"
    if "160000" in {old, new}:
        yield "submodule"


def _hunk_title(hunk: Hunk) -> str:
    return f"@@ {hunk.old_start} → {hunk.new_start}  {hunk.heading}".rstrip()


def _lines(hunk: Hunk, path: str, *, split: bool) -> Iterator[DiffRow]:
    if split:
        yield from (DiffRow("pair", row=row, path=path) for row in iter_rows(hunk))
    else:
        yield from (DiffRow("single", line=line, path=path) for line in hunk.lines)
