"""OpenAI Responses, as codex asks for them: namespaces of MCP tools and "code mode" included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from tests.fakes.model.turn import SEARCH, Call, Json, Offered, SseEvent, Turn, pieces

_USAGE: Final[Json] = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 40},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 120,
}
_FLAT: Final = "functions"
_SEARCH_RESULT: Final = "tool_search_output"


class ResponsesWire:
    """`POST …/responses`."""

    def offered(self, body: Json) -> list[Offered]:
        tools = list(body.get("tools") or ())
        for item in _items(body):  # so hands "code mode" its tools in, and so are hidden ones found
            if item.get("type") in {"additional_tools", _SEARCH_RESULT}:
                tools += item.get("tools") or ()
        found = [offered for tool in tools for offered in _flatten(tool)]
        searches = sum(item.get("type") == _SEARCH_RESULT for item in _items(body))
        # Once a step is enough: what was not found then is not there.
        has_searched = searches > self.rounds(body)
        return [tool for tool in found if tool.name != SEARCH or not has_searched]

    def rounds(self, body: Json) -> int:
        found, was_output = 0, False
        for item in _items(body):
            kind = str(item.get("type") or "message")
            is_output = kind.endswith("_output") and kind != _SEARCH_RESULT
            if kind == "message" and item.get("role") == "user":
                found = 0
            elif is_output and not was_output:
                found += 1
            was_output = is_output
        return found

    def wanted_schema(self, body: Json) -> Json | None:
        wanted = (body.get("text") or {}).get("format") or {}
        return wanted["schema"] if wanted.get("type") == "json_schema" else None

    def events(self, turn: Turn, body: Json) -> Iterator[SseEvent]:
        number = count()
        for kind, keys in self._unnumbered(turn, body):
            yield kind, {"type": kind, "sequence_number": next(number), **keys}

    def _unnumbered(self, turn: Turn, body: Json) -> Iterator[tuple[str, Json]]:
        envelope = _envelope(turn, body)
        yield "response.created", {"response": envelope}
        if turn.broken:
            message = {**_message(turn), "content": [], "status": "in_progress"}
            yield "response.output_item.added", {"output_index": 0, "item": message}
            place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
            yield "response.output_text.delta", {**place, "delta": "half a sen"}
            return
        for index, item in enumerate(_output(turn)):
            place = {"output_index": index}
            yield "response.output_item.added", {**place, "item": _opening(item)}
            yield from _growth(item, index)
            yield "response.output_item.done", {**place, "item": item}
        yield "response.completed", {"response": self.document(turn, body)}

    def document(self, turn: Turn, body: Json) -> Json:
        done = {"status": "completed", "output": _output(turn), "usage": _USAGE}
        return {**_envelope(turn, body), **done}

    def error(self, code: int, message: str) -> Json:
        return {"error": {"message": message, "type": f"http_{code}", "code": str(code)}}


def _items(body: Json) -> list[Json]:
    items = body.get("input")
    return items if isinstance(items, list) else []


def _flatten(tool: Json) -> Iterator[Offered]:
    if tool.get("type") != "namespace":
        name = str(tool.get("name") or tool.get("type"))
        yield Offered(name, tool.get("type", "function"), tool.get("parameters"))
        return
    namespace = None if tool.get("name") == _FLAT else tool.get("name")
    for inner in tool.get("tools") or ():
        kind = inner.get("type", "function")
        yield Offered(inner["name"], kind, inner.get("parameters"), namespace)


def _envelope(turn: Turn, body: Json) -> Json:
    return {
        "id": turn.id,
        "object": "response",
        "created_at": 1,
        "status": "in_progress",
        "model": body.get("model"),
        "output": [],
    }


def _output(turn: Turn) -> list[Json]:
    thought = [_reasoning(turn)] if turn.think else []
    said = [_message(turn)] if turn.text or not turn.calls else []
    return [*thought, *said, *(_call(call) for call in turn.calls)]


def _reasoning(turn: Turn) -> Json:
    summary = [{"type": "summary_text", "text": turn.think}]
    return {"type": "reasoning", "id": f"rs_{turn.id}", "summary": summary}


def _message(turn: Turn) -> Json:
    content = [{"type": "output_text", "text": turn.text, "annotations": []}]
    identity: Json = {"type": "message", "id": f"msg_{turn.id}", "role": "assistant"}
    return {**identity, "status": "completed", "content": content}


def _call(call: Call) -> Json:
    if call.name == SEARCH:
        searched = {"call_id": call.id, "execution": "client", "arguments": call.arguments}
        return {
            "type": "tool_search_call",
            "id": f"item_{call.id}",
            "status": "completed",
            **searched,
        }
    item: Json = {"id": f"item_{call.id}", "call_id": call.id, "name": call.name}
    if call.namespace:
        item["namespace"] = call.namespace
    if call.text is not None:
        return {"type": "custom_tool_call", **item, "input": call.text, "status": "completed"}
    arguments = json.dumps(call.arguments)
    return {"type": "function_call", **item, "arguments": arguments, "status": "completed"}


def _opening(item: Json) -> Json:
    """Return an item as it looks before anything of it has come."""
    empty: dict[str, Any] = {"summary": [], "content": [], "arguments": "", "input": ""}
    kept = {key: empty.get(key, value) for key, value in item.items()}
    return {**kept, "status": "in_progress"} if "status" in item else kept


def _growth(item: Json, index: int) -> Iterator[tuple[str, Json]]:
    """Return the deltas between an item's beginning and its end."""
    place = {"item_id": item["id"], "output_index": index}
    if item["type"] == "reasoning":
        text, part = item["summary"][0]["text"], {**place, "summary_index": 0}
        opening: Json = {"type": "summary_text", "text": ""}
        yield "response.reasoning_summary_part.added", {**part, "part": opening}
        yield "response.reasoning_summary_text.delta", {**part, "delta": text}
        yield "response.reasoning_summary_text.done", {**part, "text": text}
    elif item["type"] == "message":
        text, part = item["content"][0]["text"], {**place, "content_index": 0}
        opening = {"type": "output_text", "text": "", "annotations": []}
        yield "response.content_part.added", {**part, "part": opening}
        for piece in pieces(text):
            yield "response.output_text.delta", {**part, "delta": piece}
        yield "response.output_text.done", {**part, "text": text}
        yield "response.content_part.done", {**part, "part": item["content"][0]}
    elif item["type"] == "function_call":
        yield "response.function_call_arguments.delta", {**place, "delta": item["arguments"]}
        done = {**place, "arguments": item["arguments"]}
        yield "response.function_call_arguments.done", done
