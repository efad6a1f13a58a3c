"""Fold events into a :class:`StreamView`: pure, and the same however the events are batched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any, Final

from caesar_core.board.speech import report_summary
from caesar_core.board.views import Ending, StreamView, ToolCallView, Trouble
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event
from caesar_core.protocol.wire import BadEventError, UnknownVersionError, decode_event

MAX_RUNNING: Final = 8
MAX_SPEECH: Final = 400
MAX_FILES: Final = 500
MAX_TEXT: Final = 400


def fold(view: StreamView, event: Event) -> StreamView:
    """Return the view after one more event."""
    return fold_all(view, (event,))


def fold_all(view: StreamView, events: Iterable[Event]) -> StreamView:
    """Return the view after `events`, in their order."""
    state = _State(view)
    for event in events:
        state.take(event)
    return state.freeze()


def fold_lines(view: StreamView, lines: Iterable[bytes]) -> tuple[StreamView, list[Event]]:
    """Decode and fold lines of a stream; return the view and the events that were well formed.

    Empty lines are skipped; lines that are not events, or of another version, are counted.
    """
    events: list[Event] = []
    bad = 0
    for line in lines:
        try:
            events.append(decode_event(line))
        except (BadEventError, UnknownVersionError):
            bad += bool(line.strip())
    folded = fold_all(view, events) if events else view
    return (replace(folded, bad_lines=folded.bad_lines + bad) if bad else folded), events


class _State:
    """A view while it is being changed: one copy for a batch instead of one an event."""

    __slots__ = (*(spec.name for spec in fields(StreamView)), "_seen")

    events: int
    bad_lines: int
    unknown: int
    first_at: str
    last_at: str
    running: tuple[ToolCallView, ...]
    last_tool: ToolCallView | None
    speech: str
    speech_at: str
    speech_cut: bool
    speech_open: bool
    files: tuple[str, ...]
    progress: str
    progress_at: str
    pct: float | None
    trouble: Trouble | None
    ending: Ending | None
    _seen: dict[str, None] | None

    def __init__(self, view: StreamView) -> None:
        for name in _NAMES:
            setattr(self, name, getattr(view, name))
        self._seen = None

    def freeze(self) -> StreamView:
        if self._seen is not None:
            self.files = tuple(self._seen)
        return StreamView(**{name: getattr(self, name) for name in _NAMES})

    def take(self, event: Event) -> None:
        self.events += 1
        self.first_at = self.first_at or event.at
        self.last_at = event.at
        body = event.body
        if not isinstance(body, ev.Message):
            self.speech_open = False
        handler = _HANDLERS.get(type(body))
        if handler is not None:
            handler(self, event.at, body)

    def started(self, at: str, body: ev.Started) -> None:
        del at, body
        self.running, self.trouble, self.ending = (), None, None

    def message(self, at: str, body: ev.Message) -> None:
        self.trouble = self.trouble if self.trouble and self.trouble.fatal else None
        summary = report_summary(body.text)
        if summary is not None or not self.speech_open:
            self.speech, self.speech_cut, self.speech_at = "", False, at
        text = self.speech + (body.text if summary is None else summary)
        self.speech_cut = self.speech_cut or len(text) > MAX_SPEECH
        self.speech = text[-MAX_SPEECH:]
        self.speech_open = summary is None

    def tool_use(self, at: str, body: ev.ToolUse) -> None:
        self.trouble = self.trouble if self.trouble and self.trouble.fatal else None
        if body.status == "started":
            self._open_call(at, body)
        else:
            self._close_call(at, body)

    def _open_call(self, at: str, body: ev.ToolUse) -> None:
        call = ToolCallView(
            tool=body.tool[:MAX_TEXT],
            id=body.id,
            summary=body.input_summary[:MAX_TEXT],
            started_at=at,
        )
        self.last_tool = call
        for index, other in enumerate(self.running):
            if call.id and other.id == call.id:
                updated = replace(call, started_at=other.started_at)
                self.running = (*self.running[:index], updated, *self.running[index + 1 :])
                return
        self.running = (*self.running, call)[-MAX_RUNNING:]

    def _close_call(self, at: str, body: ev.ToolUse) -> None:
        index = _match(self.running, body)
        start = None if index is None else self.running[index]
        if index is not None:
            self.running = (*self.running[:index], *self.running[index + 1 :])
        self.last_tool = ToolCallView(
            tool=body.tool[:MAX_TEXT] or (start.tool if start else ""),
            id=body.id,
            summary=body.input_summary[:MAX_TEXT] or (start.summary if start else ""),
            started_at=start.started_at if start else "",
            ended_at=at,
            status=body.status,
        )

    def file_changed(self, at: str, body: ev.FileChanged) -> None:
        del at
        if self._seen is None:
            self._seen = dict.fromkeys(self.files)
        if len(self._seen) < MAX_FILES:
            self._seen[body.path] = None

    def said_progress(self, at: str, body: ev.Progress) -> None:
        self.progress, self.progress_at = body.message[:MAX_TEXT], at
        self.pct = body.pct if body.pct is not None else self.pct

    def error(self, at: str, body: ev.Error) -> None:
        self.trouble = Trouble(
            message=body.message[:MAX_TEXT],
            at=at,
            fatal=body.fatal,
            reason=body.reason,
            retry_at=body.retry_at,
        )

    def finished(self, at: str, body: ev.Finished) -> None:
        self.ending = Ending(status=body.status, summary=body.summary[:MAX_TEXT], at=at)
        self.running = ()

    def unknown_type(self, at: str, body: ev.Unknown) -> None:
        del at, body
        self.unknown += 1


def _match(running: tuple[ToolCallView, ...], body: ev.ToolUse) -> int | None:
    """Return which running call an end closes: by id, else (tool, summary), else tool.

    An end whose id is known never closes a call of another id. An end without a tool's name
    fits every tool.
    """
    if body.id:
        for index, call in enumerate(running):
            if call.id == body.id:
                return index
    loose = [i for i, call in enumerate(running) if not (body.id and call.id)]
    for index in loose:
        call = running[index]
        if call.tool == body.tool[:MAX_TEXT] and call.summary == body.input_summary[:MAX_TEXT]:
            return index
    return next(
        (i for i in loose if not body.tool or running[i].tool == body.tool[:MAX_TEXT]), None
    )


_NAMES: Final = tuple(spec.name for spec in fields(StreamView))
_HANDLERS: Final[dict[type, Callable[[_State, str, Any], None]]] = {
    ev.Started: _State.started,
    ev.Message: _State.message,
    ev.ToolUse: _State.tool_use,
    ev.FileChanged: _State.file_changed,
    ev.Progress: _State.said_progress,
    ev.Error: _State.error,
    ev.Finished: _State.finished,
    ev.Unknown: _State.unknown_type,
}
