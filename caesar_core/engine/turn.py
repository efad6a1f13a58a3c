"""Waiting for one's turn: the provider has to take work, and a slot has to be free."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

from caesar_core.agents.base import TokenUsage
from caesar_core.engine.ending import RunEnd
from caesar_core.engine.pauses import sentence, start_after
from caesar_core.engine.prepare import CancelledError
from caesar_core.engine.slot import wait_for_slot
from caesar_core.engine.task_run import TaskRun
from caesar_core.protocol.event import Error, Progress, Reason
from caesar_core.store.pauses import Pause, load_pause
from caesar_core.store.slots import Slots

_PAUSE: Final = 0.5
_REASONS: Final[dict[str, Reason]] = {"quota": "quota", "rate_limit": "rate_limit"}


def wait_for_turn(run: TaskRun, stack: ExitStack) -> None:
    """Wait until the agent's provider takes work and a slot is free; the stack frees the slot.

    Nobody waits for a provider in the queue of slots: others go on meanwhile.

    Raises:
        CancelledError: somebody asked for the end meanwhile.
    """
    while True:
        _wait_for_provider(run)
        slot = wait_for_slot(run, stack)
        if current_pause(run) is None:
            return
        # Another task of the agent was refused while this one waited for its slot.
        Slots(run.layout, run.plan.max_parallel, run.clock).release(slot)


def current_pause(run: TaskRun) -> Pause | None:
    """Return the pause that holds the task's agent up, `None` when nothing does."""
    pause = load_pause(run.layout, run.record.agent)
    if pause is None:
        return None
    start = start_after(pause, run.id)
    return pause if start is not None and run.clock.now() < start else None


def note_budget(run: TaskRun, end: RunEnd, usage: TokenUsage | None) -> None:
    """Add to the report whether the task kept to its budget, where it was not stopped for it."""
    budget = run.plan.budget
    if not budget or end.reason == "budget":
        return
    over, unknown = budget.overrun(usage), budget.unknown(usage)
    if over:
        run.find("medium", "It took more than its budget, seen only at its end", over)
    if unknown:
        run.find("medium", f"Whether it kept to its budget of {budget.text} is not known", unknown)


def _wait_for_provider(run: TaskRun) -> None:
    told: Pause | None = None
    while (pause := current_pause(run)) is not None:
        if run.cancelled():
            raise CancelledError("Cancelled while it waited for its agent's provider.")
        if told is None or told.until != pause.until:
            told = pause
            run.update(phase="quota")
            reason = _REASONS.get(pause.reason, "other")
            run.say(Error(message=sentence(pause), reason=reason, retry_at=pause.until))
        run.clock.sleep(_PAUSE)
    if told is not None:
        run.say(Progress(message=f"{run.record.agent} takes work again"))
