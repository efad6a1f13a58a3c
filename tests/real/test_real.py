"""Every CLI through the same situations."""

from __future__ import annotations

import json
from contextlib import suppress

import psutil
import pytest

from tests.fakes.model.script import UNTOUCHED
from tests.integration.engine.conftest import eventually, processes_of
from tests.real.project import RealProject

pytestmark = pytest.mark.timeout(120)
FAILED = {1, 4}
"""Exit codes of a task that failed, or that went on trying until its time was up."""


def test_a_task_that_writes_is_understood_from_start_to_end(real: RealProject) -> None:
    run = real.run("write")
    assert run.ran.code == 0, run.ran.err
    assert run.report["status"] == "success"
    assert run.result["report_source"] in {"extracted", "schema"}
    assert run.files == ["hello.txt", "notes.md"]
    assert {event["path"] for event in run.events if event["type"] == "file_changed"} <= {
        "hello.txt",
        "notes.md",
    }
    calls = run.tools()
    assert len(calls) >= 1
    assert all(said == ["started", "succeeded"] for said in calls.values())
    assert run.result["usage"]["input_tokens"] == 300
    assert run.result["usage"]["cached_input_tokens"] == 120
    assert run.record["session_id"]
    assert not (real.caesar.root / "hello.txt").exists()


def test_reading_changes_nothing(real: RealProject) -> None:
    run = real.run("read", "--mode", "read-only")
    assert run.ran.code == 0, run.ran.err
    assert run.files == []
    assert run.report["status"] == "success"


def test_a_read_only_task_cannot_write(real: RealProject) -> None:
    run = real.run("write", "--mode", "read-only")
    assert run.files == []
    assert not (real.caesar.root / "hello.txt").exists()
    assert not (real.caesar.root / "notes.md").exists()


def test_a_command_that_fails_is_a_failed_tool(real: RealProject) -> None:
    run = real.run("fail")
    ends = {said[-1] for said in run.tools().values()}
    assert ends == {"failed" if real.cli.exit_codes else "succeeded"}
    assert run.report["status"] == "partial"


def test_parallel_tools_are_kept_apart(real: RealProject) -> None:
    run = real.run("parallel")
    assert run.ran.code == 0, run.ran.err
    assert sorted(run.tools().values()) == [["started", "succeeded"]] * 2


def test_a_tool_that_does_not_exist_does_no_harm(real: RealProject) -> None:
    run = real.run("unknown")
    assert run.ran.code == 0, run.ran.err


@pytest.mark.parametrize(("scenario", "reason"), [("e401", "auth"), ("e429", "rate_limit")])
def test_a_refusal_by_the_provider_is_named(real: RealProject, scenario: str, reason: str) -> None:
    run = real.run(scenario, "--timeout", "20s")
    assert run.ran.code in FAILED
    assert run.result["status"] in {"failed", "timed_out"}
    assert reason in run.reasons


@pytest.mark.parametrize("scenario", ["e500", "drop"])
def test_a_broken_provider_is_no_success(real: RealProject, scenario: str) -> None:
    run = real.run(scenario, "--timeout", "40s")
    assert run.ran.code in FAILED
    assert run.report["status"] == "failed"
    assert run.reasons & {"model_error", "network"}


def test_a_provider_that_fails_again_and_again_is_given_up(real: RealProject) -> None:
    """While it is tried again the stream says so, even where only the CLI's stderr does."""
    run = real.run("e500now", "--timeout", "40s")
    assert (run.result["status"], run.result["reason"]) == ("failed", "model_error")
    assert len([event for event in run.events if event["type"] == "error"]) >= 2


def test_a_schema_holds_the_last_message(real: RealProject) -> None:
    run = real.run("schema")
    assert run.ran.code == 0, run.ran.err
    assert run.result["report_source"] == ("schema" if real.cli.schema else "extracted")
    assert run.report["summary"] == UNTOUCHED["summary"]


@pytest.mark.parametrize("mode", ["write", "read-only"])
def test_a_report_comes_through_the_channel(real: RealProject, mode: str) -> None:
    run = real.run("channel", "--channel", "--mode", mode)
    if not real.cli.channel:
        assert "Channel not injected" in [found["title"] for found in run.report["findings"]]
        return
    assert run.ran.code == 0, run.ran.err
    assert run.result["report_source"] == "channel"
    assert run.report["summary"] == "Scripted: through the channel."


def test_a_question_is_answered_while_it_works(real: RealProject) -> None:
    if not real.cli.channel:
        pytest.skip(f"{real.cli.id} takes no MCP server")
    real.scenario("ask")
    caesar = real.caesar
    task_id = caesar.detach("Do what the script says.", "--channel", agent=real.cli.id)
    folder = caesar.layout.task(task_id).dir / "questions"
    [question] = eventually(lambda: sorted(folder.glob("*.json")), bool, bound=40)
    answered = caesar("answer", task_id, question.stem, "blue")
    assert answered.code == 0, answered.err
    assert caesar.wait(task_id).status == "succeeded"
    asked = [seen.body for seen in real.requests() if seen.step != "Act"]
    assert "blue" in json.dumps(asked[-1])


def test_a_task_is_gone_on_with_and_only_the_difference_is_counted(real: RealProject) -> None:
    """In its session where the CLI can take that to another folder, else by telling it all."""
    first = real.run("write")
    real.scenario("text")
    ran = real.caesar("resume", first.result["task_id"], "Say it again.", "--json")
    run = real.read(ran, ran.json)
    assert ran.code == 0, ran.err
    assert run.result["usage"]["input_tokens"] == 100
    asked = json.dumps(real.requests()[-1].body)
    assert "Do what the script says." in asked
    assert "Say it again." in asked
    assert run.files == ["hello.txt", "notes.md"]


def test_cancelling_leaves_no_process(real: RealProject) -> None:
    real.scenario("sleep")
    caesar = real.caesar
    task_id = caesar.detach("Do what the script says.", agent=real.cli.id)
    eventually(lambda: _sleepers(task_id), bool, bound=40)
    caesar("cancel", task_id)
    record = caesar.wait(task_id)
    assert record.status == "cancelled"
    assert processes_of(task_id) == []


def _sleepers(task_id: str) -> list[psutil.Process]:
    """Return what the script's long command started."""
    found = []
    for process in processes_of(task_id):
        with suppress(psutil.Error):
            if "301" in process.cmdline():
                found.append(process)
    return found
