from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.errors import CaesarError
from caesar_core.identity import current
from caesar_core.store import marker
from caesar_core.store import slots as slots_module
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.slots import Slot, Slots


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def slots(layout: Layout, limit: int = 1) -> Slots:
    return Slots(layout, limit, SystemClock())


def acquire(found: Slots, label: str = "") -> Slot:
    slot = found.try_acquire(found.enqueue(label))
    assert slot is not None
    return slot


def mark(path: Path, **document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"token": "t", "host": os.uname().nodename, **document}))


def test_first_come_first_served(layout: Layout) -> None:
    one = slots(layout)
    first = acquire(one, "a")
    tickets = [one.enqueue(label) for label in "bcd"]
    assert [one.position(ticket) for ticket in tickets] == [0, 1, 2]
    assert [m.label for m in one.waiting()] == ["b", "c", "d"]
    assert one.try_acquire(tickets[0]) is None
    one.release(first)
    assert one.try_acquire(tickets[1]) is None
    second = one.try_acquire(tickets[0])
    assert second is not None
    assert [m.label for m in one.holders()] == ["b"]
    one.release(second)
    one.release(first)  # not ours any more
    assert one.try_acquire(tickets[2]) is None
    one.withdraw(tickets[1])
    one.withdraw(tickets[1])
    assert one.position(tickets[2]) == 0
    assert one.try_acquire(tickets[2]) is not None


def test_an_agent_at_its_own_limit_waits_and_holds_up_nobody_else(layout: Layout) -> None:
    found = slots(layout, 3)
    first = found.try_acquire(found.enqueue("a", agent="codex", agent_limit=1))
    second = found.enqueue("b", agent="codex", agent_limit=1)
    third = found.enqueue("c", agent="claude", agent_limit=2)
    fourth = found.enqueue("d", agent="other")
    assert first is not None
    assert found.try_acquire(second) is None
    assert (found.held_up_by(second), found.held_up_by(third)) == ("agent", "")
    assert found.try_acquire(third) is not None
    assert found.try_acquire(fourth) is not None
    assert found.held_up_by(second) == "slots"
    found.release(first)
    assert found.try_acquire(second) is not None


def test_who_waits_before_is_served_first_within_the_limit_of_an_agent(layout: Layout) -> None:
    found = slots(layout, 2)
    held = acquire(found), acquire(found)
    tickets = [found.enqueue(name, agent="codex", agent_limit=1) for name in "ab"]
    found.release(held[0])
    assert found.try_acquire(tickets[1]) is None, "the one place of codex is the first one's"
    assert found.try_acquire(tickets[0]) is not None
    found.release(held[1])
    assert found.try_acquire(tickets[1]) is None


def test_as_many_as_the_limit_and_its_changes_count(layout: Layout) -> None:
    wide = slots(layout, 3)
    held = [acquire(wide) for _ in range(3)]
    ticket = wide.enqueue()
    narrow = slots(layout, 1)
    assert narrow.try_acquire(ticket) is None
    for slot in held[:2]:
        narrow.release(slot)
    assert narrow.try_acquire(ticket) is None, "the third still runs"
    assert slots(layout, 2).try_acquire(ticket) is not None


def test_files_hold_the_keys_of_the_reference(layout: Layout) -> None:
    slot = acquire(slots(layout), "caesar run — x")
    assert slot.path == layout.slots / "0.json"
    document = json.loads(slot.path.read_bytes())
    assert {"pid", "host", "token", "startedAt", "label"} <= document.keys()


def test_155_a_limit_below_one_is_refused(layout: Layout) -> None:
    for limit in (0, -1):
        with pytest.raises(CaesarError, match="at least 1"):
            slots(layout, limit)


def test_152_157_slots_of_the_dead_are_reclaimed(layout: Layout) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    mark(layout.slots / "0.json", pid=process.pid)
    mark(layout.slots / "1.json", pid=os.getpid(), started=current().started - 5)
    mark(layout.queue / "000000000000.json", pid=process.pid)
    assert slots(layout).holders() == ()
    assert slots(layout).waiting() == ()
    assert list(layout.slots.iterdir()) == []
    acquire(slots(layout))


def test_152_the_living_and_other_machines_keep_theirs(layout: Layout) -> None:
    mark(layout.slots / "0.json", pid=1)
    mark(layout.slots / "1.json", pid=2**22 + 1, host="elsewhere")
    assert len(slots(layout).holders()) == 2
    three = slots(layout, 3)
    assert acquire(three).path.name == "2.json"


def test_an_unreadable_slot_counts_until_it_is_old(layout: Layout) -> None:
    layout.slots.mkdir(parents=True)
    path = layout.slots / "0.json"
    path.write_bytes(b'{"pid": 1')
    clock = FakeClock()
    os.utime(path, (clock.now().timestamp(),) * 2)
    one = Slots(layout, 1, clock)
    ticket = one.enqueue()
    assert one.try_acquire(ticket) is None
    clock.advance(3)
    assert one.try_acquire(ticket) is not None


def test_a_running_task_occupies_beyond_the_limit(layout: Layout) -> None:
    one = slots(layout)
    first = acquire(one)
    adopted = one.occupy("adopted")
    ticket = one.enqueue()
    one.release(first)
    assert one.try_acquire(ticket) is None
    one.release(adopted)
    assert one.try_acquire(ticket) is not None


def test_waiting_reads_the_slots_and_not_the_queue(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = slots(layout)
    acquire(one)
    tickets = [one.enqueue() for _ in range(60)]
    read: list[Path] = []

    def reading(path: Path) -> marker.Marker | None:
        read.append(path)
        return marker.read_marker(path)

    monkeypatch.setattr(slots_module, "read_marker", reading)
    assert [one.try_acquire(ticket) for ticket in tickets] == [None] * 60
    assert read == [layout.slots / "0.json"] * 60


def test_a_withdrawn_ticket_gets_nothing(layout: Layout) -> None:
    one = slots(layout)
    ticket = one.enqueue("x")
    one.withdraw(ticket)
    with pytest.raises(CaesarError, match="no longer waits"):
        one.try_acquire(ticket)
    assert one.holders() == ()


def test_the_slot_of_a_machine_that_was_renamed_is_free_once_its_task_is_over(
    layout: Layout,
) -> None:
    mark(layout.slots / "0.json", pid=os.getpid(), host="old-name", label="t_1 do it")
    records = RecordStore(layout)
    one = slots(layout)

    assert len(one.holders()) == 1  # of another machine nothing is known
    records.create(Record(id="t_1", agent="x", status="running"))
    assert len(one.holders()) == 1
    records.update("t_1", status="succeeded")
    assert one.holders() == ()
