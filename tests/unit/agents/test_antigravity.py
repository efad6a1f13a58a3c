"""Antigravity: after public descriptions alone; the program itself was never run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesar_core.agents.antigravity import AntigravityAgent
from caesar_core.protocol.event import Error, FileChanged, Message, Thinking, ToolUse
from tests.unit.agents.jobs import make_job


def step(kind: str, state: str = "DONE", **keys: Any) -> str:
    update = {"step_index": 4, "state": state, "step_type": kind, **keys}
    return json.dumps({"event": "step_update", "step_update": update})


def result(**keys: Any) -> str:
    return json.dumps({"event": "result", "result": {"status": "SUCCESS", **keys}})


def test_the_brief_is_one_line_on_stdin_and_nowhere_else() -> None:
    invocation = AntigravityAgent().invoke(make_job(brief='SECRET "PLAN"\n\u2028end'))
    [file] = invocation.files
    assert invocation.stdin == file.path
    assert file.text.count("\n") == 1
    assert json.loads(file.text)["message"]["content"] == 'SECRET "PLAN"\n\u2028end'
    assert "SECRET" not in " ".join((*invocation.argv, invocation.shown))


def test_mode_limit_directories_model_schema_and_session_are_passed_on() -> None:
    job = make_job(
        mode="read-only",
        deadline_ms=90_500,
        add_dirs=(Path("/shared"),),
        model="m",
        schema_file=Path("/s.json"),
        resume="id",
        extra=("--sandbox",),
    )
    line = " ".join(AntigravityAgent().invoke(job).argv)
    # A minute more than ours, which is to decide: its own end may look like a success.
    assert "--print-timeout 151s" in line
    assert "--mode plan" in line
    assert "--dangerously-skip-permissions" not in line
    assert "--add-dir /project/.caesar/tasks/t_1 --add-dir /shared" in line
    assert line.endswith("--model m --json-schema /s.json --conversation id --sandbox")
    assert "accept-edits --dangerously" in " ".join(AntigravityAgent().invoke(make_job()).argv)


def test_pieces_of_a_text_become_one_message() -> None:
    translator = AntigravityAgent().translator()
    assert list(translator.feed(step("agent_response", "ACTIVE", text_delta="All "))) == []
    [message] = translator.feed(step("agent_response", text_delta="done"))
    assert message == Message(text="All done")
    [thought] = translator.feed(step("thinking", text_delta="Hm."))
    assert thought == Thinking(text="Hm.")


def test_case_36_an_error_without_a_text_is_flagged_all_the_same() -> None:
    [error] = AntigravityAgent().translator().feed(step("error_message"))
    assert isinstance(error, Error)
    assert error.message
    assert not error.fatal


def test_case_37_an_answer_without_a_text_says_nothing() -> None:
    assert list(AntigravityAgent().translator().feed(step("agent_response"))) == []


def test_a_file_that_a_tool_wrote_is_named() -> None:
    info = {"name": "write_to_file", "parameters": {"TargetFile": "a/b.txt"}}
    bodies = AntigravityAgent().translator().feed(step("tool", tool_info=info))
    assert [body.status for body in bodies if isinstance(body, ToolUse)] == ["started", "succeeded"]
    assert bodies[-1] == FileChanged(path="a/b.txt", action="created")


def test_a_denial_without_an_answer_is_no_success() -> None:
    """CASES S9, Q10: exit code 0, SUCCESS, no words."""
    translator = AntigravityAgent().translator()
    translator.feed(result(response="", denied_actions=[{"action": "command(rm)"}]))
    translator.finish(0, "")
    assert translator.failure is not None
    assert translator.failure.reason == "permission_denied"
    assert [denial.what for denial in translator.denials] == ["command(rm)"]


@pytest.mark.parametrize(
    ("lines", "code", "stderr", "reason"),
    [
        ([result(response="half")], 0, "[agy] print timeout after 5m0s\n", "timeout"),
        ([], 3, 'AGY_ERROR: {"message":"out of it"}\n', "quota"),
        ([result(status="ERROR", error="You are not logged in")], 1, "", "auth"),
        ([], 1, "authentication required", "auth"),
        ([], 0, "", "protocol"),
        ([result(status="ERROR", error="timeout waiting for response")], 1, "", "timeout"),
    ],
)
def test_case_35_failures_have_their_reason(
    lines: list[str], code: int, stderr: str, reason: str
) -> None:
    translator = AntigravityAgent().translator()
    said = [body for line in lines for body in translator.feed(line)]
    said += translator.finish(code, stderr)
    assert translator.failure is not None
    assert translator.failure.reason == reason
    assert any(isinstance(body, Error) and body.fatal for body in said)
