"""What a task has taken is told while it runs, and not too often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from caesar_core.agents.base import TokenUsage
from caesar_core.clock import FakeClock
from caesar_core.engine.task_run import TaskRun
from caesar_core.engine.usage_watch import UsageWatch


@dataclass
class Updates:
    """Stands for a run: keeps what is written into its record."""

    seen: list[Any] = field(default_factory=list)

    def update(self, **changes: Any) -> None:
        self.seen.append(changes["usage"])


def test_usage_is_written_when_it_grew_and_at_most_every_five_seconds() -> None:
    clock, updates = FakeClock(), Updates()
    watch, run = UsageWatch(clock), cast("TaskRun", updates)
    watch.look(run, None)
    watch.look(run, TokenUsage(10, 2))
    watch.look(run, TokenUsage(20, 4))
    assert updates.seen == [{"input_tokens": 10, "output_tokens": 2}]
    clock.sleep(5)
    watch.look(run, TokenUsage(20, 4, cost_usd=0.5))
    clock.sleep(5)
    watch.look(run, TokenUsage(20, 4, cost_usd=0.5))
    assert updates.seen[1:] == [{"input_tokens": 20, "output_tokens": 4, "cost_usd": 0.5}]
