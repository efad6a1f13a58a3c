"""A part of an outcome: the tree that has only some of its changes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from caesar_core.errors import CaesarError
from caesar_core.repo.changes import ABSENT, RawChange, raw_changes, text_path
from caesar_core.repo.command import Git, join_nul
from caesar_core.repo.snapshot import temporary_index


def only(git: Git, base: str, tree: str, files: Sequence[str]) -> str:
    """Return `base` with only the chosen changes; a renamed file goes by either of its names.

    Args:
        git: a runner in the repository.
        base: what the outcome started from.
        tree: the outcome.
        files: files and folders, from the top of the repository.

    Raises:
        CaesarError: a name is not among the changes (exit 2).

    """
    changes = raw_changes(git, base, tree, renames=True)
    wanted = [name.rstrip("/") for name in files]
    chosen: list[RawChange] = []
    seen: set[str] = set()
    for change in changes:
        names = [os.fsencode(name) for name in wanted]
        hits = {w for w, n in zip(wanted, names, strict=True) if _names(change, w, n)}
        seen |= hits
        chosen += [change] if hits else []
    unknown = [name for name in wanted if name not in seen]
    if unknown:
        raise CaesarError(
            f"{unknown[0]} is not among the changed files.", "`caesar diff --name-only` lists them."
        )
    with temporary_index(git) as index:
        index.run("read-tree", base)
        index.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_nul(_gone(chosen)))
        index.run("update-index", "--replace", "-z", "--index-info", stdin=join_nul(_made(chosen)))
        return index.text("write-tree")


def _names(change: RawChange, text: str, name: bytes) -> bool:
    paths = [path for path in (change.path, change.old_path) if path is not None]
    exact = any(path == name or path.startswith(name + b"/") for path in paths)
    return exact or text in {text_path(path) for path in paths}


def _gone(changes: Sequence[RawChange]) -> list[bytes]:
    paths = (change.path if change.status == "D" else change.old_path for change in changes)
    return [path for path in paths if path is not None]


def _made(changes: Sequence[RawChange]) -> list[bytes]:
    return [
        f"{change.new_mode} {change.new_id}\t".encode() + change.path
        for change in changes
        if change.new_mode != ABSENT
    ]
