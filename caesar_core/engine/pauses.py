"""When a provider refuses further work: how long its agent gets no new task, and who waits.

A quota that is used up fails every task that is sent after it. So the first refusal opens a
pause; tasks that come later wait for its end, and start again by themselves.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from caesar_core.board.views import Trouble
from caesar_core.clock import Clock, iso, parse_iso
from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Error
from caesar_core.store.layout import Layout
from caesar_core.store.pauses import Pause, clear_pause, load_pause, pauses, save_pause
from caesar_core.store.records import Record
from caesar_core.text import clip, one_line

REFUSALS: Final = frozenset(("quota", "rate_limit"))
# Without a moment named by the provider: the first pause and the longest, doubled in between.
_GUESS: Final = {
    "quota": (timedelta(minutes=15), timedelta(hours=4)),
    "rate_limit": (timedelta(minutes=1), timedelta(minutes=30)),
}
# Quotas by the week exist; a stream must not be able to say "for ever".
_LONGEST: Final = timedelta(days=8)
_SPREAD: Final = 10.0
_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a stream said; `retry_at` is ISO 8601 text or nothing."""

    reason: str
    message: str
    retry_at: str | None = None


def next_pause(
    refusal: Refusal, agent: str, task_id: str, now: datetime, before: Pause | None
) -> Pause:
    """Return the pause that a refusal means, given the last one.

    While a pause holds, refusals of tasks that had begun before it say nothing new, unless they
    name a later end.
    """
    stated = parse_iso(refusal.retry_at or "")
    stated = stated if stated is not None and stated > now else None
    open_now = before is not None and before.holds(now)
    if before is not None and open_now and stated is None:
        return before
    failures = 1 if before is None else before.failures + (not open_now)
    end = min(stated or now + _guess(refusal.reason, failures), now + _LONGEST)
    if before is not None and open_now and before.stated and iso(end) <= before.until:
        return before
    return Pause(
        agent=agent,
        reason=refusal.reason,
        since=before.since if before is not None and open_now else iso(now),
        until=iso(end),
        stated=stated is not None,
        message=clip(refusal.message, _MESSAGE),
        task_id=task_id,
        failures=failures,
    )


def _guess(reason: str, failures: int) -> timedelta:
    first, longest = _GUESS[reason]
    factor: int = 2 ** min(failures - 1, 10)
    return min(longest, first * factor)


def start_after(pause: Pause, task_id: str) -> datetime | None:
    """Return when a waiting task may start: spread over some seconds, always the same for it.

    All at once would be the next rush on a provider that has just come back.
    """
    end = parse_iso(pause.until)
    share = hashlib.sha256(task_id.encode()).digest()[0] / 256
    return None if end is None else end + timedelta(seconds=share * _SPREAD)


def paused_agents(root: Path, now: datetime) -> list[Pause]:
    """Return the pauses that hold in a project, by agent."""
    return pauses(Layout(root), now)


def paused_sentences(layout: Layout, now: datetime) -> dict[str, str]:
    """Return for each paused agent what a person should know."""
    return {pause.agent: sentence(pause) for pause in pauses(layout, now)}


def sentence(pause: Pause) -> str:
    """Return what a person should know, in one harmless line; the time is local."""
    end = parse_iso(pause.until)
    when = f"{end.astimezone():%Y-%m-%d %H:%M}" if end else pause.until
    why = "its quota is used up" if pause.reason == "quota" else "it is asked too often"
    guess = "" if pause.stated else " (a guess: no time was named)"
    said = f": {one_line(pause.message, 160)}" if pause.message else "."
    return f"{pause.agent} is paused until {when}{guess}, {why}{said}"


def pause_json(pause: Pause) -> dict[str, Any]:
    """Return a pause as `ps --json` shows it."""
    return {
        "agent": pause.agent,
        "reason": pause.reason,
        "since": pause.since,
        "until": pause.until,
        "stated": pause.stated,
        "message": pause.message,
        "task_id": pause.task_id,
    }


class ProviderWatch:
    """What the supervisor of a running task learns about its provider, and writes down."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock
        self._last: Trouble | None = None

    def look(self, trouble: Trouble | None, record: Record) -> None:
        """Take notice of the trouble a running agent is in, if it names the moment of its end."""
        if trouble is None or trouble == self._last or trouble.reason not in REFUSALS:
            return
        self._last = trouble
        if trouble.retry_at is not None:
            self._open(Refusal(str(trouble.reason), trouble.message, trouble.retry_at), record)

    def ended(self, record: Record, failure: Error | None) -> None:
        """Take notice of a task's end: a refusal opens a pause, a success forgets the last one."""
        if record.status == "succeeded":
            self._forget(record)
        elif record.status == "failed" and record.reason in REFUSALS:
            told = failure or self._last
            message = told.message if told else ""
            self._open(
                Refusal(str(record.reason), message, told.retry_at if told else None), record
            )

    def _open(self, refusal: Refusal, record: Record) -> None:
        with suppress(CaesarError):  # a full disk, an odd id: the task itself must end
            before = load_pause(self._layout, record.agent)
            now = self._clock.now()
            pause = next_pause(refusal, record.agent, record.id, now, before)
            if pause != before:
                save_pause(self._layout, pause)

    def _forget(self, record: Record) -> None:
        with suppress(CaesarError, OSError):
            before = load_pause(self._layout, record.agent)
            if before is not None and (record.started_at or "") > before.since:
                clear_pause(self._layout, record.agent)
