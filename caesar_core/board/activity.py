"""What a task does right now, in one line; and a quick answer from the end of a stream."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from caesar_core.board.reduce import fold_lines
from caesar_core.board.standing import SILENCE_MS, elapsed_ms, silent_ms, standing_trouble
from caesar_core.board.views import StreamView, TaskView, ToolCallView
from caesar_core.text import human_duration, one_line

QUICK_BYTES: Final = 64 * 1024
QUICK_LINES: Final = 16
_STATUS: Final = {"timed_out": "timed out"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """The answer to "what is it doing?".

    Attributes:
        headline: one harmless line, without ages.
        since: when what the headline says began; ISO 8601, `None` when nobody knows.
        age_ms: how long the tool that the headline names has been running.
        more: how many other tools run at the same time.
        silent_ms: milliseconds without a sign of life, `None` for a task that is over.
        stalled: silent for `standing.SILENCE_MS` or longer and not waiting for a person.

    """

    headline: str = ""
    since: str | None = None
    age_ms: int | None = None
    more: int = 0
    tools_running: tuple[str, ...] = ()
    silent_ms: int | None = None
    stalled: bool = False
    events: int = 0
    insertions: int | None = None
    deletions: int | None = None

    @property
    def text(self) -> str:
        """The headline with its age, and with the evidence of a silence."""
        parts = [self.headline]
        if self.age_ms is not None:
            parts.append(human_duration(self.age_ms / 1000))
        if self.more:
            parts.append(f"(+{self.more})")
        if self.stalled and self.silent_ms is not None:
            parts.append(f"· no event for {human_duration(self.silent_ms / 1000)}")
        return " ".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        """Return the `activity` of `caesar ps --json`."""
        return {
            "headline": self.headline,
            "since": self.since,
            "tools_running": list(self.tools_running),
            "silent_ms": self.silent_ms,
            "events": self.events,
            "insertions": self.insertions,
            "deletions": self.deletions,
        }


def activity(view: TaskView, now: datetime) -> Activity:
    """Return what the task does at `now`."""
    facts, stream = view.facts, view.stream
    quiet = silent_ms(view, now)
    says, since = _headline(view)
    first = stream.running[-1] if _shows_tool(view) else None
    waits = bool(view.open_questions) or standing_trouble(stream) is not None
    return Activity(
        headline=one_line(says),
        since=since or None,
        age_ms=elapsed_ms(first.started_at, now) if first else None,
        more=len(stream.running) - 1 if first else 0,
        tools_running=tuple(_call_text(call) for call in stream.running),
        silent_ms=quiet,
        stalled=quiet is not None and quiet >= SILENCE_MS and not waits and not facts.busy,
        events=stream.events,
        insertions=facts.insertions,
        deletions=facts.deletions,
    )


def quick_stream(tail: bytes, *, whole: bool, newlines: int | None = None) -> StreamView:
    """Return a view from the last bytes of a stream: enough for a headline, cheap for hundreds.

    Args:
        tail: the end of `events.jsonl`.
        whole: whether `tail` is the whole file; else its first, cut line is dropped.
        newlines: how many lines the whole file has; `None` takes the last event's `seq`.

    """
    pieces = tail.rsplit(b"\n", QUICK_LINES + 1)
    read_all = whole and len(pieces) <= QUICK_LINES + 1
    view, events = fold_lines(StreamView(), pieces[:-1] if read_all else pieces[1:-1])
    if read_all:
        return view
    last = events[-1].seq + 1 if events else 0
    return replace(view, events=newlines if newlines is not None else max(last, view.events))


def _headline(view: TaskView) -> tuple[str, str]:
    """Return the headline and since when: what waits for a person, then the order of the spec."""
    asked = view.open_questions
    if asked:
        return asked[0].question, asked[0].asked_at
    if not view.facts.is_active:
        return _over(view)
    return _under_way(view.stream)


def _over(view: TaskView) -> tuple[str, str]:
    facts, stream = view.facts, view.stream
    ended = facts.ended_at or ""
    if stream.ending is not None:
        return stream.ending.summary or stream.ending.status, ended or stream.ending.at
    if stream.trouble is not None:
        return stream.trouble.message, stream.trouble.at
    return _STATUS.get(facts.status, facts.status), ended


def _under_way(stream: StreamView) -> tuple[str, str]:
    if stream.ending is not None:
        return stream.ending.summary or stream.ending.status, stream.ending.at
    if stream.running:
        return _call_text(stream.running[-1]), stream.running[-1].started_at
    if stream.trouble is not None:
        return stream.trouble.message, stream.trouble.at
    if stream.speech.strip():
        return ("…" if stream.speech_cut else "") + stream.speech, stream.speech_at
    if stream.last_tool is not None:
        return _call_text(stream.last_tool), stream.last_tool.ended_at
    return stream.progress, stream.progress_at


def _shows_tool(view: TaskView) -> bool:
    stream = view.stream
    return bool(
        stream.running
        and view.facts.is_active
        and not view.open_questions
        and stream.ending is None
    )


def _call_text(call: ToolCallView) -> str:
    return one_line(f"{call.tool} {call.summary}")
