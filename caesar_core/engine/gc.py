"""Removing what nobody could miss, each thing with its reason."""

from __future__ import annotations

from caesar_core.engine.adopt import adopt_orphans
from caesar_core.engine.after_death import remove_all_drafts, tidy_remains
from caesar_core.engine.gc_entries import GcEntry, GcResult
from caesar_core.engine.gc_history import history_entries
from caesar_core.engine.gc_worktrees import worktree_entries
from caesar_core.engine.project import Project
from caesar_core.engine.tidy import temporary_entries, tidy_state

__all__ = ["GcEntry", "GcResult", "collect"]


def collect(
    project: Project, *, dry_run: bool = False, force: bool = False, older_than: float | None = None
) -> GcResult:
    """Remove worktrees and branches of ended tasks that hold no unapplied work, and small files.

    Committed but unapplied work is work. What could not be looked at is kept, even with `force`.

    Args:
        dry_run: only say what would be removed.
        force: worktrees with unapplied work too; their outcome stays in git.
        older_than: also forget tasks that ended more than so many seconds ago: directory, record
            and outcome. Those with unapplied work stay unless `force` is set.
    """
    scan = project.records.scan()
    abandoned = [] if dry_run else adopt_orphans(project, scan.records)
    entries = tidy_state(project, scan.records, dry_run=dry_run)
    entries += temporary_entries(project, dry_run=dry_run)
    if not dry_run:
        tidy_remains(project)
        remove_all_drafts(project, scan.records)
    entries += worktree_entries(project, scan.records, dry_run=dry_run, force=force)
    if older_than is not None:
        gone = {e.id for e in entries if e.kind == "worktree" and e.action != "kept"}
        entries += history_entries(
            project, older_than, without_worktree=gone, dry_run=dry_run, force=force
        )
    return GcResult(dry_run, force, tuple(entries), tuple(abandoned))
