"""One writer in place at a time: who writes in a workspace, and taking that place."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from caesar_core.clock import Clock
from caesar_core.errors import CaesarError
from caesar_core.identity import is_alive
from caesar_core.store.layout import Layout
from caesar_core.store.lease import (
    Lease,
    LeaseHeldError,
    lease_holder,
    lease_state,
    release_if_stale,
)
from caesar_core.store.record_store import RecordStore

_TASK: Final = "task "


class WorkspaceBusyError(CaesarError):
    """Another task writes in place in the same workspace."""

    code = "workspace_busy"

    def __init__(self, workspace: Path, writer: str) -> None:
        super().__init__(
            f"{writer} writes in {workspace}.",
            "Wait for it, cancel it, or use --isolation worktree.",
        )


def writer_in(layout: Layout, workspace: Path) -> str | None:
    """Return who writes in place in `workspace`, `None` when nobody does.

    The supervisor may be dead while its agent goes on: then the task still writes.
    """
    path = layout.writer_lease(workspace)
    holder = lease_holder(path)
    if holder is None:
        return None
    label = holder.label or "another task"
    if lease_state(path) != "stale" or _agent_lives(layout, label):
        return label
    return None


def take_place(layout: Layout, workspace: Path, task_id: str, clock: Clock) -> Lease:
    """Become the writer in `workspace`; a supervisor that follows another takes its place over.

    Raises:
        WorkspaceBusyError: another task is.
    """
    path, mine = layout.writer_lease(workspace), f"{_TASK}{task_id}"
    writer = writer_in(layout, workspace)
    if writer not in (None, mine):
        raise WorkspaceBusyError(workspace, writer or "another task")
    try:
        if lease_state(path) == "stale":
            return Lease.take_over(path, mine, clock)
        return Lease.acquire(path, mine)
    except LeaseHeldError as error:
        label = error.holder.label if error.holder else "another task"
        raise WorkspaceBusyError(workspace, label) from None


def leave_place(layout: Layout, workspace: Path, task_id: str, clock: Clock) -> None:
    """Give back the place of a task that is over, if a supervisor died that had taken it."""
    path = layout.writer_lease(workspace)
    holder = lease_holder(path)
    if holder and holder.label == f"{_TASK}{task_id}":
        release_if_stale(path, holder.label, clock)


def _agent_lives(layout: Layout, label: str) -> bool:
    if not label.startswith(_TASK):
        return False
    try:
        record = RecordStore(layout).get(label.removeprefix(_TASK))
    except CaesarError:
        return True  # nobody can tell: no second writer
    agent = record.agent_process if record and record.is_active else None
    return agent is not None and is_alive(agent)
