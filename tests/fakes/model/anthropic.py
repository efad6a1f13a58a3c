"""Anthropic Messages, as Claude Code asks for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.fakes.model.turn import Call, Json, Offered, SseEvent, Turn, pieces

_USAGE: Final[Json] = {
    "input_tokens": 60,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 40,
    "output_tokens": 20,
}
_KINDS: Final = {401: "authentication_error", 429: "rate_limit_error"}
# Tools of MCP servers may be named in the prompt only and loaded when they are called.
_DEFERRED: Final = re.compile(r"mcp__[A-Za-z0-9-]+__[a-z_]+")
_REMINDER: Final = "<system-reminder>"


class AnthropicWire:
    """`POST …/messages`."""

    def offered(self, body: Json) -> list[Offered]:
        tools = body.get("tools") or ()
        found = [
            Offered(tool["name"], "function", tool.get("input_schema"))
            for tool in tools
            if "name" in tool
        ]
        if found:
            named = {tool.name for tool in found}
            mentioned = set(_DEFERRED.findall(json.dumps(body))) - named
            found += [Offered(name) for name in sorted(mentioned)]
        return found

    def rounds(self, body: Json) -> int:
        count = 0
        for message in body.get("messages") or ():
            if message.get("role") != "user":
                continue
            content = message.get("content")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            if any(block.get("type") == "tool_result" for block in blocks):
                count += 1
            elif any(_is_spoken(block) for block in blocks):
                count = 0
        return count

    def wanted_schema(self, body: Json) -> Json | None:
        return None  # it has a tool for that

    def events(self, turn: Turn, body: Json) -> Iterator[SseEvent]:
        message = {**_envelope(turn, body), "content": [], "usage": {**_USAGE, "output_tokens": 1}}
        yield _event("message_start", message=message)
        if turn.broken:
            yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            delta = {"type": "text_delta", "text": "half a sen"}
            yield _event("content_block_delta", index=0, delta=delta)
            return
        for index, (start, deltas) in enumerate(_blocks(turn, body)):
            yield _event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        stop = {"stop_reason": _stop(turn), "stop_sequence": None}
        yield _event("message_delta", delta=stop, usage=_USAGE)
        yield _event("message_stop")

    def document(self, turn: Turn, body: Json) -> Json:
        text = [{"type": "text", "text": turn.text}] if turn.text or not turn.calls else []
        content = [*text, *({**_tool_use(call), "input": call.arguments} for call in turn.calls)]
        envelope = _envelope(turn, body)
        return {**envelope, "content": content, "stop_reason": _stop(turn), "usage": _USAGE}

    def error(self, code: int, message: str) -> Json:
        kind = _KINDS.get(code, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


def _is_spoken(block: Json) -> bool:
    """Whether a person said it: the client adds reminders of its own as user messages."""
    text = str(block.get("text") or "").strip()
    return block.get("type") == "text" and bool(text) and not text.startswith(_REMINDER)


def _event(kind: str, **keys: Any) -> SseEvent:
    return kind, {"type": kind, **keys}


def _envelope(turn: Turn, body: Json) -> Json:
    return {
        "id": turn.id,
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "stop_reason": None,
        "stop_sequence": None,
    }


def _stop(turn: Turn) -> str:
    return "tool_use" if turn.calls else "end_turn"


def _blocks(turn: Turn, body: Json) -> Iterator[tuple[Json, list[Json]]]:
    """Return how each block starts, and what is added to it."""
    thinks = (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    if turn.think and thinks:
        yield (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": turn.think},
                {"type": "signature_delta", "signature": "c2ln"},
            ],
        )
    if turn.text or not turn.calls:
        deltas: list[Json] = [{"type": "text_delta", "text": part} for part in pieces(turn.text)]
        yield {"type": "text", "text": ""}, deltas
    for call in turn.calls:
        partial = json.dumps(call.arguments)
        yield _tool_use(call), [{"type": "input_json_delta", "partial_json": partial}]


def _tool_use(call: Call) -> Json:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
