"""R3: signals to agents, supervisors and everything that looks on; real processes each time."""

from __future__ import annotations

import json
import os
from pathlib import Path
from signal import SIGCONT, SIGHUP, SIGKILL, SIGSTOP, SIGTERM, Signals

import psutil
import pytest

from caesar_core.clock import SystemClock
from caesar_core.identity import ProcessRef, is_alive
from caesar_core.store.records import Record
from tests.integration.engine.conftest import Caesar, eventually, processes_of
from tests.integration.engine.test_terminals import terminal
from tests.integration.servers.test_process import SERVE, raw

ONE_AT_A_TIME = "[policy]\nmax_parallel = 1\n"


def _running(caesar: Caesar, script: str, *args: str) -> tuple[Record, ProcessRef, ProcessRef]:
    """Start a task; its record, supervisor and agent."""
    task_id = caesar.detach(script, *args)
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    assert record.supervisor is not None
    assert record.agent_process is not None
    return record, record.supervisor, record.agent_process


def _stop(ref: ProcessRef) -> None:
    os.kill(ref.pid, SIGSTOP)
    eventually(lambda: psutil.Process(ref.pid).status(), lambda now: now == psutil.STATUS_STOPPED)


def _kill(ref: ProcessRef) -> None:
    os.kill(ref.pid, SIGKILL)
    eventually(lambda: is_alive(ref), lambda alive: not alive)


@pytest.mark.parametrize("number", [SIGKILL, SIGTERM, SIGHUP], ids=lambda number: number.name)
def test_r3_a_killed_agent_fails_and_its_work_is_kept(caesar: Caesar, number: Signals) -> None:
    record, _, agent = _running(caesar, "echo x > x.txt; touch made; sleep 60")
    made = Path(record.workspace) / "made"
    eventually(made.exists, bool)

    os.killpg(agent.pid, number)

    after = caesar.wait(record.id)
    assert (after.status, after.report_status) == ("failed", "failed")
    assert after.stat == {"files": 2, "insertions": 1, "deletions": 0}
    assert processes_of(record.id) == []
    assert caesar("apply", record.id).code == 0
    assert (caesar.root / "x.txt").read_text() == "x\n"


