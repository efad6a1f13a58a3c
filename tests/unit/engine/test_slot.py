"""Waiting for a slot: the limit of an agent, and the memory that has to be free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from caesar_core.engine.plan import Plan
from caesar_core.engine.prepare import CancelledError
from caesar_core.engine.slot import wait_for_slot
from caesar_core.engine.task_run import TaskRun
from caesar_core.protocol.event import Progress
from caesar_core.protocol.wire import decode_event
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.slots import Slots
from tests.unit.engine.test_pauses import Moves

GIB = 1 << 30


@dataclass
class Machine:
    """A project on a machine whose free memory changes each time somebody looks."""

    layout: Layout
    clock: Moves = field(default_factory=Moves)
    cancelled: bool = False

    def run(self, name: str, **plan: int) -> TaskRun:
        records = RecordStore(self.layout, self.clock)
        record = Record(id=name, agent="codex", objective="x")
        records.create(record)
        order = Plan(argv=(), cwd="", shown="", deadline_ms=1, **plan)  # type: ignore[arg-type]
        return TaskRun(self.layout, self.clock, records, record, order, lambda: self.cancelled)

    def said(self, name: str) -> list[str]:
        lines = self.layout.task(name).events.read_bytes().splitlines()
        bodies = [decode_event(line).body for line in lines]
        return [body.message for body in bodies if isinstance(body, Progress)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(Layout(tmp_path))


def test_p10_a_task_waits_for_memory_and_says_so(machine: Machine) -> None:
    run = machine.run("t_a", min_free_memory=2 * GIB)
    phases: list[tuple[str | None, int | None]] = []

    def available() -> Iterator[int]:
        for found in (GIB, 2 * GIB - 1, 2 * GIB):
            phases.append((run.record.phase, run.record.ticket))
            yield found

    memory = available()
    with ExitStack() as stack:
        wait_for_slot(run, stack, available=lambda: next(memory))
        assert len(list(machine.layout.slots.iterdir())) == 1

    assert phases == [(None, None), ("memory", 0), ("memory", 0)]
    assert machine.said("t_a") == [
        "waits for memory: less than 2.0 GiB is available (policy.min_free_memory)"
    ]
    assert not list(machine.layout.slots.iterdir())


def test_p10_agents_do_not_all_start_on_the_same_free_memory(machine: Machine) -> None:
    began = machine.clock.now()
    with ExitStack() as stack:
        for name in ("t_a", "t_b"):
            wait_for_slot(machine.run(name, min_free_memory=1), stack, available=lambda: GIB)
    assert (machine.clock.now() - began).total_seconds() == pytest.approx(3)
    assert machine.said("t_b") == ["waits for memory: the task before it is just starting"]


def test_p10_who_waits_for_memory_can_be_cancelled(machine: Machine) -> None:
    run = machine.run("t_a", min_free_memory=1)

    def available() -> int:
        machine.cancelled = True
        return 0

    with ExitStack() as stack, pytest.raises(CancelledError):
        wait_for_slot(run, stack, available=available)
    assert Slots(machine.layout, 4, machine.clock).waiting() == ()


def test_memory_is_not_looked_at_without_a_floor(machine: Machine) -> None:
    def available() -> int:
        raise AssertionError

    with ExitStack() as stack:
        wait_for_slot(machine.run("t_a"), stack, available=available)


def test_an_agent_at_its_own_limit_is_named(machine: Machine) -> None:
    slots = Slots(machine.layout, 4, machine.clock)
    held = slots.try_acquire(slots.enqueue("t_x", agent="codex"))
    assert held is not None
    run = machine.run("t_a", agent_limit=1)
    machine.clock.on_sleep = lambda: slots.release(held)
    with ExitStack() as stack:
        wait_for_slot(run, stack)
    assert run.record.phase == "slot"
    assert machine.said("t_a") == [
        "waits: codex has all it may have (policy.max_parallel_by_agent is 1)"
    ]
