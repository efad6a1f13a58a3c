"""Cancelling a task from any process, and waiting for the end of it."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import Final

from caesar_core.clock import iso
from caesar_core.engine.adopt import Caretaker, adopt_orphan
from caesar_core.engine.mend import clear_task_files
from caesar_core.engine.project import Project
from caesar_core.errors import NotFoundError, OperationError
from caesar_core.identity import current, is_alive
from caesar_core.process.identity import signal_process
from caesar_core.store.atomic import create_exclusive
from caesar_core.store.records import Record

PATIENCE: Final = 20.0
_PAUSE: Final = 0.05


@dataclass(frozen=True, slots=True)
class CancelResult:
    """What became of the wish.

    Attributes:
        cancelled: the task was cancelled by this call; false when it was over already.
        status: its status now.
        stopping: it was told to stop and has not ended yet.
    """

    task_id: str
    cancelled: bool
    status: str
    message: str
    stopping: bool = False


def cancel_task(project: Project, task_id: str, *, patience: float = PATIENCE) -> CancelResult:
    """Stop a task: TERM to everything it started, five seconds, KILL; returns after its end.

    Raises:
        NotFoundError: there is no such task.
    """
    record = project.records.get(task_id)
    if record is None:
        raise NotFoundError(f"No task {task_id}.", "`caesar ps --all` lists every task.")
    if not record.is_active:
        return _result(record, f"{task_id} is over: {record.status}.")
    if record.supervisor is None and record.starter is None:
        return _result(record, f"{task_id} was started by another program; stop it there.")
    request_cancel(project, record)
    record = _wait(project, record, patience)
    if record.is_active:
        return _result(record, f"{task_id} is still stopping.", stopping=True)
    done = record.status == "cancelled"
    return _result(record, f"{task_id} is {record.status}.", cancelled=done)


def request_cancel(project: Project, record: Record) -> None:
    """Leave the wish on disk and wake the supervisor; one that is gone is replaced."""
    files = project.layout.task(record.id)
    wish = {"at": iso(project.clock.now()), "by": current().pid}
    try:
        clear_task_files(files)
        create_exclusive(files.cancel_request, json.dumps(wish).encode())
    except OperationError:  # a full disk: a living supervisor hears the signal all the same
        if record.supervisor is None or not is_alive(record.supervisor):
            raise
    if record.supervisor is not None and signal_process(record.supervisor, signal.SIGTERM):
        signal_process(record.supervisor, signal.SIGCONT)  # a stopped one hears nothing
        return
    adopt_orphan(project, record)


def _result(
    record: Record, message: str, *, cancelled: bool = False, stopping: bool = False
) -> CancelResult:
    return CancelResult(record.id, cancelled, record.status, message, stopping)


def _wait(project: Project, record: Record, patience: float) -> Record:
    until = project.clock.monotonic() + patience
    caretaker = Caretaker(project, record.id)
    while record.is_active and project.clock.monotonic() < until:
        project.clock.sleep(_PAUSE)
        record = caretaker.look()
    return record
