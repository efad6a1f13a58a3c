"""Antigravity end to end, with a stub that prints the described stream: nobody here has `agy`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar

STUB = """#!/usr/bin/env python3
import json, os, sys

asked = json.loads(sys.stdin.readline())
assert asked["event"] == "user", asked
assert "Do the work" in asked["message"]["content"]
assert not any("Do the work" in argument for argument in sys.argv)


def step(number, kind, state="DONE", **keys):
    update = {"step_index": number, "state": state, "step_type": kind, **keys}
    print(json.dumps({"event": "step_update", "step_update": update}), flush=True)


print(json.dumps({"event": "init", "conversation_id": "c-1", "init": {}}), flush=True)
target = os.path.join(os.getcwd(), "new.txt")
info = {"name": "write_to_file", "parameters": {"TargetFile": target}}
step(1, "tool", "ACTIVE", tool_info=info)
open(target, "w").write("new")
step(1, "tool", tool_info=info)
report = {"protocol": "caesar.report/v1", "status": "success", "summary": "Wrote new.txt."}
usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 40, "total_tokens": 120}
result = {"status": "SUCCESS", "response": json.dumps(report), "usage": usage, **EXTRA}
print(json.dumps({"event": "result", "result": {"conversation_id": "c-1", **result}}), flush=True)
"""


@pytest.fixture
def agy(caesar: Caesar, tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    caesar.env["PATH"] = f"{folder}:{caesar.env['PATH']}"
    return folder / "agy"


def install(agy: Path, extra: str = "{}") -> None:
    agy.write_text(STUB.replace("EXTRA", extra))
    agy.chmod(0o755)


def test_the_described_stream_becomes_a_result(caesar: Caesar, agy: Path) -> None:
    install(agy)
    result = caesar.run("Do the work", agent="antigravity")
    assert (result["status"], result["report"]["status"]) == ("succeeded", "success")
    assert result["report_source"] in {"schema", "extracted"}
    assert [change["path"] for change in result["report"]["changes"]] == ["new.txt"]
    assert result["usage"]["cached_input_tokens"] == 40
    assert caesar.record(result["task_id"]).session_id == "c-1"
    lines = caesar.layout.task(result["task_id"]).events.read_text().splitlines()
    said = [json.loads(line) for line in lines]
    assert [event["status"] for event in said if event["type"] == "tool_use"] == [
        "started",
        "succeeded",
    ]


def test_q10_what_it_was_denied_stands_in_the_report(caesar: Caesar, agy: Path) -> None:
    install(agy, '{"denied_actions": [{"action": "command(rm x)", "display_name": "rm"}]}')
    result = caesar.run("Do the work", agent="antigravity")
    [finding] = [one for one in result["report"]["findings"] if "denied" in one["title"]]
    assert (finding["severity"], finding["detail"]) == ("medium", "- rm: command(rm x)")


def test_s9_denied_and_silent_is_no_success(caesar: Caesar, agy: Path) -> None:
    """Exit code 0, SUCCESS, no words."""
    install(agy, '{"denied_actions": [{"action": "command(rm x)"}], "response": ""}')
    result = caesar.run("Do the work", agent="antigravity")
    assert (result["status"], result["reason"]) == ("failed", "permission_denied")
