"""Unified patches as git writes them: bytes in, files, hunks and rows out. Pure and lazy.

A file is given as soon as its last line was read, so the first one of a huge patch is there at
once; reading is linear in the patch's size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal

from caesar_core.repo.patch_header import Action, Header, text_of

LineKind = Literal["context", "added", "removed"]
RowKind = Literal["context", "changed", "added", "removed"]

_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_KINDS: Final[dict[bytes, LineKind]] = {b" ": "context", b"+": "added", b"-": "removed"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk.

    Attributes:
        kind: context, added or removed.
        text: without its line end (a carriage return stays); bytes that are not UTF-8 are U+FFFD.
        old_no: its number before, from 1; `None` when added.
        new_no: its number after, from 1; `None` when removed.
        ends: false when the file stops here without a line end.

    """

    kind: LineKind
    text: str
    old_no: int | None
    new_no: int | None
    ends: bool = True


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines.

    Attributes:
        old_start: number of the first line before, from 1 (0 in an empty file).
        old_count: lines before.
        new_start: number of the first line after.
        new_count: lines after.
        heading: what git found to stand above it, such as a function's first line.
        lines: in order.

    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class PatchFile:
    """What a patch does to one file.

    Attributes:
        old_path: its name before, or `None` when it is new.
        new_path: its name after, or `None` when it is deleted.
        action: what happens to it.
        old_mode: git's mode before, where the patch says it.
        new_mode: git's mode after, where the patch says it.
        binary: it has no lines to show.
        hunks: in order.

    """

    old_path: str | None
    new_path: str | None
    action: Action
    old_mode: str | None
    new_mode: str | None
    binary: bool
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        """Its name after, or before when it is deleted."""
        return self.new_path or self.old_path or ""

    @property
    def insertions(self) -> int:
        """Lines that come."""
        return sum(line.kind == "added" for hunk in self.hunks for line in hunk.lines)

    @property
    def deletions(self) -> int:
        """Lines that go."""
        return sum(line.kind == "removed" for hunk in self.hunks for line in hunk.lines)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a side-by-side view; a side without a line is `None`."""

    kind: RowKind
    left: Line | None
    right: Line | None

    @property
    def left_no(self) -> int | None:
        """The number of the line before."""
        return None if self.left is None else self.left.old_no

    @property
    def right_no(self) -> int | None:
        """The number of the line after."""
        return None if self.right is None else self.right.new_no


def iter_files(lines: Iterable[bytes]) -> Iterator[PatchFile]:
    """Give the files of a patch one after the other.

    Args:
        lines: the patch by lines with their line ends, as an open binary file gives them.

    """
    reader: _FileReader | None = None
    for line in lines:
        if line.startswith(b"diff --git ") and (reader is None or not reader.in_hunk):
            if reader is not None:
                yield reader.finish()
            reader = _FileReader(line)
        elif reader is not None:
            reader.feed(line)
    if reader is not None:
        yield reader.finish()


def parse_patch(patch: bytes | str) -> tuple[PatchFile, ...]:
    """Return all files of a patch that is in memory."""
    data = patch.encode("utf-8", "surrogateescape") if isinstance(patch, str) else patch
    return tuple(iter_files(line + b"\n" for line in data.removesuffix(b"\n").split(b"\n")))


@dataclass(frozen=True, slots=True)
class Run:
    """Lines of a hunk that belong together: the same on both sides, or removed beside added.

    Attributes:
        start: its first row, counted from the hunk's first.
        left, right: the lines of either side.

    """

    start: int
    is_context: bool
    left: Sequence[Line]
    right: Sequence[Line]

    @property
    def rows(self) -> int:
        """How many rows it makes."""
        return max(len(self.left), len(self.right))

    def row(self, index: int) -> Row:
        """Return one of its rows."""
        left = self.left[index] if index < len(self.left) else None
        right = self.right[index] if index < len(self.right) else None
        if self.is_context:
            return Row("context", left, right)
        return Row("removed" if right is None else "changed" if left else "added", left, right)


def runs_of(hunk: Hunk) -> list[Run]:
    """Return what stands side by side in a hunk, without making a row for each line.

    In a run of removed and added lines the first removed stands beside the first added, and so on.
    """
    runs: list[Run] = []
    removed: Sequence[Line] = ()
    start = at = 0
    for kind, group in groupby(hunk.lines, attrgetter("kind")):
        first, at = at, at + sum(1 for _ in group)
        lines = hunk.lines[first:at]
        if kind == "removed" and at < len(hunk.lines) and hunk.lines[at].kind == "added":
            removed = lines
            continue
        sides = {"context": (lines, lines), "removed": (lines, ()), "added": (removed, lines)}
        runs.append(Run(start, kind == "context", *sides[kind]))
        removed = ()
        start += runs[-1].rows
    return runs


def iter_rows(hunk: Hunk) -> Iterator[Row]:
    """Give the rows of a hunk for a side-by-side view."""
    for run in runs_of(hunk):
        yield from map(run.row, range(run.rows))


class _FileReader:
    """Collects the lines of one file's part."""

    def __init__(self, first: bytes) -> None:
        self._header = [first.rstrip(b"\n")]
        self._hunks: list[Hunk] = []
        self._hunk: _HunkReader | None = None
        self._binary = False

    @property
    def in_hunk(self) -> bool:
        """Whether the hunk at hand still waits for lines, so that any text may come."""
        return self._hunk is not None and not self._hunk.complete

    def feed(self, line: bytes) -> None:
        """Take the next line."""
        if self._hunk is not None and self._hunk.feed(line):
            return
        found = None if self._binary else _HUNK.match(line)
        if found is not None:
            self._close_hunk()
            self._hunk = _HunkReader(found)
        elif line.startswith((b"GIT binary patch", b"Binary files ")):
            self._binary = True
        elif not self._binary and self._hunk is None:
            self._header.append(line.rstrip(b"\n"))

    def finish(self) -> PatchFile:
        """Give what was collected."""
        self._close_hunk()
        header = Header.of(self._header)
        return PatchFile(
            old_path=None if header.action == "created" else header.old_path,
            new_path=None if header.action == "deleted" else header.new_path,
            action=header.action,
            old_mode=header.old_mode,
            new_mode=header.new_mode,
            binary=self._binary,
            hunks=tuple(self._hunks),
        )

    def _close_hunk(self) -> None:
        if self._hunk is not None:
            self._hunks.append(self._hunk.finish())
            self._hunk = None


