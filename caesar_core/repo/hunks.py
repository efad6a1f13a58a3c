"""A file with only some hunks of its change, byte for byte. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from caesar_core.errors import OperationError

_HEAD: Final = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+\d+(?:,(\d{1,18}))? @@")


@dataclass(frozen=True, slots=True)
class RawHunk:
    """A hunk as bytes.

    Attributes:
        start: how many lines of the old file stand before it.
        count: how many lines of the old file it replaces.
        lines: what it puts in their place, with their line ends.
    """

    start: int
    count: int
    lines: tuple[bytes, ...]


def raw_hunks(patch: bytes) -> tuple[RawHunk, ...]:
    """Return the hunks of a patch of one file; none when it is binary.

    Raises:
        OperationError: a hunk has not the lines that its head promises.
    """
    lines = _lines(patch)
    found: list[RawHunk] = []
    position = 0
    while position < len(lines):
        head = _HEAD.match(lines[position])
        position += 1
        if head is not None:
            hunk, position = _read(head, lines, position)
            found.append(hunk)
    return tuple(found)


def with_hunks(old: bytes, hunks: Iterable[RawHunk], chosen: Collection[int]) -> bytes:
    """Return `old` with the hunks of these numbers, which count from 1."""
    lines = _lines(old)
    made: list[bytes] = []
    position = 0
    for number, hunk in enumerate(hunks, 1):
        if number in chosen:
            made += (*lines[position : hunk.start], *hunk.lines)
            position = hunk.start + hunk.count
    return b"".join((*made, *lines[position:]))


def _read(head: re.Match[bytes], lines: Sequence[bytes], position: int) -> tuple[RawHunk, int]:
    start, old, new = (1 if part is None else int(part) for part in head.groups())
    made: list[bytes] = []
    left_old, left_new = old, new
    while left_old or left_new:
        if position == len(lines) or min(left_old, left_new) < 0:
            raise OperationError("A hunk of the patch is not as long as its head says.")
        line = lines[position]
        position += 1
        sign, text = line[:1], line[1:]
        if sign != b"+":
            left_old -= 1
        if sign != b"-":
            left_new -= 1
            made.append(text)
        if lines[position : position + 1] and lines[position].startswith(b"\\"):
            position += 1
            if sign != b"-":
                made[-1] = text.removesuffix(b"\n")
    # A hunk that replaces nothing names the line it stands behind.
    return RawHunk(start - 1 if old else start, old, tuple(made)), position


def _lines(data: bytes) -> list[bytes]:
    """Split at line feeds only, as git does, and keep them."""
    return [line for line in re.split(rb"(?<=\n)", data) if line]
