"""OpenAI chat completions, as opencode and copilot ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.fakes.model.turn import Call, Json, Offered, SseEvent, Turn, pieces

_USAGE: Final[Json] = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


class ChatWire:
    """`POST …/chat/completions`."""

    def offered(self, body: Json) -> list[Offered]:
        found = []
        for tool in body.get("tools") or ():
            kind = tool.get("type", "function")
            inner = tool.get(kind) or {}
            found.append(Offered(str(inner.get("name")), kind, inner.get("parameters")))
        return found

    def rounds(self, body: Json) -> int:
        count, before = 0, ""
        for message in body.get("messages") or ():
            role = message.get("role")
            if role == "user":
                count = 0
            elif role == "tool" and before != "tool":
                count += 1
            before = role
        return count

    def wanted_schema(self, body: Json) -> Json | None:
        wanted = body.get("response_format") or {}
        return wanted["json_schema"]["schema"] if wanted.get("type") == "json_schema" else None

    def events(self, turn: Turn, body: Json) -> Iterator[SseEvent]:
        def chunk(delta: Json, finish: str | None = None) -> SseEvent:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return None, {**_envelope(turn, body, "chat.completion.chunk"), "choices": [choice]}

        yield chunk({"role": "assistant", "content": ""})
        if turn.broken:
            yield chunk({"content": "half a sen"})
            return
        if turn.think:
            yield chunk({"reasoning_content": turn.think})
        for piece in pieces(turn.text):
            yield chunk({"content": piece})
        for index, call in enumerate(turn.calls):
            yield chunk({"tool_calls": [{"index": index, **_tool_call(call)}]})
        yield chunk({}, _finish(turn))
        usage = {**_envelope(turn, body, "chat.completion.chunk"), "choices": [], "usage": _USAGE}
        yield None, usage
        yield None, "[DONE]"

    def document(self, turn: Turn, body: Json) -> Json:
        message: Json = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            message["tool_calls"] = [_tool_call(call) for call in turn.calls]
        choice = {"index": 0, "message": message, "finish_reason": _finish(turn)}
        envelope = _envelope(turn, body, "chat.completion")
        return {**envelope, "choices": [choice], "usage": _USAGE}

    def error(self, code: int, message: str) -> Json:
        return {"error": {"message": message, "type": f"http_{code}", "code": str(code)}}


def _envelope(turn: Turn, body: Json, kind: str) -> Json:
    return {"id": turn.id, "object": kind, "created": 1, "model": body.get("model")}


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"


def _tool_call(call: Call) -> dict[str, Any]:
    if call.text is not None:
        custom = {"name": call.name, "input": call.text}
        return {"id": call.id, "type": "custom", "custom": custom}
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}
