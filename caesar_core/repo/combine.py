"""One outcome out of parts of several that started from the same commit."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

from caesar_core.errors import CaesarError
from caesar_core.repo.changes import ABSENT, RawChange, raw_changes, text_path, write_patch
from caesar_core.repo.command import Git, join_nul
from caesar_core.repo.hunks import raw_hunks, with_hunks
from caesar_core.repo.merge import Conflict
from caesar_core.repo.patch import parse_patch
from caesar_core.repo.revisions import tree_of
from caesar_core.repo.selection import only
from caesar_core.repo.snapshot import temporary_index
from caesar_core.repo.threeway import merge_trees


class NoHunkError(CaesarError):
    """A hunk was chosen that the change of the file does not have."""

    code = "unknown_hunk"


@dataclass(frozen=True, slots=True)
class Part:
    """What is taken from one outcome.

    Attributes:
        tree: the outcome.
        files: files and folders to take whole, from the top of the repository; `None`: all.
        hunks: numbers of hunks by file, from 1, as `caesar diff` shows them.
        label: whose outcome it is, for messages.
    """

    tree: str
    files: tuple[str, ...] | None = None
    hunks: tuple[tuple[str, tuple[int, ...]], ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Combined:
    """The combined tree, or why there is none."""

    tree: str
    conflicts: tuple[Conflict, ...] = ()


def combine(git: Git, base: str, parts: Sequence[Part]) -> Combined:
    """Merge the parts onto their common base, one after the other.

    Args:
        git: a runner in the repository; blobs and trees are written to it.
        base: what all outcomes started from.
        parts: what to take; the order makes no difference to a result without conflicts.

    Raises:
        CaesarError: a file or a hunk is not among the changes (exit 2).
    """
    tree = base
    for part in parts:
        mine = _named_part_tree(git, base, part)
        sides = merge_trees(git, base, tree, mine)
        if sides.conflicts:
            conflicts = (
                Conflict(text_path(path), f"{reason}{_place(git, base, (tree, mine), path)}")
                for path, reason in sides.conflicts.items()
            )
            return Combined("", tuple(conflicts))
        tree = sides.tree
    return Combined(tree_of(git, tree))


def _named_part_tree(git: Git, base: str, part: Part) -> str:
    try:
        return part_tree(git, base, part)
    except CaesarError as error:
        error.message = f"{part.label}: {error.message}" if part.label else error.message
        raise


def part_tree(git: Git, base: str, part: Part) -> str:
    """Return `base` with only the chosen changes of one outcome."""
    if part.files is None:
        return part.tree
    whole = only(git, base, part.tree, part.files) if part.files else base
    if not part.hunks:
        return whole
    changes = {c.path: c for c in raw_changes(git, base, part.tree, renames=True)}
    with temporary_index(git) as index:
        index.run("read-tree", whole)
        for name, numbers in part.hunks:
            entry = _entry(git, base, part.tree, changes.get(os.fsencode(name)), name, numbers)
            index.run("update-index", "-z", "--index-info", stdin=join_nul([entry]))
        return index.text("write-tree")


def _entry(
    git: Git, base: str, tree: str, change: RawChange | None, name: str, numbers: Sequence[int]
) -> bytes:
    """Return the index entry of a file with some of its hunks."""
    if change is None:
        raise NoHunkError(
            f"{name} is not among the changed files.", "`caesar diff --name-only` lists them."
        )
    if change.status not in "AMD":
        raise NoHunkError(f"{name} is renamed or replaced: it has no hunks.", "Take it whole.")
    out = io.BytesIO()
    write_patch(git, base, tree, cast("BinaryIO", out), [change.path])
    hunks = raw_hunks(out.getvalue())
    wrong = [number for number in numbers if not 1 <= number <= len(hunks)]
    if wrong:
        known = f"It has {len(hunks)}." if hunks else "Take it whole."
        raise NoHunkError(f"{name} has no hunk {wrong[0]}.", known)
    old = b"" if change.status == "A" else git.run("cat-file", "blob", change.old_id).stdout
    if change.status == "D" and len(set(numbers)) == len(hunks):
        return f"0 {change.old_id}\t".encode() + change.path
    made = git.text("hash-object", "-w", "--stdin", stdin=with_hunks(old, hunks, set(numbers)))
    mode = change.new_mode if change.old_mode == ABSENT else change.old_mode
    return f"{mode} {made}\t".encode() + change.path


def _place(git: Git, base: str, sides: tuple[str, str], path: bytes) -> str:
    """Return where in the base both sides changed the same, as the end of a sentence."""
    left, right = (_changed_lines(git, base, side, path) for side in sides)
    common = [
        (max(a, c), min(b, d)) for a, b in left for c, d in right if max(a, c) <= min(b, d) + 1
    ]
    if not common:
        return ""
    first, last = min(a for a, _ in common), max(b for _, b in common)
    return f" (line {first})" if last <= first else f" (lines {first} to {last})"


def _changed_lines(git: Git, base: str, tree: str, path: bytes) -> list[tuple[int, int]]:
    words = ("diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv")
    patch = git.run(*words, "--no-color", base, tree, "--", os.fsdecode(path)).stdout
    hunks = (hunk for file in parse_patch(patch) for hunk in file.hunks)
    return [(h.old_start, h.old_start + max(h.old_count, 1) - 1) for h in hunks]
