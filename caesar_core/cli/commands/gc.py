"""`caesar gc`: remove worktrees that hold nothing anybody could miss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from caesar_core.cli.common import json_option, root_option, service_at
from caesar_core.cli.output import stdout
from caesar_core.durations import parse_duration
from caesar_core.errors import EXIT_FAILED
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.gc import GcEntry, GcResult


_ADVICE: Final = {
    "locked": "  (git worktree unlock it first)",
    "moved": "  (its project was moved: git worktree repair .caesar/wt/*)",
    "copied": "  (this project is a copy: the worktree is the original's)",
    "unapplied": "  (apply it, or --force)",
}


@click.command("gc")
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
@click.option("--force", is_flag=True, help="Remove unapplied work too, never a running task's.")
@click.option(
    "--older-than",
    metavar="AGE",
    help="Also forget tasks that ended longer ago, such as 14d, and hold no unapplied work.",
)
@json_option
@root_option
def command(
    root: str | None, older_than: str | None, *, dry_run: bool, force: bool, as_json: bool
) -> int:
    """Remove the worktrees and branches of ended tasks that are clean or applied.

    Work that was not applied is kept, committed or not, and so is all that cannot be inspected.
    """
    age = None if older_than is None else parse_duration(older_than, what="--older-than") / 1000
    result = service_at(root).collect(dry_run=dry_run, force=force, older_than=age)
    out = stdout()
    if as_json:
        out.json(_as_json(result))
    else:
        for entry in result.entries:
            out.line(f"{entry.action.replace('_', ' '):<12} {_line(entry)}")
        would = result.count("would_remove")
        removed = f"{would} would be removed" if dry_run else f"{result.count('removed')} removed"
        out.line(f"{removed}, {result.count('kept')} kept.")
    failed = any(entry.reason == "inspection_failed" for entry in result.entries)
    return EXIT_FAILED if failed else 0


def _line(entry: GcEntry) -> str:
    error = f": {visible(entry.error)}" if entry.error else ""
    advice = _ADVICE.get(entry.reason, "")
    return f"{entry.reason.replace('_', ' '):<10} {visible(entry.path)}{error}{advice}"


def _as_json(result: GcResult) -> dict[str, Any]:
    return {
        "dry_run": result.dry_run,
        "force": result.force,
        "removed": result.count("removed"),
        "would_remove": result.count("would_remove"),
        "kept": result.count("kept"),
        "abandoned": list(result.abandoned),
        "entries": [_entry_json(entry) for entry in result.entries],
    }


def _entry_json(entry: GcEntry) -> dict[str, Any]:
    document: dict[str, Any] = {
        "kind": entry.kind,
        "id": entry.id,
        "path": entry.path,
        "branch": entry.branch,
        "orphan": entry.orphan,
        "status": entry.status,
        "applied_at": entry.applied_at,
        "action": entry.action,
        "reason": entry.reason,
    }
    if entry.error:
        document["error"] = entry.error
    if entry.reason in {"modified", "unapplied"} and not entry.orphan:
        document["diff_command"] = f"caesar diff {entry.id}"
        document["apply_command"] = f"caesar apply {entry.id}"
    return document
