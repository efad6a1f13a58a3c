"""What no recording holds: sub-agents, plans, fruitless loops, sessions gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesar_core.agents.base import Denial, RunContext, TokenUsage
from caesar_core.agents.claude_stream import ClaudeTranslator
from caesar_core.agents.codex_stream import CodexTranslator
from caesar_core.agents.gemini_stream import GeminiTranslator
from caesar_core.agents.reading import read_object, relative, summarize
from caesar_core.agents.trouble import reason_of, trouble
from caesar_core.protocol.event import Error, EventBody, FileChanged, Message, Progress, ToolUse
from tests.unit.agents.recordings import Recording, new_translator, play


def feed(translator: Any, *documents: dict[str, Any]) -> list[EventBody]:
    return [body for document in documents for body in translator.feed(json.dumps(document))]


def said(text: str, parent: str | None = None) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"content": content}, "parent_tool_use_id": parent}


def called(call: str, name: str, given: object, parent: str | None = None) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": call, "name": name, "input": given}]
    return {"type": "assistant", "message": {"content": content}, "parent_tool_use_id": parent}


def test_sub_agent_of_claude_is_shown_apart_and_has_not_the_last_word() -> None:
    """S8."""
    translator = ClaudeTranslator()
    bodies = feed(
        translator,
        said("I let somebody look."),
        called("t1", "Task", {"description": "Find the parser", "prompt": "long"}),
        called("t2", "Bash", {"command": "grep -r parse"}, parent="t1"),
        said("It is in parse.py.", parent="t1"),
    )

    assert translator.final_text == "I let somebody look."
    assert bodies[2:] == [
        ToolUse(tool="Bash", id="t2", input_summary="[sub-agent: Find the parser] grep -r parse"),
        Message(text="[sub-agent: Find the parser] It is in parse.py."),
    ]


def test_claude_limit_of_an_account_says_when_it_ends() -> None:
    """Cases S3, M2."""
    info = {"status": "rejected", "resetsAt": 1_800_000_000, "rateLimitType": "five_hour"}
    (error,) = feed(ClaudeTranslator(), {"type": "rate_limit_event", "rate_limit_info": info})

    assert error == Error(
        message="The account's five hour limit is used up.",
        reason="quota",
        retry_at="2027-01-15T08:00:00.000Z",
    )


def test_claude_result_that_is_called_success_and_is_an_error() -> None:
    """Case 33."""
    translator = ClaudeTranslator()
    feed(translator, {"type": "result", "subtype": "success", "is_error": True, "result": "no"})

    assert translator.failure is not None


def test_structured_answer_of_claude_is_its_last_word() -> None:
    translator = ClaudeTranslator()
    result = {"type": "result", "subtype": "success", "is_error": False, "result": "x"}
    feed(translator, {**result, "structured_output": {"status": "success"}})

    assert translator.final_text == '{"status": "success"}'


def test_claude_ends_a_tool_by_its_id_alone() -> None:
    """Case 30."""
    translator = ClaudeTranslator()
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True}
    bodies = feed(
        translator,
        called("t1", "Read", {"file_path": "a"}),
        {"type": "user", "message": {"content": [result]}},
        {"type": "user", "message": {"content": [result]}},
    )

    assert [body.status for body in bodies if isinstance(body, ToolUse)] == ["started", "failed"]


def test_codex_plan_is_progress() -> None:
    items = [{"text": "read", "completed": True}, {"text": "write", "completed": False}]
    (body,) = feed(
        CodexTranslator(),
        {"type": "item.updated", "item": {"id": "1", "type": "todo_list", "items": items}},
    )

    assert body == Progress(message="1 of 2 steps done; next: write", pct=50.0)


def test_codex_file_is_changed_once() -> None:
    """Case 28: start and end of the item both list it."""
    changes = [{"path": "a.txt", "kind": "add"}]
    item = {"id": "1", "type": "file_change", "changes": changes, "status": "in_progress"}
    bodies = feed(
        CodexTranslator(),
        {"type": "item.started", "item": item},
        {"type": "item.completed", "item": {**item, "status": "completed"}},
    )

    assert bodies.count(FileChanged(path="a.txt", action="created")) == 1
    assert len(bodies) == 3


def test_codex_command_that_was_declined_is_a_denial() -> None:
    translator = CodexTranslator()
    item = {"id": "1", "type": "command_execution", "command": "rm -rf /", "status": "declined"}
    feed(translator, {"type": "item.completed", "item": item})

    assert translator.denials == (Denial("shell", "rm -rf /"),)


def test_codex_text_between_its_lines_is_counted_only() -> None:
    """Case 29."""
    translator = CodexTranslator()

    assert list(translator.feed("Reading additional input from stdin...")) == []
    assert translator.unknown_lines == 1


def test_ten_steps_that_bring_nothing_are_enough() -> None:
    translator = CodexTranslator()
    line = {"type": "error", "message": "Reconnecting... 1/9 (stream closed)"}
    item = {"id": "1", "type": "agent_message", "text": "going on"}
    feed(translator, *[line] * 9, {"type": "item.completed", "item": item}, *[line] * 9)
    assert translator.gives_up == ""
    feed(translator, line)

    assert translator.gives_up.startswith("10 steps in a row brought nothing")
    assert translator.failure is not None
    assert translator.failure.reason == "model_error"


@pytest.mark.parametrize(
    ("name", "earlier", "own"),
    [
        ("codex-resume", TokenUsage(300, 60, 120), TokenUsage(300, 60, 120)),
        (
            "claude-resume",
            TokenUsage(300, 60, 120, 0.001476),
            TokenUsage(300, 60, 120, 0.001476),
        ),
        ("gemini-resume", TokenUsage(300, 60, 120), TokenUsage(300, 60, 120)),
    ],
)
def test_after_a_resume_only_the_difference_counts(
    name: str, earlier: TokenUsage, own: TokenUsage
) -> None:
    context = RunContext(Path("/home/dev/project"), earlier=earlier, resumed=True)

    assert play(Recording(name), context)[1].usage == own


def test_gemini_answer_that_begins_again_is_not_doubled() -> None:
    translator = GeminiTranslator()
    part = {"type": "message", "role": "assistant", "content": "half a sen", "delta": True}
    whole = {**part, "content": "half a sentence."}
    feed(translator, part, whole, {**part, "content": " And one more."})
    translator.finish(None, "")

    assert translator.final_text == "half a sentence. And one more."


@pytest.mark.parametrize(
    ("message", "status", "reason"),
    [
        ("unexpected status 401 Unauthorized: invalid api key", None, "auth"),
        ("Missing environment variable: `OPENAI_API_KEY`.", None, "auth"),
        ("Not logged in · Please run /login", None, "auth"),
        ("API key not valid. Please pass a valid API key.", 400, "auth"),
        ("last status: 429 Too Many Requests", None, "rate_limit"),
        ("You exceeded your current quota, please check your plan", 429, "quota"),
        ("You've hit your usage limit. Upgrade to Pro", None, "quota"),
        ("Your credit balance is too low", 400, "quota"),
        ("Reconnecting... 1/1 (high demand)", None, "model_error"),
        ("overloaded_error", 529, "model_error"),
        ("connect ECONNREFUSED 127.0.0.1:80", None, "network"),
        ("stream disconnected before completion", None, "network"),
        ("it went wrong", None, "other"),
        ("server error on page 401", 500, "model_error"),
    ],
)
def test_reason_of_a_refusal(message: str, status: int | None, reason: str) -> None:
    assert reason_of(message, status) == reason


def test_limit_of_an_account_with_its_epoch_gives_the_time() -> None:
    error = trouble("Claude AI usage limit reached|1800000000", fatal=True)

    assert (error.reason, error.retry_at) == ("quota", "2027-01-15T08:00:00.000Z")


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"file_path": "a.py", "content": "x" * 9_000}, "a.py"),
        ({"command": ["git", "diff"], "cwd": "/"}, "git diff"),
        ({"other": [1, {"a": "b"}]}, '{"other": [1, {"a": "b"}]}'),
        ({}, ""),
        (None, ""),
        ("two\nlines\x1b[31m", "two lines␛[31m"),
        ({"description": "d", "command": "c"}, "c"),
    ],
)
def test_input_of_a_tool_is_one_harmless_line(given: object, line: str) -> None:
    """Case 32."""
    assert summarize(given) == line
    assert len(summarize({"a": ["x" * 1_000] * 1_000})) <= 200


def test_paths_are_relative_to_the_workspace_where_they_lie_in_it(tmp_path: Path) -> None:
    link = tmp_path / "link"
    (tmp_path / "real").mkdir()
    link.symlink_to(tmp_path / "real")

    assert relative(f"{link}/a/b.txt", link) == "a/b.txt"
    assert relative(str(tmp_path / "real" / "b.txt"), link) == "b.txt"
    assert relative("/etc/passwd", link) == "/etc/passwd"
    assert relative("a.txt", link) == "a.txt"


def test_lone_surrogates_cannot_reach_a_file() -> None:
    record = read_object('{"text": "a\\ud800b"}')

    assert record is not None
    record["text"].encode()


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        ("opencode", 'level=ERROR run=1 message="stream error" error.error="E: server error"'),
        ("gemini", "Attempt 3 failed with status 500. Retrying with backoff... _ApiError: {}"),
        ("gemini", "Attempt 3 failed: internal error. Retrying after 500ms..."),
    ],
)
def test_requests_that_only_stderr_says_are_tried_again_are_shown_and_bounded(
    agent: str, line: str
) -> None:
    translator = new_translator(agent)
    for _ in range(9):
        [error] = translator.feed_stderr(line)
        assert isinstance(error, Error)
        assert (error.fatal, error.reason) == (False, "model_error")
    assert translator.gives_up == ""
    *_, last = translator.feed_stderr(line)
    assert isinstance(last, Error)
    assert (last.fatal, last.reason) == (True, "model_error")
    assert translator.gives_up.startswith("10 steps in a row brought nothing")