def test_r3_a_stopped_supervisor_keeps_its_slot_and_goes_on(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text(ONE_AT_A_TIME)
    record, supervisor, agent = _running(caesar, f"{caesar.at_the_gate}; echo done > d.txt")
    second = caesar.detach("echo second")
    caesar.wait(second, lambda record: record.phase == "slot")

    _stop(supervisor)
    assert caesar("ps").code == 0
    caesar.gate.touch()
    eventually(lambda: psutil.pid_exists(agent.pid) and is_alive(agent), lambda alive: not alive)
    assert caesar.record(record.id).supervisor == supervisor
    assert caesar.record(second).phase == "slot"
    os.kill(supervisor.pid, SIGCONT)

    after = caesar.wait(record.id)
    assert (after.status, after.exit_code, after.supervisor) == ("succeeded", 0, supervisor)
    assert caesar.wait(second).status == "succeeded"


def test_r3_a_supervisor_that_slept_over_the_deadline_keeps_it(caesar: Caesar) -> None:
    record, supervisor, agent = _running(caesar, "sleep 60", "--timeout", "1s")
    _stop(supervisor)
    assert record.deadline is not None
    eventually(SystemClock().monotonic, lambda now: now > (record.deadline or 0))
    assert is_alive(agent)

    os.kill(supervisor.pid, SIGCONT)

    after = caesar.wait(record.id)
    assert (after.status, after.reason) == ("timed_out", "timeout")
    assert processes_of(record.id) == []


def test_r3_a_stopped_agent_is_waited_for_and_can_be_cancelled(caesar: Caesar) -> None:
    record, _, agent = _running(caesar, "sleep 60")
    _stop(agent)
    assert caesar("ps").code == 0
    assert caesar.record(record.id).is_active

    assert caesar("cancel", record.id).code == 0

    assert caesar.record(record.id).status == "cancelled"
    assert processes_of(record.id) == []


def test_r3_a_question_that_was_open_is_answered_after_its_supervisor_was_killed(
    caesar: Caesar,
) -> None:
    script = 'caesar ask "Which?" --option a --option b > answer.txt'
    record, supervisor, agent = _running(caesar, script)
    asked = caesar.layout.task(record.id).questions
    [question] = eventually(lambda: list(asked.glob("*.json")) if asked.is_dir() else [], bool)
    _kill(supervisor)

    assert caesar("answer", record.id, question.stem, "b").code == 0
    assert caesar("ps").code == 0

    after = caesar.wait(record.id)
    assert after.status == "succeeded"
    assert (Path(after.workspace) / "answer.txt").read_text().split() == ["b"]
    assert not is_alive(agent)


def test_r3_whoever_looks_on_can_stop_sleep_and_die_and_no_task_minds(caesar: Caesar) -> None:
    """Command line, MCP server with a call that waits, and dashboard: first asleep, then killed."""
    run = caesar.start("run", "--agent", "shell", f"{caesar.at_the_gate}; echo done > d.txt")
    with raw(caesar, *SERVE) as client, terminal(caesar, "watch") as watch:
        client.greet()
        arguments = {"objective": f"{caesar.at_the_gate}; echo done", "agent": "shell"}
        other = client.call("caesar_delegate", **arguments)["task_id"]
        records = eventually(
            lambda: [caesar.record(i) for i in _ids(caesar)],
            lambda found: len(found) == 2 and all(r.agent_process for r in found),
        )
        wait = {"name": "caesar_await", "arguments": {"task_ids": [other], "timeout_ms": 600_000}}
        client.send({"id": 99, "method": "tools/call", "params": wait})
        watch.until(lambda output: b"shell" in output)
        faces = [run, client.process, watch.process]

        for face in faces:
            face.send_signal(SIGSTOP)
        assert all(caesar.record(record.id).is_active for record in records)
        for face in faces:
            face.send_signal(SIGKILL)
        assert [face.wait(10) for face in faces] == [-SIGKILL] * 3

    assert [caesar.record(r.id).supervisor for r in records] == [r.supervisor for r in records]
    caesar.gate.touch()
    assert [caesar.wait(r.id).report_status for r in records] == ["success"] * 2
    assert json.loads(caesar("ps", "--json").out)["tasks"]
    assert [path.name for path in caesar.layout.locks.iterdir()] == []


def _ids(caesar: Caesar) -> list[str]:
    return [path.stem for path in sorted(caesar.layout.records.glob("t_*.json"))]


def test_r3_a_git_that_outlives_its_supervisor_is_stopped_and_leaves_nothing(
    caesar: Caesar,
) -> None:
    """The checkout of a worktree waits in a filter; the next supervisor makes it anew."""
    started, gate = caesar.root.parent / "started", caesar.gate
    smudge = f"sh -c 'touch {started}; until [ -e {gate} ]; do sleep 0.02; done; cat'"
    caesar.git("config", "filter.slow.smudge", smudge)
    caesar.git("config", "filter.slow.clean", "cat")
    (caesar.root / ".gitattributes").write_text("a.txt filter=slow\n")
    caesar.git("add", ".gitattributes")
    caesar.git("commit", "--quiet", "-m", "slow")
    task_id = caesar.detach("echo x > x.txt")
    eventually(started.exists, bool)
    supervisor = caesar.record(task_id).supervisor
    assert supervisor is not None
    orphans = psutil.Process(supervisor.pid).children(recursive=True)
    _kill(supervisor)
    assert any(orphan.is_running() for orphan in orphans)

    assert caesar("ps").code == 0
    eventually(lambda: [o for o in orphans if o.is_running()], lambda left: not left)
    gate.touch()

    after = caesar.wait(task_id)
    assert (after.status, after.stat) == (
        "succeeded",
        {"files": 1, "insertions": 1, "deletions": 0},
    )
    branches = caesar.git("branch", "--list", "--format=%(refname:short)", "caesar/*").split()
    assert branches == [after.branch]
    assert caesar.git("worktree", "list").count("\n") == 2
