"""Time, injected. Nothing else in the product reads a clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the engine may know about time."""

    def now(self) -> datetime:
        """Return the wall time, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back; shared by all processes since boot."""
        ...

    def sleep(self, seconds: float) -> None:
        """Block for `seconds`."""
        ...


class SystemClock:
    """The real clock."""

    def now(self) -> datetime:
        """Return the wall time, aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since boot."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Block for `seconds`."""
        time.sleep(seconds)


class FakeClock:
    """A clock that moves only when told to; `sleep` advances it."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)
        self._monotonic = 1_000.0

    def now(self) -> datetime:
        """Return the wall time, aware and in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the fake seconds since boot."""
        return self._monotonic

    def sleep(self, seconds: float) -> None:
        """Advance the clock instead of waiting."""
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Move both readings forward by `seconds`."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def iso(moment: datetime) -> str:
    """Write a moment as the protocol does: ISO 8601, UTC, milliseconds, `Z`."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def parse_iso(text: str) -> datetime | None:
    """Read an ISO 8601 moment; `None` for anything else (never raises)."""
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
