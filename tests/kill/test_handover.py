"""R3: what one supervisor knew, the next one knows; dying in this process, without real kills."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from caesar_core.clock import FakeClock
from caesar_core.engine import run as engine_run
from caesar_core.engine.run import Supervisor
from caesar_core.identity import current
from caesar_core.process import supervise as process_supervise
from caesar_core.process.supervise import Ending
from caesar_core.store.lease import CLEANUP_AGE
from tests.fakes.sandbox import Sandbox
from tests.integration.engine.killing import KilledError, begin, let_go, record_of, supervise


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    return Sandbox.make(tmp_path / "project", {"a.txt": "one\n"})


def _dies(monkeypatch: pytest.MonkeyPatch, watch: Callable[..., Any]) -> None:
    """Let one supervisor watch its agent like this, and die."""
    real = process_supervise.watch_child

    def once(*args: Any, **kwargs: Any) -> Ending:
        monkeypatch.setattr(engine_run, "watch_child", real)
        watch(*args, **kwargs)
        raise KilledError("watching")

    monkeypatch.setattr(engine_run, "watch_child", once)


def test_r3_what_was_found_before_a_kill_stands_in_the_report(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "true", config='[worktree]\ncopy = ["a.txt"]\n')
    _dies(monkeypatch, lambda agent, **_: agent.process.wait())
    assert supervise(project, task_id) == "watching"
    let_go(project, task_id)

    assert supervise(project, task_id) == ""

    report = json.loads(project.layout.task(task_id).report.read_bytes())
    titles = [finding["title"] for finding in report["findings"]]
    assert titles.count("Path not materialized in the worktree") == 1
    assert list(project.layout.plans.iterdir()) == []


def test_r3_cancelled_while_nobody_watched_and_gone_is_cancelled(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "exec sleep 60")

    def kill(agent: Any, **_: Any) -> None:
        agent.process.kill()
        agent.process.wait()

    _dies(monkeypatch, kill)
    assert supervise(project, task_id) == "watching"
    let_go(project, task_id)
    project.layout.task(task_id).cancel_request.write_text("{}")

    assert supervise(project, task_id) == ""

    record = record_of(project, task_id)
    assert (record.status, record.reason, record.exit_code) == ("cancelled", "cancelled", None)


def test_r3_how_an_agent_ended_is_kept_before_anything_is_cleared_up(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "exit 7")

    def ends(self: Any, marker: str, spare: object) -> int:
        raise KilledError("clearing")

    with monkeypatch.context() as patched:
        patched.setattr("caesar_core.process.supervise._Watch.clear", ends)
        assert supervise(project, task_id) == "clearing"
    let_go(project, task_id)

    assert supervise(project, task_id) == ""

    record = record_of(project, task_id)
    assert (record.status, record.exit_code) == ("failed", 7)


def test_a_lease_that_is_just_being_cleared_is_waited_for(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody began to clear the stale lease and died; after half a minute that does not count."""
    project, task_id = begin(sandbox, "true")
    project.layout.plan(task_id).unlink()  # it ends at once then
    lease = project.layout.lease(task_id)
    (lease / "cleanup.lock").mkdir(parents=True)
    marker = {"pid": os.getpid(), "token": "t", "started": current().started - 5}
    (lease / "marker.json").write_text(json.dumps(marker))
    begun = (lease / "cleanup.lock").stat().st_mtime
    clock = FakeClock(datetime.fromtimestamp(begun, UTC))
    before = clock.monotonic()

    Supervisor(project.layout, task_id, clock).run()

    assert record_of(project, task_id).status == "failed"
    assert CLEANUP_AGE <= clock.monotonic() - before < CLEANUP_AGE + 5
    assert not lease.exists()
