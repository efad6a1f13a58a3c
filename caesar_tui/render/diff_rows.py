"""A patch as rows of a pane: a file's head, a hunk's head, lines. Pure; one order for any width.

Rows are made when they are asked for: a hunk of 50,000 lines costs a look at each line's kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, Literal, TypeAlias, overload

from caesar_core.repo.patch import Hunk, Line, PatchFile, Row, Run, runs_of

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


class DiffRows(Sequence[DiffRow]):
    """All rows of a patch, side by side (`split`) or in one column.

    Args:
        note: a row that stands above all; empty for none.
        turned: files that are folded although they are small, or shown although they are big.

    """

    def __init__(
        self,
        files: Iterable[PatchFile],
        *,
        split: bool,
        turned: Collection[str] = (),
        note: str = "",
    ) -> None:
        self._split = split
        self._starts: list[int] = []
        self._parts: list[DiffRow | tuple[Hunk, str, list[Run]]] = []
        self._places: dict[str, list[int]] = {"file": [], "hunk": []}
        self._files: dict[str, int] = {}
        self._total = 0
        if note:
            self._add(DiffRow("note", note))
        for file in files:
            self._files.setdefault(file.path, self._total)
            self._add_file(file, turned=file.path in turned)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._total

    @overload
    def __getitem__(self, index: int) -> DiffRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[DiffRow]: ...
    def __getitem__(self, index: int | slice) -> DiffRow | list[DiffRow]:
        """Make a row, or some."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._total))]
        at = index + self._total if index < 0 else index
        if not 0 <= at < self._total:
            raise IndexError(index)
        place = bisect_right(self._starts, at) - 1
        part = self._parts[place]
        if isinstance(part, DiffRow):
            return part
        hunk, path, runs = part
        within = at - self._starts[place]
        if not self._split:
            return DiffRow("single", line=hunk.lines[within], path=path)
        run = runs[bisect_right(runs, within, key=_START) - 1]
        return DiffRow("pair", row=run.row(within - run.start), path=path)

    def places(self, kind: DiffRowKind) -> Sequence[int]:
        """Return where the heads of files, or those of hunks, stand."""
        return self._places[kind]

    def place_of(self, path: str) -> int | None:
        """Return where the head of a file stands; `None` when there is none."""
        return self._files.get(path)

    def _add(self, row: DiffRow) -> None:
        if row.kind in self._places:
            self._places[row.kind].append(self._total)
        self._starts.append(self._total)
        self._parts.append(row)
        self._total += 1

    def _add_file(self, file: PatchFile, *, turned: bool) -> None:
        lines = file.insertions + file.deletions
        is_big = lines > FOLDED_LINES
        self._add(DiffRow("file", file_title(file), path=file.path))
        for note in _notes(file):
            self._add(DiffRow("note", note, path=file.path))
        if is_big is not turned:
            if lines:
                text = f"{lines} changed lines, folded; Enter shows them"
                self._add(DiffRow("note", text, path=file.path))
            return
        for hunk in file.hunks:
            self._add(DiffRow("hunk", _hunk_title(hunk), path=file.path))
            self._add_lines(hunk, file.path)

    def _add_lines(self, hunk: Hunk, path: str) -> None:
        runs = runs_of(hunk) if self._split else []
        total = sum(run.rows for run in runs) if self._split else len(hunk.lines)
        if total:
            self._starts.append(self._total)
            self._parts.append((hunk, path, runs))
            self._total += total


_START: Final = attrgetter("start")


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
