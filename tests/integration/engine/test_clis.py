"""The known CLIs through `caesar run`: stand-ins that print what the real ones were seen to."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine.conftest import Caesar
from tests.unit.agents.recordings import STREAMS

SUCCESS = {"protocol": "caesar.report/v1", "status": "success", "summary": "Done."}


def install(caesar: Caesar, name: str, script: str) -> Path:
    """Put a program on PATH that keeps its stdin and arguments, then runs a script."""
    folder = caesar.root.parent / "bin"
    folder.mkdir(exist_ok=True)
    seen = caesar.root.parent / name
    program = folder / name
    keep = f'cat > {shlex.quote(str(seen))}.in; printf "%s\\n" "$@" > {shlex.quote(str(seen))}.argv'
    program.write_text(f"#!/bin/sh\n{keep}\n{script}\n")
    program.chmod(0o755)
    caesar.env["PATH"] = f"{folder}:{caesar.env['PATH']}"
    return seen


def replay(name: str, code: int = 0) -> str:
    """Return a script that prints a recorded stream."""
    out, err = (shlex.quote(str(STREAMS / f"{name}.{end}")) for end in ("jsonl", "err"))
    return f"cat {out}; [ ! -e {err} ] || cat {err} >&2; exit {code}"


def says(*documents: dict[str, Any]) -> str:
    """Return a script that prints lines of JSON."""
    return "\n".join(f"printf '%s\\n' {shlex.quote(json.dumps(one))}" for one in documents)


def codex_says(text: str, *more: dict[str, Any]) -> str:
    usage = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}
    return says(
        {"type": "thread.started", "thread_id": "thread-1"},
        *more,
        {"type": "item.completed", "item": {"id": "9", "type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": usage},
    )


def test_codex_reports_by_schema_and_leaves_session_and_usage(caesar: Caesar) -> None:
    """Cases 24, M4: the answer is the object itself; a cost that nobody tells is no 0."""
    seen = install(caesar, "codex", f"echo hi > hello.txt\n{codex_says(json.dumps(SUCCESS))}")

    result = caesar.run("say hi", agent="codex")

    assert result["report_status"] == "success"
    assert result["report_source"] == "schema"
    assert result["usage"] == {"input_tokens": 10, "output_tokens": 2, "cached_input_tokens": 4}
    record = caesar.record(result["task_id"])
    assert record.session_id == "thread-1"
    assert record.report_via == "schema"
    assert "say hi" in seen.with_suffix(".in").read_text()
    assert "say hi" not in seen.with_suffix(".argv").read_text()
    schema = caesar.layout.task(record.id).report_schema
    assert json.loads(schema.read_bytes())["additionalProperties"] is False
    assert stat.S_IMODE(schema.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("recording", "code", "reason"),
    [
        ("codex-e401", 1, "auth"),
        ("codex-e500", 1, "model_error"),
        ("codex-drop", 1, "network"),
        ("codex-mcp-broken", 1, "other"),
    ],
)
def test_failed_run_of_a_cli_says_why(
    caesar: Caesar, recording: str, code: int, reason: str
) -> None:
    """Cases O3: a login that is missing looks like neither a hang nor a success."""
    install(caesar, "codex", replay(recording, code))

    ran = caesar("run", "--agent", "codex", "x", "--json")

    assert ran.code == 1
    assert ran.json["status"] == "failed"
    assert ran.json["reason"] == reason
    events = caesar.layout.task(ran.json["task_id"]).events.read_text().splitlines()
    fatal = [event for event in map(json.loads, events) if event.get("fatal")]
    assert [event["reason"] for event in fatal] == [reason]
    (step,) = ran.json["report"]["next_steps"]
    assert ("codex login" in step) == (reason == "auth")


def test_exit_code_of_0_does_not_make_a_failed_run_green(caesar: Caesar) -> None:
    """Gemini CLI ends so when the model's stream breaks off."""
    install(caesar, "gemini", replay("gemini-drop"))

    ran = caesar("run", "--agent", "gemini", "x", "--json")

    assert ran.code == 1
    assert (ran.json["status"], ran.json["exit_code"]) == ("failed", 0)
    assert ran.json["reason"] == "network"


