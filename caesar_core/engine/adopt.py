"""Tasks whose supervisor is gone: given a new one, which goes on or concludes.

Only on positive proof: the process that is recorded is dead for sure. A record of the reference
implementation is concluded when its lease is stale, and left alone when there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from caesar_core.engine.launcher import Launcher, LocalLauncher
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.identity import is_alive
from caesar_core.store.lease import lease_state
from caesar_core.store.records import Record


def adopt_orphans(
    project: Project, records: Iterable[Record], *, launcher: Launcher | None = None
) -> list[str]:
    """Give every abandoned task a supervisor; return their ids. Never raises for one task."""
    adopted = []
    for record in records:
        if record.is_active and is_orphan(project, record):
            with suppress(CaesarError):
                adopt_orphan(project, record, launcher=launcher)
                adopted.append(record.id)
    return adopted


def adopt_orphan(project: Project, record: Record, *, launcher: Launcher | None = None) -> None:
    """Start a supervisor for a task; it does nothing when another one is at work.

    Raises:
        OperationError: it could not be started.
    """
    (launcher or LocalLauncher()).launch(project.layout, record.id)


def is_orphan(project: Project, record: Record) -> bool:
    """Whether nobody watches over an active task any more, for sure."""
    if record.supervisor is not None:
        return not is_alive(record.supervisor)
    if record.starter is not None:
        return not is_alive(record.starter) and lease_state(project.layout.lease(record.id)) in {
            "absent",
            "stale",
        }
    return lease_state(project.layout.lease(record.id)) == "stale"
