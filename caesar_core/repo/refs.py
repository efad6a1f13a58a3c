"""Which outcomes a repository keeps, read from its files: a listing starts no process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from caesar_core.ids import is_safe_id

_REFS: Final = "refs/caesar/"
_PACKED_LIMIT: Final = 64 << 20


def outcome_ids(start: Path) -> frozenset[str]:
    """Return the ids of the tasks whose outcome is kept in the repository that holds `start`.

    Empty outside of a repository, and where the refs are not plain files (reftable): then git
    itself has to be asked.
    """
    common = _common_dir(start)
    if common is None:
        return frozenset()
    return frozenset(name for name in (*_loose(common), *_packed(common)) if is_safe_id(name))


def _loose(common: Path) -> Iterator[str]:
    try:
        with os.scandir(common / _REFS) as entries:
            yield from [entry.name for entry in entries if not entry.name.endswith(".lock")]
    except OSError:
        return


def _packed(common: Path) -> Iterator[str]:
    try:
        with (common / "packed-refs").open("rb") as file:
            text = file.read(_PACKED_LIMIT)
    except OSError:
        return
    for line in text.splitlines():
        name = line.partition(b" ")[2]
        if name.startswith(_REFS.encode()):
            yield name.removeprefix(_REFS.encode()).decode("utf-8", "replace")


def _common_dir(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        entry = folder / ".git"
        if entry.is_dir():
            return entry
        if entry.is_file():
            return _through_file(entry)
    return None


def _through_file(entry: Path) -> Path | None:
    """Follow a linked worktree's `.git` file to what all worktrees share."""
    try:
        named = entry.read_text().removeprefix("gitdir:").strip()
        git_dir = (entry.parent / named).resolve()
        shared = git_dir / "commondir"
        return (git_dir / shared.read_text().strip()).resolve() if shared.is_file() else git_dir
    except (OSError, UnicodeDecodeError):
        return None
