"""Tasks whose supervisor is gone: given a new one, which goes on or concludes.

Only on positive proof: the process that is recorded is dead for sure. A record of the reference
implementation is concluded when its lease is stale, and left alone when there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from caesar_core.clock import parse_iso
from caesar_core.engine.launcher import Launcher, LocalLauncher
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError, OperationError
from caesar_core.identity import current, is_alive
from caesar_core.store.lease import lease_state
from caesar_core.store.records import Record

_MOST_ATTEMPTS: Final = 5
_LONGEST_START: Final = 15.0
_PAUSE: Final = 1.0  # seconds: a new supervisor needs some to say that it is there
_TRIES: Final = 5


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


class Caretaker:
    """Looks at one task again and again, and replaces its supervisor when that dies meanwhile."""

    def __init__(self, project: Project, task_id: str, *, launcher: Launcher | None = None) -> None:
        self._project = project
        self._task_id = task_id
        self._launcher = launcher
        self._not_before = 0.0
        self._attempts = 0
        self._last: Record | None = None
        self._since = project.clock.monotonic()

    def look(self) -> Record:
        """Return the record as it is now; reads one file, or two.

        Raises:
            OperationError: somebody removed the record; or supervisors cannot be started, or
                do not live: the disk is full, …
        """
        record = self._project.records.get(self._task_id) or self._missed()
        self._last = record
        now = self._project.clock.monotonic()
        if record.is_active and now >= self._not_before:
            self._not_before = now + _PAUSE
            self._replace_supervisor(record)
        return record

    def _missed(self) -> Record:
        """Return the record as it was: a living supervisor writes one that was removed again.

        Raises:
            OperationError: nobody will.
        """
        last = self._last
        if last is not None and last.supervisor is not None and is_alive(last.supervisor):
            return last
        # It may have come back, and its supervisor ended, since we looked.
        record = self._project.records.get(self._task_id)
        if record is None:
            raise OperationError(
                f"The record of {self._task_id} was removed while the task ran.",
                "`caesar ps --all` lists every task that is left.",
            )
        return record

    def _replace_supervisor(self, record: Record) -> None:
        if not is_orphan(self._project, record) and not self._never_came(record):
            self._attempts = 0
            return
        self._attempts += 1
        if self._attempts > _MOST_ATTEMPTS:
            raise OperationError(
                f"{record.id} has lost its supervisor, and no other one can take over.",
                f"Is the disk full? {self._project.layout.task(record.id).supervisor_log} may"
                " tell; once it is mended, `caesar ps` brings the task to its end.",
            )
        with suppress(CaesarError):
            adopt_orphan(self._project, record, launcher=self._launcher)

    def _never_came(self, record: Record) -> bool:
        """Whether the supervisor that we started has not been heard of for far too long."""
        if record.supervisor is not None or record.starter != current():
            return False
        return self._project.clock.monotonic() - self._since > _LONGEST_START


def _is_overdue(project: Project, record: Record) -> bool:
    """Whether a supervisor would have said by now that it is there, whoever started it."""
    created = parse_iso(record.created_at)
    if created is None:
        return False
    return (project.clock.now() - created).total_seconds() > _LONGEST_START


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
        held = lease_state(project.layout.lease(record.id)) not in {"absent", "stale"}
        return not held and (not is_alive(record.starter) or _is_overdue(project, record))
    return lease_state(project.layout.lease(record.id)) == "stale"
