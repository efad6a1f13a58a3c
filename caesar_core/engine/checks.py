"""Checks: what we run ourselves on a task's result, so that nobody has to believe a claim.

They run on a clean checkout of exactly what the task left, furnished as its worktree was; what
they change is thrown away. A task in place is checked in its workspace, the only place it has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from caesar_core.config.settings import Checks
from caesar_core.engine.check_command import (
    Bench,
    CheckOrder,
    CheckResult,
    not_run,
    orders_of,
    run_check,
)
from caesar_core.engine.mend import mend_task_files
from caesar_core.engine.observe import Observation
from caesar_core.engine.outside import report_shared
from caesar_core.engine.request import Request
from caesar_core.engine.set_up import set_up
from caesar_core.engine.task_run import TaskRun
from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.checkout import checked_out
from caesar_core.repo.discover import Repository
from caesar_core.repo.materialize import materialize
from caesar_core.repo.worktree import Worktree, remove_worktree
from caesar_core.store.records import Record
from caesar_core.text import one_line

# A check is not the agent: it has no report to write and no order to read.
_AGENTS_OWN: Final = (
    "CAESAR_TASK_DIR",
    "CAESAR_TASK_FILE",
    "CAESAR_REPORT_PATH",
    "CAESAR_EVENTS_PATH",
)


def planned_checks(
    configured: Checks, request: Request, mode: str
) -> tuple[tuple[str, str, int], ...]:
    """Return the checks of a task: the configured ones where it may write, then those asked for."""
    known = configured.commands if mode == "write" else ()
    orders = [CheckOrder(c.run, c.name or "", c.timeout or configured.timeout) for c in known]
    orders += [CheckOrder(run, timeout_ms=configured.timeout) for run in request.checks]
    return tuple({order.run: order.to_plan() for order in orders}.values())


def is_contradicted(record: Record) -> bool:
    """Whether the report claims success and a check failed."""
    return record.report_status == "success" and bool(record.failed_checks)


def run_checks(run: TaskRun, observation: Observation) -> bool:
    """Run what is left of the task's checks; whether all of them have been run.

    Each result goes into the record as it comes, so whoever takes the task over goes on behind
    it. Whatever goes wrong is a check that did not pass, never the end of the supervisor.
    """
    orders = orders_of(run.plan.checks)
    if len(run.record.checks or ()) < len(orders):
        run.update(phase="checks")
        try:
            with _place(run, observation) as folder:
                _run_rest(run, orders, folder)
        except (CaesarError, OSError) as error:
            rest = () if run.cancelled() else orders[len(run.record.checks or ()) :]
            if rest:
                _note(run, [not_run(order, str(error)) for order in rest])
            else:
                run.find("low", "The place of the checks could not be cleared", str(error))
        report_shared(run)
    for check in run.record.failed_checks:
        run.find("high", f"A check failed: {one_line(check['command'], 120)}", _how(check))
    return len(run.record.checks or ()) >= len(orders)


def clear_check_place(run: TaskRun) -> None:
    """Remove the checkout of a supervisor that died when its checks were done, or called off."""
    repository = run.repository
    if repository is None or run.record.isolation != "worktree":
        return
    path = run.layout.check_worktree(repository.git_root, run.id)
    if run.record.checks or os.path.lexists(path):
        with suppress(CaesarError):
            remove_worktree(repository, path, None, keep_branch=True)


def _run_rest(run: TaskRun, orders: tuple[CheckOrder, ...], folder: Path) -> None:
    bench = Bench(
        task_id=run.id,
        files=run.files,
        folder=folder,
        env=check_environment(run.environment()),
        clock=run.clock,
        redactor=run.new_redactor(),
        should_stop=run.cancelled,
    )
    for number, order in enumerate(orders, 1):
        if number <= len(run.record.checks or ()):
            continue
        mend_task_files(run)  # a check runs what the agent wrote
        label = one_line(order.name or order.run, 200)
        run.progress(f"check: {label}")
        result = None if run.cancelled() else run_check(bench, order, number)
        if result is None:
            return
        _note(run, [result])
        run.progress(f"check {'passed' if result.passed else 'failed'}: {label}")


def _note(run: TaskRun, results: list[CheckResult]) -> None:
    run.update(checks=(*(run.record.checks or ()), *(result.to_json() for result in results)))


def check_environment(environment: dict[str, str]) -> dict[str, str]:
    """Return a task's environment without what only its agent needs."""
    return {name: value for name, value in environment.items() if name not in _AGENTS_OWN}


@contextmanager
def _place(run: TaskRun, observation: Observation) -> Iterator[Path]:
    record, repository = run.record, run.repository
    if record.isolation != "worktree":
        yield Path(record.workspace)
        return
    commit = observation.outcome or record.base_ref
    if repository is None or commit is None or observation.observed is None:
        raise OperationError("what the task left could not be read")
    path = run.layout.check_worktree(repository.git_root, run.id)
    with checked_out(repository, path, commit, filters=record.filters) as worktree:
        _furnish(run, repository, worktree)
        yield worktree.workspace


def _furnish(run: TaskRun, repository: Repository, worktree: Worktree) -> None:
    worktree.workspace.mkdir(parents=True, exist_ok=True)
    plan = run.plan
    materialize(repository, run.layout.root, worktree, copy=plan.copy, link=plan.link)
    if plan.setup:
        set_up(run, plan.setup, worktree.workspace, check_environment(run.environment()))


def _how(check: dict[str, Any]) -> str:
    code = check.get("exit_code")
    if code is not None:
        return f"it exited with {code}"
    return one_line(str(check.get("output_tail", "")).rpartition("[")[2].rstrip("]"), 300)