class _HunkReader:
    def __init__(self, found: re.Match[bytes]) -> None:
        self._span = [1 if part is None else int(part) for part in found.groups()[:4]]
        self._heading = text_of(found[5])
        self._old_no, old_count, self._new_no, new_count = self._span
        self._old_end = self._old_no + old_count
        self._new_end = self._new_no + new_count
        self._lines: list[Line] = []

    @property
    def complete(self) -> bool:
        return self._old_no >= self._old_end and self._new_no >= self._new_end

    def feed(self, line: bytes) -> bool:
        """Take a line if it belongs here."""
        if line.startswith(b"\\") and self._lines:
            last = self._lines[-1]
            self._lines[-1] = Line(last.kind, last.text, last.old_no, last.new_no, ends=False)
            return True
        kind = _KINDS.get(line[:1] if line.strip(b"\r\n") else b" ")
        if self.complete or kind is None:
            return False
        old_no = None if kind == "added" else self._old_no
        new_no = None if kind == "removed" else self._new_no
        self._lines.append(Line(kind, text_of(line[1:]), old_no, new_no))
        self._old_no += old_no is not None
        self._new_no += new_no is not None
        return True

    def finish(self) -> Hunk:
        old_start, old_count, new_start, new_count = self._span
        return Hunk(old_start, old_count, new_start, new_count, self._heading, tuple(self._lines))
