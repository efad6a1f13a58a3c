"""What a running task has taken so far, where its stream tells that before the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from caesar_core.agents.base import TokenUsage
from caesar_core.clock import Clock
from caesar_core.engine.task_run import TaskRun

_EVERY: Final = 5.0


class UsageWatch:
    """Writes it into the record, at most every five seconds and only when it grew."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due = clock.monotonic()
        self._told: TokenUsage | None = None

    def look(self, run: TaskRun, usage: TokenUsage | None) -> None:
        """Take note of what the stream has told."""
        if usage is None or usage == self._told or self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + _EVERY
        self._told = usage
        known = {name: value for name, value in asdict(usage).items() if value is not None}
        run.update(usage=known)
