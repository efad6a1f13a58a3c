"""Gemini `generateContent`, as the Gemini CLI asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tests.fakes.model.turn import Json, Offered, SseEvent, Turn

_USAGE: Final[Json] = {
    "promptTokenCount": 100,
    "candidatesTokenCount": 20,
    "totalTokenCount": 120,
    "cachedContentTokenCount": 40,
    "thoughtsTokenCount": 5,
}
_STATUSES: Final = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}


class GeminiWire:
    """`POST …/models/M:generateContent` and `:streamGenerateContent`."""

    def offered(self, body: Json) -> list[Offered]:
        return [
            Offered(tool["name"], "function", _schema(tool))
            for group in body.get("tools") or ()
            for tool in group.get("functionDeclarations") or ()
        ]

    def rounds(self, body: Json) -> int:
        count = 0
        for content in body.get("contents") or ():
            if content.get("role") == "user":
                answers = any("functionResponse" in part for part in content.get("parts") or ())
                count = count + 1 if answers else 0
        return count

    def wanted_schema(self, body: Json) -> Json | None:
        schema: Json | None = (body.get("generationConfig") or {}).get("responseJsonSchema")
        return schema

    def events(self, turn: Turn, body: Json) -> Iterator[SseEvent]:
        if turn.broken:
            yield None, _candidate([{"text": "half a sen"}])
            return
        for part in _parts(turn):
            yield None, _candidate([part])
        yield None, _candidate([{"text": ""}], "STOP")

    def document(self, turn: Turn, body: Json) -> Json:
        return _candidate(_parts(turn) or [{"text": ""}], "STOP")

    def error(self, code: int, message: str) -> Json:
        status = _STATUSES.get(code, "INTERNAL")
        return {"error": {"code": code, "message": message, "status": status}}


def _schema(tool: Json) -> Json:
    schema: Json = tool.get("parametersJsonSchema") or tool.get("parameters") or {}
    return schema


def _parts(turn: Turn) -> list[Json]:
    parts: list[Json] = [{"text": turn.think, "thought": True}] if turn.think else []
    parts += [{"text": turn.text}] if turn.text else []
    for call in turn.calls:
        function = {"name": call.name, "args": call.arguments, "id": call.id}
        parts.append({"functionCall": function})
    return parts


def _candidate(parts: Sequence[Json], finish: str | None = None) -> Json:
    candidate: Json = {"index": 0, "content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": _USAGE, "modelVersion": "scripted"}
