"""Real processes that end in every way there is, and a right final state each time."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest

from caesar_core.process.identity import is_alive
from tests.integration.engine.conftest import TEN_LINES, Caesar, eventually, kill, processes_of

STUBBORN = "trap '' TERM INT\nwhile :; do sleep 0.1; done"


def test_p1_grandchild_that_holds_stdout_delays_nothing_and_dies(caesar: Caesar) -> None:
    began = time.monotonic()
    result = caesar.run("sleep 300 & echo done")

    assert result["status"] == "succeeded"
    assert time.monotonic() - began < 10
    assert processes_of(result["task_id"]) == []


def test_case_98_grandchild_in_a_session_of_its_own_dies_too(caesar: Caesar) -> None:
    result = caesar.run("setsid sleep 300 & echo done")

    assert result["status"] == "succeeded"
    assert processes_of(result["task_id"]) == []


def test_p4_stdin_is_closed_at_once(caesar: Caesar) -> None:
    caesar.declare("reader", f"cat > got\n{TEN_LINES.partition(chr(10))[2]}")

    result = caesar.run("read", agent="reader")

    assert result["report_status"] == "success"
    assert [file["path"] for file in result["diff"]["files"]] == ["got"]


def test_case_102_brief_of_five_megabytes_arrives_by_stdin(caesar: Caesar, tmp_path: Path) -> None:
    caesar.declare("reader", f"wc -c > got\n{TEN_LINES.partition(chr(10))[2]}", 'prompt = "stdin"')
    context = tmp_path / "context.txt"
    context.write_text("word " * 1_000_000)

    result = caesar.run("read", "--context", f"@{context}", agent="reader")

    assert result["report_status"] == "success"
    assert int((Path(result["workspace"]) / "got").read_text()) > 5_000_000


def test_case_102_brief_too_long_for_a_command_line_is_refused_before_anything(
    caesar: Caesar, tmp_path: Path
) -> None:
    caesar.declare("argv", "exit 0", 'args = ["{{prompt}}"]')
    context = tmp_path / "context.txt"
    context.write_text("word " * 100_000)

    ran = caesar("run", "--agent", "argv", "x", "--context", f"@{context}", "--json")

    assert ran.code == 2
    assert ran.json["error"]["code"] == "brief_too_long"
    assert "promptFile" in ran.err
    assert not caesar.layout.records.exists()
    assert caesar.git("branch", "--list", "caesar/*") == ""


def test_case_97_missing_binary_is_refused_and_leaves_nothing(caesar: Caesar) -> None:
    (caesar.root / ".caesar").mkdir()
    caesar.layout.config.write_text('[[agent]]\nid="gone"\nbin="/nowhere/x"\nprompt="none"\n')

    ran = caesar("run", "--agent", "gone", "x", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "not_installed")
    assert not caesar.layout.tasks.exists()


def test_case_97_program_that_cannot_be_executed_ends_in_a_failed_task(caesar: Caesar) -> None:
    caesar.declare("odd", "exit 0")
    program = caesar.root / ".caesar" / "odd.sh"
    program.write_bytes(b"\x7fNOT A PROGRAM")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)

    ran = caesar("run", "--agent", "odd", "x", "--json")

    assert (ran.code, ran.json["status"], ran.json["reason"]) == (1, "failed", "spawn")
    assert "odd.sh" in ran.json["report"]["summary"]
    assert caesar.git("worktree", "list").count("\n") == 1


def test_deadline_ends_the_task_with_everything_it_started(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "sleep 100 & sleep 100", "--timeout", "1s", "--json")

    assert (ran.code, ran.json["status"], ran.json["reason"]) == (4, "timed_out", "timeout")
    assert ran.json["report_status"] == "failed"
    assert processes_of(ran.json["task_id"]) == []


@pytest.mark.parametrize("value", ["0", "-1", "0s", "soon", "1.5h", "1h30m", "400d"])
def test_case_101_impossible_timeouts_are_refused_before_anything(
    caesar: Caesar, value: str
) -> None:
    ran = caesar("run", "--agent", "shell", "true", f"--timeout={value}", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "bad_duration")
    assert not caesar.layout.records.exists()


@pytest.mark.parametrize("value", ["600h", "30d", "2147483648"])
def test_case_101_timeouts_of_weeks_do_not_fire(caesar: Caesar, value: str) -> None:
    assert caesar("run", "--agent", "shell", "true", "--timeout", value).code == 0


def test_case_90_100_agent_deaf_to_term_is_cancelled_from_another_process(caesar: Caesar) -> None:
    caesar.declare("deaf", STUBBORN)
    task_id = caesar.detach("x", agent="deaf")
    caesar.wait(task_id, lambda record: record.status == "running")

    ran = caesar("cancel", task_id, "--json")

    assert (ran.code, ran.json["cancelled"], ran.json["status"]) == (0, True, "cancelled")
    record = caesar.record(task_id)
    assert (record.status, record.report_status, record.pid) == ("cancelled", "failed", None)
    assert processes_of(task_id) == []
    again = caesar("cancel", task_id, "--json").json
    assert (again["cancelled"], again["status"]) == (False, "cancelled")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"]
)
def test_signal_to_a_foreground_run_cancels_its_task(
    caesar: Caesar, number: signal.Signals, code: int
) -> None:
    process = caesar.start("run", "--agent", "shell", "sleep 100", "--json")
    record = eventually(
        lambda: next(iter(_records(caesar)), None), lambda r: bool(r and r.agent_process)
    )

    process.send_signal(number)

    assert process.wait(15) == code
    assert record is not None
    assert caesar.record(record.id).status == "cancelled"
    assert processes_of(record.id) == []


def test_case_99_hang_up_lets_the_task_go_on(caesar: Caesar) -> None:
    process = caesar.start("run", "--agent", "shell", f"{caesar.at_the_gate}; echo done > done.txt")
    record = eventually(
        lambda: next(iter(_records(caesar)), None), lambda r: bool(r and r.agent_process)
    )

    process.send_signal(signal.SIGHUP)

    assert process.wait(5) == 129
    caesar.gate.touch()
    assert record is not None
    assert caesar.wait(record.id).report_status == "success"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_case_99_signal_to_the_supervisor_ends_in_a_right_state(
    caesar: Caesar, number: signal.Signals
) -> None:
    task_id = caesar.detach(caesar.at_the_gate)
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    assert record.supervisor is not None

    os.kill(record.supervisor.pid, number)

    if number == signal.SIGHUP:
        caesar.gate.touch()
    wanted = "succeeded" if number == signal.SIGHUP else "cancelled"
    assert caesar.wait(task_id).status == wanted
    assert caesar.layout.task(task_id).report.is_file()


def test_p6_killed_supervisor_is_replaced_and_the_agent_goes_on(caesar: Caesar) -> None:
    rest = TEN_LINES.partition("\n")[2]
    caesar.declare("slow", f"echo before\n{caesar.at_the_gate}\necho after\n{rest}")
    task_id = caesar.detach("x", agent="slow")
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    assert record.agent_process is not None

    kill(record.supervisor)
    assert is_alive(record.agent_process)
    caesar("ps")
    caesar.gate.touch()

    after = caesar.wait(task_id)
    assert (after.status, after.report_status, after.report_source) == (
        "succeeded",
        "success",
        "file",
    )
    assert after.supervisor != record.supervisor
    raw = caesar.layout.task(task_id).raw_log.read_bytes()
    assert raw == b"before\nafter\n"


def test_r3_supervisor_and_agent_killed_together_end_as_failed_at_the_next_look(
    caesar: Caesar,
) -> None:
    task_id = caesar.detach("sleep 100")
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    kill(record.supervisor)
    for process in processes_of(task_id):
        process.kill()

    caesar("ps")

    after = caesar.wait(task_id)
    assert (after.status, after.report_status) == ("failed", "failed")
    assert caesar.layout.task(task_id).report.is_file()
    eventually(lambda: caesar.layout.lease(task_id).exists(), lambda there: not there)


def test_slots_are_first_come_first_served(caesar: Caesar) -> None:
    (caesar.root / ".caesar").mkdir()
    caesar.layout.config.write_text("[policy]\nmax_parallel = 1\n")
    ids = [caesar.detach(caesar.at_the_gate)]
    caesar.wait(ids[0], lambda record: record.status == "running")
    for n in range(3):
        ids.append(caesar.detach(f"echo {n}"))
        caesar.wait(ids[-1], lambda record: record.phase == "slot")
    caesar.gate.touch()

    ended = [caesar.wait(task_id).started_at or "" for task_id in ids]

    assert ended == sorted(ended)
    eventually(lambda: list(caesar.layout.slots.glob("*.json")), lambda left: not left)


def test_task_that_waits_for_a_slot_can_be_cancelled(caesar: Caesar) -> None:
    (caesar.root / ".caesar").mkdir()
    caesar.layout.config.write_text("[policy]\nmax_parallel = 1\n")
    first = caesar.detach("sleep 30")
    caesar.wait(first, lambda record: record.status == "running")
    second = caesar.detach("echo never")
    caesar.wait(second, lambda record: record.phase == "slot")

    assert caesar("cancel", second, "--json").json["cancelled"] is True

    record = caesar.record(second)
    assert (record.status, record.agent_process) == ("cancelled", None)
    assert record.worktree is None
    caesar("cancel", first)


def test_case_106_raw_log_holds_the_bytes_as_they_came(caesar: Caesar) -> None:
    caesar.declare("bytes", "printf 'a\\000b\\377c\\r\\n\\033[31m'")

    result = caesar.run("x", agent="bytes")

    raw = caesar.layout.task(result["task_id"]).raw_log.read_bytes()
    assert raw == b"a\0b\xffc\r\n\x1b[31m"


def test_case_108_agent_that_appends_events_itself_is_tolerated(caesar: Caesar) -> None:
    line = (
        '{\\"protocol\\":\\"caesar.event/v1\\",\\"seq\\":0,\\"at\\":\\"2026-01-01T00:00:00.000Z\\"'
    )
    caesar.declare(
        "own",
        f'echo "{line},\\"task_id\\":\\"$CAESAR_TASK_ID\\",\\"type\\":\\"message\\",'
        '\\"text\\":\\"hello\\"}" >> $CAESAR_EVENTS_PATH\n'
        "printf half >> $CAESAR_EVENTS_PATH",
    )

    task_id = caesar.run("x", agent="own")["task_id"]

    logs = caesar("logs", task_id, "--json").json
    assert [event["type"] for event in logs["events"]] == ["started", "message", "finished"]
    assert logs["bad_lines"] == 1
    assert logs["events"][-1]["type"] == "finished"


def _records(caesar: Caesar):  # type: ignore[no-untyped-def]
    from caesar_core.store.record_store import RecordStore

    return RecordStore(caesar.layout).scan().records
