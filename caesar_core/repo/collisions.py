"""Where exactly two sides changed the same lines, read from what git's merge left."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from caesar_core.repo.command import Git

MOST_FILES: Final = 20
MOST_HUNKS: Final = 20
MOST_LINES: Final = 50
_LONGEST: Final = 500
_LARGEST: Final = 1 << 20
_BEGIN: Final = re.compile(rb"<{7} [0-9a-f]{40,64}\r?$")
_END: Final = re.compile(rb">{7} [0-9a-f]{40,64}\r?$")
_BETWEEN: Final = re.compile(rb"={7}\r?$")


@dataclass(frozen=True, slots=True)
class Collision:
    """Lines that both sides changed.

    Attributes:
        line: where it begins in the user's file, from 1.
        yours, theirs: the lines of either side, at most `MOST_LINES`, cut; raw text.

    """

    line: int
    yours: tuple[str, ...]
    theirs: tuple[str, ...]


def collisions_in(merged: bytes) -> Iterator[Collision]:
    """Yield the places of a file that holds git's markers."""
    line, begin = 1, 0
    side: list[bytes] | None = None
    yours: list[bytes] = []
    theirs: list[bytes] = []
    for text in merged.split(b"\n"):
        if side is None and _BEGIN.match(text):
            begin, yours, theirs = line, [], []
            side = yours
        elif side is yours and _BETWEEN.match(text):
            side = theirs
        elif side is theirs and _END.match(text):
            side = None
            yield Collision(begin, _shown(yours), _shown(theirs))
        else:
            line += side is not theirs
            if side is not None:
                side.append(text)


def read_collisions(
    git: Git, tree: str, paths: Iterable[bytes]
) -> dict[bytes, tuple[Collision, ...]]:
    """Return the places in the first of these files of a merged tree that are not too large.

    Raises:
        GitError: git failed.
    """
    names = [os.fsdecode(path) for path in islice(paths, MOST_FILES)]
    found: dict[bytes, tuple[Collision, ...]] = {}
    for entry in git.items("ls-tree", "-r", "-l", "-z", tree, "--", *names) if names else ():
        described, _, path = entry.partition(b"\t")
        _, kind, blob, size = described.split()
        if kind == b"blob" and int(size) <= _LARGEST:
            merged = git.run("cat-file", "blob", blob.decode("ascii")).stdout
            found[path] = tuple(islice(collisions_in(merged), MOST_HUNKS))
    return found


def _shown(lines: list[bytes]) -> tuple[str, ...]:
    cut = (line[: _LONGEST * 4].decode("utf-8", "replace") for line in lines[:MOST_LINES])
    return tuple(line.rstrip("\r")[:_LONGEST] for line in cut)