def test_denied_permissions_hold_a_success_back(caesar: Caesar) -> None:
    """Cases Q10: extracted from the last message, so at best partial, with what was denied."""
    refused = "ERROR codex_core::tools::router: error=patch rejected: read-only sandbox"
    text = f"```json caesar:report\n{json.dumps(SUCCESS)}\n```"
    block = {"type": "message", "role": "assistant", "content": text}
    denied = {"type": "permission_denied", "message": "Access denied"}
    use = {"type": "tool_use", "tool_id": "1", "tool_name": "write_file", "parameters": {}}
    result = {"type": "tool_result", "tool_id": "1", "status": "error", "error": denied}
    end = {"type": "result", "status": "success", "stats": {}}
    install(caesar, "gemini", says(use, result, block, end))

    extracted = caesar.run("x", agent="gemini")

    assert extracted["report_status"] == "partial"
    (finding,) = [f for f in extracted["report"]["findings"] if "denied" in f["title"]]
    assert finding["severity"] == "high"
    assert "write_file" in finding["detail"]

    install(caesar, "codex", f"echo '{refused}' >&2\n{codex_says(json.dumps(SUCCESS))}")
    handed_in = caesar.run("x", agent="codex")

    assert handed_in["report_status"] == "success"
    (finding,) = [f for f in handed_in["report"]["findings"] if "denied" in f["title"]]
    assert finding["severity"] == "medium"


def test_lines_that_nobody_understands_are_counted_and_shown(caesar: Caesar) -> None:
    strange = {"type": "of.next.year"}
    install(caesar, "codex", codex_says(json.dumps(SUCCESS), strange, strange))

    result = caesar.run("x", agent="codex")

    assert result["report_status"] == "success"
    assert caesar.record(result["task_id"]).unknown_lines == 2
    titles = [finding["title"] for finding in result["report"]["findings"]]
    assert "2 lines of the agent's output not understood" in titles


def test_cli_that_retries_for_ever_is_ended(caesar: Caesar) -> None:
    line = json.dumps({"type": "error", "message": "Reconnecting... 1/9 (stream closed)"})
    install(caesar, "codex", f"while echo '{line}'; do sleep 0.02; done")

    ran = caesar("run", "--agent", "codex", "x", "--json")

    assert (ran.code, ran.json["status"], ran.json["reason"]) == (1, "failed", "model_error")
    assert "10 steps in a row" in ran.json["report"]["summary"]


def test_arguments_after_two_dashes_reach_the_cli_last(caesar: Caesar) -> None:
    """Case 42."""
    seen = install(caesar, "codex", codex_says(json.dumps(SUCCESS)))
    caesar("run", "--agent", "codex", "x", "--json", "--", "--profile", "fast")

    assert seen.with_suffix(".argv").read_text().splitlines()[-3:] == ["-", "--profile", "fast"]


def test_what_a_task_takes_is_known_while_it_runs(caesar: Caesar) -> None:
    """Where the stream says it: OpenCode's does, step by step."""
    tokens = {"input": 10, "output": 5}
    step = {"type": "step_finish", "part": {"reason": "tool-calls", "tokens": tokens, "cost": 0.5}}
    install(caesar, "opencode", f"{says(step)}\n{caesar.at_the_gate}")
    task_id = caesar.detach("say hi", agent="opencode")
    running = caesar.wait(task_id, lambda record: record.usage is not None)
    listed = caesar("ps", "--json").json["tasks"]
    caesar.gate.touch()
    caesar.wait(task_id)
    assert (running.status, running.usage) == (
        "running",
        {"input_tokens": 10, "output_tokens": 5, "cached_input_tokens": 0, "cost_usd": 0.5},
    )
    assert listed[0]["usage"]["cost_usd"] == 0.5
