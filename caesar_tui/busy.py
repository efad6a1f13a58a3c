"""Which long work goes on, and what is said of it. Pure: the app begins, ends and asks."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.messages import (
    ApplyWanted,
    CombineWanted,
    CommandWanted,
    ComparisonWanted,
    DiffWanted,
    FileWanted,
    PlaceWanted,
    Plan,
    StartWanted,
    TaskWanted,
    TidyWanted,
    UndoWanted,
)

Key = TypeVar("Key", bound=Hashable)
PATIENCE: Final = 0.3
"""Seconds before anything is said: what is quicker than that only flickers."""
_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_ASCII_FRAMES: Final = "|/-\\"
_LOOKS: Final[dict[type, str]] = {
    DiffWanted: "reading the changes",
    TaskWanted: "reading the task",
    ApplyWanted: "looking what applying would do",
    UndoWanted: "looking what would be restored",
    TidyWanted: "looking what can be cleaned up",
    ComparisonWanted: "comparing the contestants",
    FileWanted: "reading the file of each contestant",
    PlaceWanted: "looking where it works",
    CommandWanted: "looking up its order",
}
_DOES: Final[dict[str, str]] = {
    "apply": "applying",
    "undo": "taking back",
    "cancel": "asking it to end",
    "retry": "handing it out again",
    "gc": "cleaning up",
}


@dataclass(frozen=True, slots=True)
class Work:
    """A call of the engine that has not come back.

    Attributes:
        label: what is done, for people; empty for what nobody waits for.
        can_stop: only looks, so that nothing is half done when nobody waits for it any more.

    """

    label: str
    can_stop: bool


def work_of(intent: object) -> Work:
    """Return what carrying out an intent is called."""
    if isinstance(intent, Plan):
        return Work(_DOES.get(intent.action, "working"), can_stop=False)
    if isinstance(intent, CombineWanted):
        return Work("combining what was picked", can_stop=False)
    if isinstance(intent, StartWanted):
        return Work("starting", can_stop=False)
    return Work(_LOOKS.get(type(intent), ""), can_stop=True)


class Busy(Generic[Key]):
    """Keeps what goes on, oldest first, by whoever does it.

    Times are seconds of a monotonic clock.
    """

    def __init__(self, glyphs: Glyphs = UNICODE) -> None:
        self._frames = _FRAMES if glyphs is UNICODE else _ASCII_FRAMES
        self._going_on: dict[Key, tuple[Work, float]] = {}

    def begin(self, key: Key, work: Work, now: float) -> None:
        """Remember work that nobody has to be told of yet."""
        if work.label:
            self._going_on[key] = (work, now)

    def end(self, key: Key) -> None:
        """Forget work, if it is known."""
        self._going_on.pop(key, None)

    @property
    def is_idle(self) -> bool:
        """Whether nothing goes on."""
        return not self._going_on

    def stoppable(self, now: float) -> list[Key]:
        """Return what a person was told of and can give up."""
        return [key for key, work, _ in self._told(now) if work.can_stop]

    def line(self, now: float) -> str:
        """Return what to say: a turning mark, what is done, for how long, and what Esc does."""
        told = self._told(now)
        if not told:
            return ""
        _, work, age = told[0]
        frame = self._frames[int(age * 10) % len(self._frames)]
        more = f" and {len(told) - 1} more" if len(told) > 1 else ""
        can_stop = any(work.can_stop for _, work, _ in told)
        end = "Esc gives up" if can_stop else "this cannot be stopped half done"
        return f"{frame} {work.label}{more} {age:.0f}s, {end}"

    def _told(self, now: float) -> list[tuple[Key, Work, float]]:
        """Return what has been going on for longer than a moment, with its age."""
        ages = ((key, work, now - began) for key, (work, began) in self._going_on.items())
        return [(key, work, age) for key, work, age in ages if age > PATIENCE]
