"""What of a plan concerns the agent's process: its files, its signals, its translator's context."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Final
from uuid import uuid4

from caesar_core.agents.base import RunContext, TokenUsage
from caesar_core.engine.private import open_mirrors
from caesar_core.engine.task_run import TaskRun
from caesar_core.process.supervise import POLITE_STOP, StopPlan
from caesar_core.store.atomic import StoreError, write_atomic

_FIRST_ASKING: Final = 3.0
_KEYS: Final = tuple(spec.name for spec in fields(TokenUsage))


def write_task_files(run: TaskRun) -> None:
    """Write the files that the agent needs, readable for the user alone.

    Raises:
        StoreError: one of them cannot be written, or is no file of the task.
    """
    private = run.layout.private(run.id)
    for name, text in run.plan.files:
        path = Path(name)
        if not (path.is_relative_to(run.files.dir) or path.is_relative_to(private)):
            raise StoreError(f"{path} is no file of the task.")
        write_atomic(path, text.encode("utf-8", "replace"), mode=0o600)
    open_mirrors(run)


def name_session_anew(run: TaskRun) -> None:
    """Give the session another name: a CLI that was started with one refuses it a second time."""
    old = run.plan.session_id
    if old is None:
        return
    new = str(uuid4())
    argv = tuple(new if argument == old else argument for argument in run.plan.argv)
    run.plan = replace(run.plan, argv=argv, shown=run.plan.shown.replace(old, new))
    run.update(session_id=new)


def stop_plan(first: str) -> StopPlan:
    """Return the signals that an agent is stopped with; some CLIs clear up only after SIGINT."""
    if first != "SIGINT":
        return POLITE_STOP
    return ((SIGINT, _FIRST_ASKING), (SIGTERM, _FIRST_ASKING))


def run_context(run: TaskRun) -> RunContext:
    """Return what the translator may know of the run."""
    earlier = {key: run.plan.earlier.get(key) for key in _KEYS}
    return RunContext(
        workspace=Path(run.record.workspace),
        task_dir=run.files.dir,
        earlier=TokenUsage(**earlier),
        resumed=run.record.resumes is not None,
    )
