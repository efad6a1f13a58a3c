"""Small files that a killed process left behind and nobody needs any more."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core.engine.gc_entries import Action, GcEntry
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.layout import Layout
from caesar_core.store.lease import Lease, lease_state
from caesar_core.store.lock import try_lock
from caesar_core.store.records import Record

_OLD: Final = 3600.0  # seconds; a delegation writes its plan a moment before its record
_TEMPORARY: Final = re.compile(r"caesar-(?:index|objects|undo|doctor|check)-[\w-]+", re.ASCII)


def tidy_state(
    project: Project, records: Iterable[Record], *, dry_run: bool = False
) -> list[GcEntry]:
    """Remove plans, spools, locks and stale leases of ended tasks, and plans of those never begun.

    Returns:
        What was found; empty for a store that nobody was killed in.
    """
    ended = [record.id for record in records if not record.is_active]
    left = [(task_id, path) for task_id in ended for path in _left_of(project.layout, task_id)]
    left += _plans(project, set(ended))
    entries = []
    for task_id, path in left:
        try:
            if not dry_run and not _remove(project, path):
                continue
        except CaesarError as error:
            reason = "inspection_failed"
            entries.append(_entry(task_id, path, reason, "kept", error.message))
        else:
            entries.append(_entry(task_id, path, "over", "would_remove" if dry_run else "removed"))
    return entries


def temporary_entries(project: Project, *, dry_run: bool) -> list[GcEntry]:
    """Remove folders of ours that killed git work left among the temporary files an hour ago."""
    entries = []
    for path in _temporary_folders(project.clock.now().timestamp() - _OLD):
        if not dry_run:
            with suppress(OperationError):
                delete_tree(path)
        done: Action = "kept" if path.exists() else "removed"
        action: Action = "would_remove" if dry_run else done
        entries.append(
            GcEntry(
                id=path.name,
                path=str(path),
                branch=None,
                orphan=True,
                action=action,
                reason="left_behind",
                kind="temporary",
            )
        )
    return entries


def _temporary_folders(before: float) -> Iterator[Path]:
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for entry in found:
            if not _TEMPORARY.fullmatch(entry.name):
                continue
            status = entry.stat(follow_symlinks=False)
            ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if ours and status.st_mtime < before:
                yield Path(entry.path)


def _left_of(layout: Layout, task_id: str) -> Iterator[Path]:
    spools = layout.task(task_id).stdout.parent
    for path in (spools, layout.record_lock(task_id), layout.supervisor_lock(task_id)):
        if os.path.lexists(path):
            yield path
    if lease_state(layout.lease(task_id)) == "stale":
        yield layout.lease(task_id)


def _plans(project: Project, ended: set[str]) -> list[tuple[str, Path]]:
    active = set(project.records.list_ids()) - ended
    now = project.clock.now().timestamp()
    found = []
    with suppress(FileNotFoundError):
        for path in sorted(project.layout.plans.iterdir()):
            task_id = path.name.partition(".")[0]
            with suppress(OSError):
                old = now - path.lstat().st_mtime > _OLD
                if task_id in ended or (task_id not in active and old):
                    found.append((task_id, path))
    return found


def _remove(project: Project, path: Path) -> bool:
    """Remove one thing; whether it was nobody's."""
    if path.suffix in {".record", ".supervisor"}:
        lock = try_lock(path)
        if lock is not None:
            lock.remove()
        return lock is not None
    if path.suffix == ".lock":
        Lease.take_over(path, "gc", project.clock).release()
    else:
        delete_tree(path)
    return True


def _entry(task_id: str, path: Path, reason: str, action: Action, error: str = "") -> GcEntry:
    return GcEntry(
        id=task_id,
        path=str(path),
        branch=None,
        orphan=False,
        action=action,
        reason=reason,
        error=error,
        kind="file",
    )
