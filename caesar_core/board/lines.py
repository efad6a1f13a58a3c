"""One harmless line for one event: what `--plain`, `logs` and the dashboard's stream show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.speech import spoken
from caesar_core.clock import parse_iso
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event, EventBody
from caesar_core.text import one_line, visible

WIDEST: Final = 400


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event as columns.

    Attributes:
        time: local `HH:MM:SS`, blanks when the event's time cannot be read.
        mark: the name of a glyph of :class:`Glyphs`.
        label: who speaks, at most eight characters by custom.
        text: harmless text without newlines.

    """

    time: str
    mark: str
    label: str
    text: str

    def plain(self, glyphs: Glyphs = UNICODE) -> str:
        """Return the whole line for a terminal or a file."""
        return f"{self.time}  {getattr(glyphs, self.mark)} {self.label:<8} {self.text}".rstrip()


def event_line(event: Event, *, limit: int = WIDEST, failed_check: bool = False) -> EventLine:
    """Return one line that says what the event says, its text cut to `limit` characters.

    Args:
        event: what happened.
        limit: characters.
        failed_check: whether one of our checks failed: that contradicts a claimed success.

    """
    mark, label, text = _columns(event.body)
    if failed_check and isinstance(event.body, ev.Finished) and event.body.status == "success":
        mark, label = "warn", "contradicted"
    if isinstance(event.body, ev.Message):
        text = spoken(text)
    return EventLine(local_time(event.at), mark, one_line(label, 16), one_line(text, limit))


def event_text(event: Event) -> str:
    """Return everything the event says: harmless, with its newlines."""
    _, label, text = _columns(event.body)
    return visible(
        f"{label}: {text}" if isinstance(event.body, ev.ToolUse) else text, keep_newlines=True
    )


def local_time(at: str) -> str:
    """Return `HH:MM:SS` in the local zone, eight blanks for what is not a moment."""
    moment = parse_iso(at)
    return f"{moment.astimezone():%H:%M:%S}" if moment else " " * 8


_TOOL_MARKS: Final = {"started": "tool", "succeeded": "done", "failed": "failed"}


def _columns(body: EventBody) -> tuple[str, str, str]:
    match body:
        case ev.ToolUse():
            return _TOOL_MARKS[body.status], body.tool or "tool", body.input_summary
        case ev.Message() | ev.Thinking():
            thinks = isinstance(body, ev.Thinking)
            return ("thinking", "thinks", body.text) if thinks else ("speech", "agent", body.text)
        case ev.FileChanged():
            return "file", "file", f"{body.action} {body.path}"
        case ev.Progress():
            pct = "" if body.pct is None else f" {body.pct:.0f}%"
            return "bullet", "progress", body.message + pct
        case ev.Error():
            return "warn", body.reason or "error", body.message
        case _:
            return _frame(body)


def _frame(body: EventBody) -> tuple[str, str, str]:
    match body:
        case ev.Started():
            return "running", "started", body.command or body.agent
        case ev.Question():
            options = f" [{' / '.join(body.options)}]" if body.options else ""
            return "question", "asks", body.question + options
        case ev.Answer():
            return "speech", "answer", f"{body.answer} ({body.by})" if body.by else body.answer
        case ev.Finished():
            good = body.status in {"success", "partial"}
            return "done" if good else "failed", body.status, body.summary
        case ev.Unknown():
            return "bullet", body.type or "unknown", ""
        case _:
            raise AssertionError(f"no line for {body!r}")
