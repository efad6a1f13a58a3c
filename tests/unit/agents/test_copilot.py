"""GitHub Copilot CLI: its command line, and what does not stand in its stream."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Literal

import pytest

from caesar_core.agents.base import ChannelServer, RunContext, TokenUsage
from caesar_core.agents.copilot import CopilotAgent
from caesar_core.protocol.event import Error, Message, ToolUse
from tests.unit.agents.jobs import make_job

RESULT = '{"type":"result","sessionId":"s-1","exitCode":0}'


def pairs(argv: tuple[str, ...], flag: str) -> list[str]:
    return [value for name, value in itertools.pairwise(argv) if name == flag]


def test_the_brief_comes_by_stdin_and_nowhere_else() -> None:
    job = make_job(brief="SECRET PLAN")
    invocation = CopilotAgent().invoke(job)
    assert invocation.stdin == job.brief_file
    assert "SECRET PLAN" not in " ".join((*invocation.argv, invocation.shown))


def test_a_writing_task_may_use_all_tools_and_a_reading_one_no_writing_ones() -> None:
    assert "--allow-all-tools" in CopilotAgent().invoke(make_job(mode="write")).argv
    argv = CopilotAgent().invoke(make_job(mode="read-only")).argv
    assert "--allow-all-tools" not in argv
    assert {"--deny-tool=write", "--deny-tool=shell"} <= set(argv)


@pytest.mark.parametrize("mode", ["write", "read-only"])
def test_case_39_40_addresses_have_a_permission_of_their_own(
    mode: Literal["write", "read-only"],
) -> None:
    """With the network on, what reads only is denied to write as before."""
    argv = CopilotAgent().invoke(make_job(mode=mode, network=True)).argv
    assert "--allow-all-urls" in argv
    assert ("--deny-tool=write" in argv) == (mode == "read-only")
    assert "--allow-all-urls" not in CopilotAgent().invoke(make_job(mode=mode, network=False)).argv


def test_network_directories_model_and_session_are_passed_on() -> None:
    job = make_job(
        network=False, add_dirs=(Path("/shared"),), model="gpt-x", session_id="1-2", extra=("-s",)
    )
    argv = CopilotAgent().invoke(job).argv
    assert "--allow-all-urls" not in argv
    assert pairs(argv, "--add-dir") == ["/project/.caesar/tasks/t_1", "/shared"]
    assert pairs(argv, "--model") == ["gpt-x"]
    assert pairs(argv, "--session-id") == ["1-2"]
    assert argv[-1] == "-s"
    resumed = CopilotAgent().invoke(make_job(session_id="1-2", resume="3-4")).argv
    assert "--resume=3-4" in resumed
    assert "--session-id" not in resumed


def test_the_channel_comes_in_a_file_of_the_task() -> None:
    channel = ChannelServer(("caesar", "channel", "serve"), {"TOKEN": "1"})
    invocation = CopilotAgent().invoke(make_job(channel=channel))
    [file] = invocation.files
    assert json.loads(file.text)["mcpServers"]["caesar"]["args"] == ["channel", "serve"]
    assert pairs(invocation.argv, "--additional-mcp-config") == [f"@{file.path}"]
    assert "--allow-tool=caesar" in invocation.argv
    assert "TOKEN" not in " ".join(invocation.argv)


def usage_file(folder: Path, tokens: int) -> None:
    used = {"inputTokens": tokens, "outputTokens": 20, "cacheReadTokens": 5}
    models = {"a": {"usage": used}, "b": {"usage": {"inputTokens": 1}}, "c": "?"}
    (folder / "copilot-usage.json").write_text(json.dumps({"modelMetrics": models}))


def test_tokens_come_from_its_file_without_those_of_earlier_runs(tmp_path: Path) -> None:
    usage_file(tmp_path, 100)
    earlier = TokenUsage(input_tokens=40, output_tokens=20, cached_input_tokens=5)
    translator = CopilotAgent().translator(RunContext(task_dir=tmp_path, earlier=earlier))
    translator.feed(RESULT)
    assert list(translator.finish(0, "")) == []
    assert translator.usage == TokenUsage(61, 0, 0)
    assert translator.session_id == "s-1"


def test_a_file_of_tokens_that_cannot_be_read_is_no_trouble(tmp_path: Path) -> None:
    for content in (None, b"", b"{", b'{"modelMetrics": 3}', b"\xff" * 2_000_000):
        if content is not None:
            (tmp_path / "copilot-usage.json").write_bytes(content)
        translator = CopilotAgent().translator(RunContext(task_dir=tmp_path))
        translator.feed(RESULT)
        translator.finish(0, "")
        assert (translator.usage, translator.failure) == (None, None)


def test_a_stream_without_a_result_is_a_failure() -> None:
    translator = CopilotAgent().translator()
    [error] = translator.finish(0, "")
    assert isinstance(error, Error)
    assert (error.fatal, error.reason) == (True, "protocol")


def test_an_exit_code_that_is_no_number_is_a_failure_and_no_error_of_ours() -> None:
    [error] = CopilotAgent().translator().feed('{"type":"result","exitCode":[]}')
    assert isinstance(error, Error)
    assert error.fatal


def test_a_denied_tool_is_named_with_what_it_was_to_do() -> None:
    """CASES Q10."""
    translator = CopilotAgent().translator()
    started = {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "rm x"}}
    ended = {"toolCallId": "c", "success": False, "error": {"code": "denied", "message": "no"}}
    translator.feed(json.dumps({"type": "tool.execution_start", "data": started}))
    end, error = translator.feed(json.dumps({"type": "tool.execution_complete", "data": ended}))
    assert isinstance(end, ToolUse)
    assert end.status == "failed"
    assert isinstance(error, Error)
    assert error.message == "Permission denied: bash rm x"


def test_a_sub_agent_is_shown_apart_and_has_not_the_last_word() -> None:
    """S8: By its documented shape: no recording has one."""
    translator = CopilotAgent().translator()
    started = {"toolCallId": "c1", "toolName": "task", "arguments": {"description": "look around"}}
    inner = {"toolCallId": "c2", "toolName": "view", "arguments": {"path": "a.txt"}}
    said = [
        {"type": "assistant.message", "data": {"content": "Mine."}},
        {"type": "tool.execution_start", "data": started},
        {"type": "tool.execution_start", "data": {**inner, "parentToolCallId": "c1"}},
        {"type": "assistant.message", "data": {"content": "Its.", "parentToolCallId": "c1"}},
    ]
    bodies = [body for line in said for body in translator.feed(json.dumps(line))]
    _, _, view, message = bodies
    assert isinstance(view, ToolUse)
    assert view.input_summary.startswith("[sub-agent: ")
    assert "look around" in view.input_summary
    assert view.input_summary.endswith("a.txt")
    assert isinstance(message, Message)
    assert message.text.endswith("] Its.")
    assert translator.final_text == "Mine."
