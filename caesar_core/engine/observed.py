"""What git saw of one file, as reports speak of it; light, because every supervisor holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesar_core.protocol.event import FileAction

if TYPE_CHECKING:
    from caesar_core.repo.changes import FileChange


@dataclass(frozen=True, slots=True)
class Observed:
    """One file that git saw change; `path` relative to the workspace, with `/`."""

    path: str
    action: FileAction
    old_path: str | None = None


def stat_of(changes: Sequence[FileChange]) -> dict[str, int]:
    """Return the numbers of an outcome as the record holds them."""
    return {
        "files": len(changes),
        "insertions": sum(change.insertions or 0 for change in changes),
        "deletions": sum(change.deletions or 0 for change in changes),
    }


def flags_of(changes: Sequence[FileChange]) -> tuple[str, ...]:
    """Return what to look at twice, over all files of an outcome."""
    return tuple(sorted({flag for change in changes for flag in change.flags}))
