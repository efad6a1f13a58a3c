"""A stream as a timeline: what ran from when to when, and how it stood at any moment. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from caesar_core.clock import parse_iso
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event

MAX_ITEMS: Final = 20_000
MAX_TEXT: Final = 200
_QUESTION: Final = "question "
ItemKind: TypeAlias = Literal[
    "tool", "question", "message", "thinking", "file", "progress", "error"
]
ItemState: TypeAlias = Literal["open", "good", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that happened.

    Attributes:
        text: raw, as the stream has it, cut.
        start: seconds since 1970.
        end: the same as `start` for what takes no time; `None` while it goes on.

    """

    kind: ItemKind
    text: str
    start: float
    end: float | None
    state: ItemState = "good"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How a task stood at a moment.

    Attributes:
        running: what ran, oldest first.
        said: what the agent had said last.
        files: how many files it had said to have changed.
        question: what was open.

    """

    at: float
    running: tuple[str, ...] = ()
    said: str = ""
    files: int = 0
    progress: str = ""
    question: str = ""


@dataclass(slots=True)
class Track:
    """One task's timeline; `feed` takes its events in the order of the file.

    Attributes:
        items: in the order of their starts, at most `MAX_ITEMS`, the last ones.
        begin, end: seconds since 1970 of the first and the last event; 0 without any.
        is_over: whether the stream says that the run has ended.
        closings: when questions close, by their ids; the stream does not tell. Without an answer
            by then the agent goes on alone.

    """

    items: list[Item] = field(default_factory=list)
    begin: float = 0.0
    end: float = 0.0
    is_over: bool = False
    closings: dict[str, float] = field(default_factory=dict)
    _open: dict[str, int] = field(default_factory=dict)

    def feed(self, events: Iterable[Event]) -> None:
        """Take further events."""
        for event in events:
            moment = parse_iso(event.at)
            if moment is not None:
                at = moment.timestamp()
                self.begin = self.begin or at
                self.end = max(self.end, at)
                self._close_questions(at)
                self._take(at, event.body)
        if len(self.items) > MAX_ITEMS:
            gone = len(self.items) - MAX_ITEMS
            del self.items[:gone]
            self._open = {key: at - gone for key, at in self._open.items() if at >= gone}

    def at_moment(self, at: float) -> Moment:
        """Return how the task stood at `at`."""
        past = [item for item in self.items if item.start <= at]
        going = [item for item in past if item.end is None or item.end > at]
        return Moment(
            at=at,
            running=tuple(item.text for item in going if item.kind == "tool"),
            said=_last(past, "message"),
            files=len({item.text.partition(" ")[2] for item in past if item.kind == "file"}),
            progress=_last(past, "progress"),
            question=next((item.text for item in going if item.kind == "question"), ""),
        )

    def _close_questions(self, now: float) -> None:
        for key in [key for key in self._open if key.startswith(_QUESTION)]:
            closes = self.closings.get(key.removeprefix(_QUESTION))
            if closes is not None and closes < now:
                self._finish(key, closes, "open")

    def _take(self, at: float, body: ev.EventBody) -> None:
        match body:
            case ev.ToolUse():
                self._take_call(at, body)
            case ev.Question():
                self._begin(f"{_QUESTION}{body.id}", "question", body.question, at)
            case ev.Answer():
                self._finish(f"{_QUESTION}{body.id}", at, "good")
            case ev.Started() | ev.Finished():
                self.is_over = isinstance(body, ev.Finished)
                for key in list(self._open):
                    self._finish(key, at, "open")
            case _:
                self._mark(at, body)

    def _take_call(self, at: float, body: ev.ToolUse) -> None:
        text = f"{body.tool} {body.input_summary}".strip()
        key = f"tool {body.id or body.tool}"
        if body.status == "started":
            self._begin(key, "tool", text, at)
        elif not self._finish(key, at, "good" if body.status == "succeeded" else "bad"):
            self._add("tool", text, at, at, "good" if body.status == "succeeded" else "bad")

    def _mark(self, at: float, body: ev.EventBody) -> None:
        match body:
            case ev.Message() | ev.Thinking():
                self._add(
                    "message" if isinstance(body, ev.Message) else "thinking", body.text, at, at
                )
            case ev.FileChanged():
                self._add("file", f"{body.action} {body.path}", at, at)
            case ev.Progress():
                self._add("progress", body.message, at, at)
            case ev.Error():
                self._add("error", body.message, at, at, "bad")
            case _:
                return

    def _begin(self, key: str, kind: ItemKind, text: str, at: float) -> None:
        self._open[key] = len(self.items)
        self._add(kind, text, at, None, "open")

    def _finish(self, key: str, at: float, state: ItemState) -> bool:
        place = self._open.pop(key, None)
        if place is None:
            return False
        self.items[place] = replace(self.items[place], end=at, state=state)
        return True

    def _add(
        self, kind: ItemKind, text: str, at: float, end: float | None, state: ItemState = "good"
    ) -> None:
        self.items.append(Item(kind=kind, text=text[:MAX_TEXT], start=at, end=end, state=state))


def _last(items: Iterable[Item], kind: ItemKind) -> str:
    found = ""
    for item in items:
        found = item.text if item.kind == kind else found
    return found
