"""The scripted model, asked over its wires without any CLI."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.model.script import SCENARIOS
from tests.fakes.model.server import ModelServer

BRIEF = "Do it. Workspace: /repo/wt"
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
WRITE = {
    "type": "object",
    "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
    "required": ["file_path", "content", "overwrite"],
}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def ask(model: ModelServer, path: str, body: dict[str, Any]) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=10)
    try:
        connection.request("POST", path, json.dumps(body))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def stream(model: ModelServer, path: str, body: dict[str, Any]) -> list[Any]:
    code, text = ask(model, path, {**body, "stream": True})
    assert code == 200, text
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def anthropic(*messages: dict[str, Any]) -> dict[str, Any]:
    tools = [{"name": "Bash", "input_schema": SHELL}, {"name": "Write", "input_schema": WRITE}]
    return {
        "model": "m",
        "tools": tools,
        "messages": [{"role": "user", "content": BRIEF}, *messages],
    }


def result(text: str = "ok") -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "x", "content": text}
    return {"role": "user", "content": [block]}


def test_the_step_is_the_number_of_rounds_since_a_person_spoke(model: ModelServer) -> None:
    first = stream(model, "/r/write/v1/messages", anthropic())
    blocks = [event["content_block"] for event in first if event["type"] == "content_block_start"]
    assert [block["type"] for block in blocks] == ["text", "tool_use"]
    assert blocks[1]["name"] == "Bash"
    last = stream(model, "/r/write/v1/messages", anthropic(result(), result()))
    assert last[-2]["delta"]["stop_reason"] == "end_turn"
    again = anthropic(result(), result(), {"role": "user", "content": "once more"})
    assert stream(model, "/r/write/v1/messages", again)[-2]["delta"]["stop_reason"] == "tool_use"
    assert [seen.step for seen in model.requests("r")] == ["Act", "Report", "Act"]


def test_a_reminder_of_the_client_is_not_a_person(model: ModelServer) -> None:
    reminder = {"role": "user", "content": "<system-reminder>tools</system-reminder>"}
    events = stream(model, "/r/text/v1/messages", anthropic(result(), reminder))
    assert events[-2]["delta"]["stop_reason"] == "end_turn"
    write = stream(model, "/r/write/v1/messages", anthropic(result(), reminder))
    started = [event for event in write if event["type"] == "content_block_start"]
    assert started[-1]["content_block"]["name"] == "Write"


def test_arguments_are_named_as_the_tool_names_them(model: ModelServer) -> None:
    events = stream(model, "/r/write/v1/messages", anthropic(result()))
    partial = "".join(
        event["delta"].get("partial_json", "")
        for event in events
        if event["type"] == "content_block_delta"
    )
    content = "# Notes\nline two\n"
    written = {"file_path": "/repo/wt/notes.md", "content": content, "overwrite": "scripted"}
    assert json.loads(partial) == written


def test_a_deferred_tool_is_found_in_the_prompt(model: ModelServer) -> None:
    body = anthropic({"role": "user", "content": "load mcp__caesar__submit_report first"})
    events = stream(model, "/r/channel/v1/messages", body)
    started = [event for event in events if event["type"] == "content_block_start"]
    assert started[0]["content_block"]["name"] == "mcp__caesar__submit_report"


def responses(tools: list[dict[str, Any]], *items: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": BRIEF}]}
    return {"model": "m", "tools": tools, "input": [said, *items]}


def test_tools_of_a_namespace_are_called_with_it(model: ModelServer) -> None:
    inner = {"type": "function", "name": "submit_report", "parameters": {}}
    tools = [{"type": "namespace", "name": "mcp__caesar", "tools": [inner]}]
    events = stream(model, "/r/channel/v1/responses", responses(tools))
    call = events[-1]["response"]["output"][0]
    assert (call["name"], call["namespace"]) == ("submit_report", "mcp__caesar")
    assert json.loads(call["arguments"])["status"] == "success"
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


def test_a_tool_that_is_hidden_is_searched_for_and_then_called(model: ModelServer) -> None:
    shell = {"type": "function", "name": "shell", "parameters": SHELL}
    tools: list[dict[str, Any]] = [shell, {"type": "tool_search", "execution": "client"}]
    events = stream(model, "/r/channel/v1/responses", responses(tools))
    search = events[-1]["response"]["output"][0]
    assert (search["type"], search["arguments"]) == ("tool_search_call", {"query": "submit_report"})
    inner = {"type": "function", "name": "submit_report", "parameters": {}}
    namespace = {"type": "namespace", "name": "mcp__caesar", "tools": [inner]}
    found = {"type": "tool_search_output", "call_id": "x", "tools": [namespace]}
    again = stream(model, "/r/channel/v1/responses", responses(tools, search, found))
    assert again[-1]["response"]["output"][0]["name"] == "submit_report"


def test_a_schema_is_filled_up(model: ModelServer) -> None:
    schema = {
        "type": "object",
        "$defs": {"Change": {"type": "object", "required": ["note"], "properties": {}}},
        "properties": {
            "changes": {"type": "array", "items": {"$ref": "#/$defs/Change"}},
            "usage": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["status", "usage", "kind", "changes"],
    }
    body = {**responses([{"type": "function", "name": "shell", "parameters": SHELL}])}
    body["text"] = {"format": {"type": "json_schema", "schema": schema}}
    events = stream(model, "/r/text/v1/responses", body)
    report = json.loads(events[-1]["response"]["output"][0]["content"][0]["text"])
    assert report["status"] == "success"
    assert (report["usage"], report["kind"], report["changes"]) == (None, "a", [])


def test_a_cli_with_a_tool_for_its_last_answer_gets_a_call(model: ModelServer) -> None:
    tool = {"name": "StructuredOutput", "input_schema": {"type": "object", "properties": {}}}
    body = anthropic()
    body["tools"].append(tool)
    events = stream(model, "/r/text/v1/messages", body)
    started = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert [block.get("name") for block in started] == ["StructuredOutput"]
    use = {"type": "tool_use", "id": "x", "name": "StructuredOutput", "input": {}}
    body["messages"] += [{"role": "assistant", "content": [use]}, result()]
    events = stream(model, "/r/text/v1/messages", body)
    assert events[-2]["delta"]["stop_reason"] == "end_turn"


def test_code_mode_gets_javascript(model: ModelServer) -> None:
    item = {"type": "additional_tools", "tools": [{"type": "custom", "name": "exec"}]}
    events = stream(model, "/r/fail/v1/responses", responses([], item))
    call = events[-1]["response"]["output"][0]
    assert call["type"] == "custom_tool_call"
    assert "tools.exec_command" in call["input"]


def test_responses_without_a_stream_are_one_document(model: ModelServer) -> None:
    tools = [{"type": "function", "name": "shell", "parameters": SHELL}]
    code, text = ask(model, "/r/parallel/v1/responses", responses(tools))
    assert code == 200
    assert [item["type"] for item in json.loads(text)["output"]] == ["function_call"] * 2


def chat(*messages: dict[str, Any], tools: bool = True) -> dict[str, Any]:
    shell = {"type": "function", "function": {"name": "bash", "parameters": SHELL}}
    spoken = [{"role": "user", "content": BRIEF}, *messages]
    return {"model": "m", "messages": spoken, "tools": [shell] if tools else []}


def test_parallel_tools_come_in_one_answer(model: ModelServer) -> None:
    chunks = stream(model, "/r/parallel/v1/chat/completions", chat())
    calls = [
        call
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", ())
    ]
    assert [call["index"] for call in calls] == [0, 1]
    assert chunks[-1]["usage"]["total_tokens"] == 120
    both = chat({"role": "tool", "content": "one"}, {"role": "tool", "content": "two"})
    ended = stream(model, "/r/parallel/v1/chat/completions", both)
    assert ended[-2]["choices"][0]["finish_reason"] == "stop"


def test_a_side_request_without_tools_gets_a_title(model: ModelServer) -> None:
    code, text = ask(model, "/r/write/v1/chat/completions", chat(tools=False))
    assert code == 200
    assert json.loads(text)["choices"][0]["message"]["content"] == "Scripted title"


def test_gemini_is_told_what_to_call(model: ModelServer) -> None:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    declared = [{"name": "run_shell_command", "parametersJsonSchema": schema}]
    contents = [{"role": "user", "parts": [{"text": BRIEF}]}]
    body = {"tools": [{"functionDeclarations": declared}], "contents": contents}
    path = "/r/fail/v1beta/models/m:streamGenerateContent?alt=sse"
    events = stream(model, path, body)
    call = events[0]["candidates"][0]["content"]["parts"][0]["functionCall"]
    assert call["name"] == "run_shell_command"
    assert "exit 3" in call["args"]["command"]
    code, text = ask(model, "/r/e429/v1beta/models/m:generateContent", body)
    assert (code, json.loads(text)["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")


@pytest.mark.parametrize("scenario", ["e401", "e429", "e500"])
def test_an_error_is_the_wires_own(model: ModelServer, scenario: str) -> None:
    for path, body in (("v1/messages", anthropic()), ("v1/chat/completions", chat())):
        code, text = ask(model, f"/r/{scenario}/{path}", body)
        assert code == int(scenario[1:])
        assert json.loads(text)["error"]["message"]


def test_a_dropped_answer_has_no_end(model: ModelServer) -> None:
    chunks = stream(model, "/r/drop/v1/chat/completions", chat())
    assert chunks[-1]["choices"][0]["delta"] == {"content": "half a sen"}
    assert stream(model, "/r/drop/v1/messages", anthropic())[-1]["type"] == "content_block_delta"
    responded = stream(model, "/r/drop/v1/responses", responses([]))
    assert responded[-1]["type"] == "response.output_text.delta"


def test_an_answer_that_hangs_is_cut_when_the_server_stops() -> None:
    with ModelServer() as model:
        connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=10)
        connection.request("POST", "/r/hang/v1/messages", json.dumps(anthropic()))
        answer = connection.getresponse()
        assert answer.readline() == b": still here\n"
    answer.read()
    connection.close()


def test_a_scenario_nobody_wrote_is_refused(model: ModelServer) -> None:
    code, text = ask(model, "/r/nonsense/v1/messages", anthropic())
    assert code == 404
    assert "nonsense" in text
    assert set(SCENARIOS) >= {"write", "read", "fail", "parallel", "schema", "channel", "drop"}
