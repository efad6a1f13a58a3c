"""Short ways to build events and views for the tests of the board."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from caesar_core.board.views import StreamView, TaskFacts, TaskView
from caesar_core.clock import iso
from caesar_core.protocol.event import Event, EventBody, Message, ToolStatus, ToolUse

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def at(seconds: float) -> str:
    return iso(START + timedelta(seconds=seconds))


def now(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def event(body: EventBody, seconds: float = 0, seq: int = 0) -> Event:
    return Event(seq=seq, at=at(seconds), task_id="t_1", body=body)


def say(text: str, seconds: float = 0) -> Event:
    return event(Message(text=text), seconds)


def tool(
    name: str,
    status: ToolStatus = "started",
    *,
    call: str = "",
    summary: str = "",
    seconds: float = 0,
) -> Event:
    body = ToolUse(tool=name, id=call, input_summary=summary, status=status)
    return event(body, seconds)


def running(stream: StreamView | None = None, **facts: Any) -> TaskView:
    known: dict[str, Any] = {
        "id": "t_1",
        "agent": "codex",
        "status": "running",
        "started_at": at(0),
        **facts,
    }
    return TaskView(facts=TaskFacts(**known), stream=stream or StreamView())


def ended(status: str = "succeeded", **facts: Any) -> TaskView:
    return running(status=status, ended_at=at(60), **facts)
