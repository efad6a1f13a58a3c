"""The text of a configuration file cut at its headers, so that an edit touches one piece (pure).

A block is a header with its keys, or what stands before the first header. The comments and blank
lines at the end of a block are its tail: a person wrote them for what follows.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_HEADER: Final = re.compile(r"[ \t]*\[")
_LINE_START: Final = re.compile(r"(?<=\n)")


@dataclass(slots=True, eq=False)
class Block:
    """One piece of the file.

    Attributes:
        core: from the header to the end of the last value.
        tail: the comments and blank lines after it.
    """

    core: str
    tail: str = ""

    @property
    def text(self) -> str:
        """The whole piece."""
        return self.core + self.tail

    @property
    def data(self) -> dict[str, Any]:
        """What the piece says by itself; an entry of an array is a list of one."""
        return tomllib.loads(self.core)

    @property
    def header(self) -> tuple[str, ...]:
        """The names in its header; none when it stands before the first."""
        if _HEADER.match(self.core) is None:
            return ()
        names: list[str] = []
        table: Any = tomllib.loads(_lines(self.core)[0])
        while isinstance(table, dict) and table:
            names.append(next(iter(table)))
            table = table[names[-1]]
        return tuple(names)

    def entry(self, kind: str) -> dict[str, Any] | None:
        """Return the entry that this block is, if it is one of `[[kind]]`."""
        found = self.data.get(kind) if self.core.lstrip().startswith("[[") else None
        return found[0] if isinstance(found, list) else None

    def comments(self) -> str:
        """Return its lines that are only comments, with the tail; empty when there are none."""
        kept = [line for line in _lines(self.core) if line.lstrip()[:1] == "#"]
        text = "".join(kept) + self.tail
        return text if "#" in text else ""


def split_blocks(text: str) -> list[Block]:
    """Cut a valid TOML text; joined again, the blocks are the same text."""
    return [_block(piece) for piece in _pieces(text) if piece]


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for line in _lines(text):
        if _HEADER.match(line) and _is_whole(piece):
            yield piece
            piece = ""
        piece += line
    yield piece


def _is_whole(piece: str) -> bool:
    """Whether nothing is open at the end: no array, no string over several lines."""
    try:
        tomllib.loads(piece)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _block(piece: str) -> Block:
    lines = _lines(piece)
    end = len(lines)
    while end and lines[end - 1].strip()[:1] in {"", "#"}:
        end -= 1
    while end < len(lines) and not _is_whole(
        "".join(lines[:end])
    ):  # its last line was the end of a text, with a `#`
        end += 1
    return Block("".join(lines[:end]), "".join(lines[end:]))


def _lines(text: str) -> list[str]:
    # Not `splitlines`, which cuts at characters that a comment may hold.
    return [line for line in _LINE_START.split(text) if line]
