"""What a collection found, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Action: TypeAlias = Literal["removed", "would_remove", "kept"]
Kind: TypeAlias = Literal["worktree", "task", "race", "file", "temporary"]


@dataclass(frozen=True, slots=True)
class GcEntry:
    """One thing that could be removed, and what was done with it.

    Attributes:
        orphan: no record names it.
        reason: why it went: clean, applied, missing, forced, old, over, left_behind; or why it
            stays: active, modified, in_use, locked, moved, copied, unapplied, resumed,
            inspection_failed.
        kind: `worktree` (with its branch), `task` (directory, record, outcome), `race` (its file),
            `file` (a plan, spool, lock or lease of a task that is over), `temporary`.
    """

    id: str
    path: str
    branch: str | None
    orphan: bool
    action: Action
    reason: str
    status: str | None = None
    applied_at: str | None = None
    error: str = ""
    kind: Kind = "worktree"


@dataclass(frozen=True, slots=True)
class GcResult:
    """What a collection did, or would do."""

    dry_run: bool
    force: bool
    entries: tuple[GcEntry, ...]
    abandoned: tuple[str, ...]

    def count(self, action: Action) -> int:
        """Return how many entries ended so."""
        return sum(entry.action == action for entry in self.entries)
