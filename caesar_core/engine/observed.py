"""What git saw of one file, as reports speak of it; light, because every supervisor holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from caesar_core.protocol.event import FileAction


class Counted(Protocol):
    """What is summed up of a changed file; `repo.changes.FileChange` is one."""

    @property
    def insertions(self) -> int | None:
        """Lines added; `None` where lines are not counted."""
        ...

    @property
    def deletions(self) -> int | None:
        """Lines taken away; `None` where lines are not counted."""
        ...

    @property
    def flags(self) -> tuple[str, ...]:
        """What to look at twice."""
        ...


@dataclass(frozen=True, slots=True)
class Observed:
    """One file that git saw change; `path` relative to the workspace, with `/`."""

    path: str
    action: FileAction
    old_path: str | None = None


def stat_of(changes: Sequence[Counted]) -> dict[str, int]:
    """Return the numbers of an outcome as the record holds them."""
    return {
        "files": len(changes),
        "insertions": sum(change.insertions or 0 for change in changes),
        "deletions": sum(change.deletions or 0 for change in changes),
    }


def flags_of(changes: Sequence[Counted]) -> tuple[str, ...]:
    """Return what to look at twice, over all files of an outcome."""
    return tuple(sorted({flag for change in changes for flag in change.flags}))
