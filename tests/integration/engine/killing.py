"""A supervisor in the test's own process, which dies where the test wants it to."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from caesar_core.clock import SystemClock
from caesar_core.engine.delegate import delegate
from caesar_core.engine.project import Project
from caesar_core.engine.request import Request
from caesar_core.engine.run import Supervisor
from caesar_core.identity import ProcessRef, current
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.layout import Layout
from caesar_core.store.records import Record
from tests.fakes.sandbox import Sandbox

_TAKEN = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


class KilledError(BaseException):
    """Ends a supervisor as SIGKILL would: nothing of it handles this."""


class IdleLauncher:
    """Starts nothing: the test is the supervisor."""

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        return current()


def begin(
    sandbox: Sandbox,
    script: str,
    timeout: str = "1m",
    checks: tuple[str, ...] = (),
    config: str = "",
) -> tuple[Project, str]:
    """Delegate to an agent that is this shell script; nobody supervises it yet."""
    program = sandbox.root / ".caesar" / "agent.sh"
    sandbox.write({".caesar/agent.sh": f"#!/bin/sh\n{script}\n"})
    program.chmod(0o755)
    declared = f'[[agent]]\nid = "mine"\nbin = "{program}"\nprompt = "none"\n'
    sandbox.write(
        {
            ".caesar/config.toml": f"{config}\n{declared}",
            ".gitignore": ".caesar/\n",
        }
    )
    project = Project(sandbox.root)
    request = Request("x", agent="mine", timeout=timeout, checks=checks)
    record, _ = delegate(project, request, launcher=IdleLauncher())
    return project, record.id


def supervise(project: Project, task_id: str) -> str:
    """Supervise the task; return where that was killed, or nothing when it came to its end."""
    try:
        with _signals_kept():
            Supervisor(project.layout, task_id, SystemClock()).run()
    except KilledError as killed:
        return str(killed) or "killed"
    return ""


def let_go(project: Project, task_id: str) -> None:
    """Remove what only a dead process would have left stale: this one lives on."""
    delete_tree(project.layout.lease(task_id))
    delete_tree(project.layout.slots)


def record_of(project: Project, task_id: str) -> Record:
    """Return the task's record."""
    record = project.records.get(task_id)
    assert record is not None
    return record


@contextmanager
def _signals_kept() -> Iterator[None]:
    handlers = [(number, signal.getsignal(number)) for number in _TAKEN]
    try:
        yield
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
