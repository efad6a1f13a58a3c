"""Where a task stands: which group of the board, which mark, which word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final, Literal, TypeAlias

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.views import StreamView, TaskFacts, TaskView, Trouble
from caesar_core.clock import parse_iso

SILENCE_MS: Final = 30_000
CONCERN: Final = timedelta(hours=24)
"""How long an ended task that went wrong keeps asking for a person."""

State: TypeAlias = Literal[
    "asking",
    "conflicts",
    "blocked",
    "auth",
    "quota",
    "checks",
    "slot",
    "preparing",
    "starting",
    "working",
    "busy",
    "silent",
    "done",
    "partial",
    "failed",
    "cancelled",
    "timed_out",
]
Place: TypeAlias = tuple[int, int]
"""A place in a queue and how many stand there: `(2, 5)` is the second of five."""
_QUOTA: Final = frozenset(("quota", "rate_limit"))
QUEUED: Final = frozenset(("slot", "memory"))
"""The phases in which a task stands in the queue for a slot."""
_WAITING: Final = frozenset(("quota", *QUEUED))
_PREPARING: Final = {
    "worktree": "worktree",
    "setup": "setup",
    "outcome": "collecting",
    "checks": "checking",
}


class Group(IntEnum):
    """The three groups of the board, in their order."""

    NEEDS_YOU = 0
    RUNNING = 1
    FINISHED = 2


@dataclass(frozen=True, slots=True)
class Standing:
    """A task's state and how to say it in a word or two."""

    state: State
    word: str

    @property
    def group(self) -> Group:
        """The group of the board."""
        if self.state in _NEEDS_YOU:
            return Group.NEEDS_YOU
        return Group.RUNNING if self.state in _RUNNING else Group.FINISHED

    def mark(self, glyphs: Glyphs = UNICODE) -> str:
        """Return the one character that stands for the state."""
        return str(getattr(glyphs, _MARKS[self.state]))


def standing(view: TaskView, now: datetime, place: Place | None = None) -> Standing:
    """Return where the task stands at `now`; `place` is where it stands in the queue."""
    if view.facts.is_active:
        return _active(view, now, place)
    return _concern(view.facts, now) or _ended(view.facts)


def silent_ms(view: TaskView, now: datetime) -> int | None:
    """Return milliseconds since the last sign of life; `None` when the task has given none.

    A task whose agent was started but has not said a word is silent since its start.
    """
    if not view.facts.is_active:
        return None
    return elapsed_ms(view.stream.last_at or view.facts.started_at or "", now)


def elapsed_ms(since: str, now: datetime) -> int | None:
    """Return milliseconds from the moment `since` to `now`, never negative."""
    moment = parse_iso(since)
    if moment is None:
        return None
    return max(0, int((now - moment).total_seconds() * 1000))


def standing_trouble(stream: StreamView) -> Trouble | None:
    """Return the trouble that only a person can end: authentication or quota."""
    trouble = stream.trouble
    if trouble is None or trouble.reason not in {"auth", *_QUOTA}:
        return None
    return trouble


def _active(view: TaskView, now: datetime, place: Place | None) -> Standing:
    facts = view.facts
    trouble = standing_trouble(view.stream)
    if view.open_questions:
        return Standing("asking", "asks you")
    if facts.phase in _WAITING:
        return _waiting(facts, trouble, place)
    if trouble is not None:
        return _trouble(trouble.reason, trouble.retry_at)
    if facts.status == "pending" and facts.phase is None:
        return Standing("preparing", "starting")
    if facts.phase in _PREPARING:
        return Standing("preparing", _PREPARING[facts.phase])
    return _with_agent(view, now)


def _waiting(facts: TaskFacts, trouble: Trouble | None, place: Place | None) -> Standing:
    if facts.phase == "quota":
        return Standing(
            "slot", f"waits for its quota{_until(trouble.retry_at if trouble else None)}"
        )
    what = "waits for memory" if facts.phase == "memory" else "waits"
    return Standing(
        "slot", what if place is None else f"{what}, {_ordinal(place[0])} of {place[1]}"
    )


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in {11, 12, 13} else ending}"


def _with_agent(view: TaskView, now: datetime) -> Standing:
    quiet = silent_ms(view, now)
    if quiet is not None and quiet >= SILENCE_MS:
        return Standing("busy", "busy") if view.facts.busy else Standing("silent", "silent")
    if not view.stream.events:
        return Standing("starting", "starting")
    return Standing("working", "working")


def _trouble(reason: str | None, retry_at: str | None = None) -> Standing:
    if reason == "auth":
        return Standing("auth", "needs a login")
    return Standing("quota", f"over its quota{_until(retry_at)}")


def _until(retry_at: str | None) -> str:
    moment = parse_iso(retry_at or "")
    return f" until {moment.astimezone():%H:%M}" if moment else ""


def _concern(facts: TaskFacts, now: datetime) -> Standing | None:
    """Return why an ended task waits for a person, `None` when it does not (any more)."""
    ended = parse_iso(facts.ended_at or "")
    if facts.applied_at or ended is None or now - ended > CONCERN:
        return None
    if facts.conflicts:
        return Standing("conflicts", "conflicts")
    if facts.report_status == "blocked":
        return Standing("blocked", "blocked")
    if facts.reason == "auth" or facts.reason in _QUOTA:
        return _trouble(facts.reason)
    # Who loses a race on its checks asks for nobody: the race does, by having a winner or none.
    if facts.checks_passed < facts.checks_total and facts.race_id is None:
        return Standing("checks", _checks_word(facts))
    return None


def _checks_word(facts: TaskFacts) -> str:
    return f"checks {facts.checks_passed}/{facts.checks_total}"


def _ended(facts: TaskFacts) -> Standing:
    if facts.status == "timed_out":
        return Standing("timed_out", "timed out")
    if facts.status == "cancelled":
        return Standing("cancelled", "cancelled")
    if facts.status == "failed" or facts.report_status == "failed":
        return Standing("failed", "failed")
    if facts.checks_passed < facts.checks_total:
        return Standing("failed", _checks_word(facts))
    if facts.report_status in {"partial", "blocked"}:
        return Standing("partial", str(facts.report_status))
    return Standing("done", "done")


_NEEDS_YOU: Final = frozenset(("asking", "conflicts", "blocked", "auth", "quota", "checks"))
_RUNNING: Final = frozenset(("slot", "preparing", "starting", "working", "busy", "silent"))
_MARKS: Final[dict[State, str]] = {
    "asking": "question",
    "conflicts": "warn",
    "blocked": "warn",
    "auth": "warn",
    "quota": "warn",
    "checks": "warn",
    "slot": "waiting",
    "preparing": "waiting",
    "starting": "running",
    "working": "running",
    "busy": "running",
    "silent": "stalled",
    "done": "done",
    "partial": "done",
    "failed": "failed",
    "cancelled": "failed",
    "timed_out": "failed",
}
