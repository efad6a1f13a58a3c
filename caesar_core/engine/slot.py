"""A slot for a task: when it is its turn, and the machine has the memory for one more agent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from caesar_core.clock import parse_iso
from caesar_core.engine.prepare import CancelledError
from caesar_core.engine.task_run import TaskRun
from caesar_core.store.slots import Slot, Slots, Ticket

_PAUSE: Final = 0.1
_MEMORY_PAUSE: Final = 1.0
_GROWING: Final = 3.0  # seconds that an agent needs until its memory shows


def available_memory() -> int:
    """Return how many bytes new processes could use without others being pushed out."""
    import psutil  # only where a floor is configured

    return int(psutil.virtual_memory().available)


@dataclass(frozen=True, slots=True)
class _Hold:
    """Why a task may not start yet."""

    phase: str
    words: str


class _Waiting:
    def __init__(
        self, run: TaskRun, slots: Slots, ticket: Ticket, available: Callable[[], int]
    ) -> None:
        self._run = run
        self._slots = slots
        self._ticket = ticket
        self._available = available
        self._told: _Hold | None = None

    def take(self) -> Slot:
        while (hold := self._hold()) or not (slot := self._slots.try_acquire(self._ticket)):
            if self._run.cancelled():
                raise CancelledError("Cancelled while it waited for a slot.")
            self._tell(hold or _Hold("slot", "waits for its turn"))
            short = hold is not None and hold.phase == "memory"
            self._run.clock.sleep(_MEMORY_PAUSE if short else _PAUSE)
        return slot

    def _hold(self) -> _Hold | None:
        plan, agent = self._run.plan, self._run.record.agent
        full = self._slots.held_up_by(self._ticket)
        if full == "slots":
            setting = f"policy.max_parallel is {plan.max_parallel}"
            return _Hold("slot", f"waits: all slots are taken ({setting})")
        if full == "agent":
            setting = f"policy.max_parallel_by_agent is {plan.agent_limit}"
            return _Hold("slot", f"waits: {agent} has all it may have ({setting})")
        return self._memory_hold() if plan.min_free_memory else None

    def _memory_hold(self) -> _Hold | None:
        floor, found = self._run.plan.min_free_memory, self._available()
        if found < floor:
            return _Hold(
                "memory",
                f"waits for memory: less than {_size(floor)} is available (policy.min_free_memory)",
            )
        now = self._run.clock.now()
        for holder in self._slots.holders():
            since = parse_iso(holder.since)
            if since is not None and 0 <= (now - since).total_seconds() < _GROWING:
                return _Hold("memory", "waits for memory: the task before it is just starting")
        return None

    def _tell(self, hold: _Hold) -> None:
        if hold == self._told:
            return
        if self._told is None or self._told.phase != hold.phase:
            self._run.update(phase=hold.phase, ticket=self._ticket.number)
        self._told = hold
        self._run.progress(hold.words)


def wait_for_slot(
    run: TaskRun, stack: ExitStack, *, available: Callable[[], int] = available_memory
) -> Slot:
    """Take a slot when it is the task's turn; the stack gives it back.

    Args:
        available: how many bytes of memory are available.

    Raises:
        CancelledError: somebody asked for the end meanwhile.
    """
    plan = run.plan
    slots = Slots(run.layout, plan.max_parallel, run.clock)
    ticket = slots.enqueue(slot_label(run), agent=run.record.agent, agent_limit=plan.agent_limit)
    stack.callback(slots.withdraw, ticket)
    slot = _Waiting(run, slots, ticket, available).take()
    stack.callback(slots.release, slot)
    return slot


def slot_label(run: TaskRun) -> str:
    """Return what its slot says of a task.

    The id comes first: that is how it is found whose slot or ticket it is.
    """
    return f"{run.id} {run.record.objective[:60]}"


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
