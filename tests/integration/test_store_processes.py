"""The store under several real processes at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from caesar_core.clock import SystemClock
from caesar_core.protocol.wire import decode_event
from caesar_core.store import mailbox
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_core.store.slots import Slots

PRELUDE = """
import sys
from pathlib import Path
from caesar_core.clock import SystemClock
from caesar_core.protocol.event import Message
from caesar_core.store import mailbox
from caesar_core.store.journal import Journal
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore, TaskExistsError
from caesar_core.store.records import Record
from caesar_core.store.slots import Slots
layout, me, clock = Layout(Path(sys.argv[1])), sys.argv[2], SystemClock()
print("ready", flush=True)
sys.stdin.readline()
"""


class Party:
    """Python processes that begin at the same moment."""

    def __init__(self, root: Path, script: str, names: list[str]) -> None:
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-c", PRELUDE + script, root, name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in names
        ]
        for process in self.processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"

    def run(self) -> list[str]:
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        outputs = [process.communicate(timeout=50)[0].strip() for process in self.processes]
        assert [process.returncode for process in self.processes] == [0] * len(outputs)
        return outputs


def test_114_no_update_is_lost_between_processes(tmp_path: Path) -> None:
    store = RecordStore(Layout(tmp_path))
    store.create(Record(id="t_1", agent="a"))
    script = """
store = RecordStore(layout)
for n in range(100):
    store.update("t_1", **{me: n if me == "exit_code" else str(n)})
"""
    Party(tmp_path, script, ["model", "exit_code", "signal"]).run()
    record = store.get("t_1")
    assert record is not None
    assert (record.model, record.exit_code, record.signal) == ("99", 99, "99")


def test_109_of_two_creations_one_wins(tmp_path: Path) -> None:
    script = """
won = 0
for n in range(50):
    try:
        RecordStore(layout).create(Record(id=f"t_{n}", agent=me))
        won += 1
    except TaskExistsError:
        pass
print(won)
"""
    assert sum(map(int, Party(tmp_path, script, ["a", "b"]).run())) == 50
    assert len(RecordStore(Layout(tmp_path)).scan().records) == 50


def test_journals_of_several_processes_number_without_gap_or_repeat(tmp_path: Path) -> None:
    script = """
journal = Journal(layout.task("t_1"), "t_1", clock)
for n in range(200):
    journal.append(Message(text=me * 3000))
"""
    Party(tmp_path, script, ["a", "b", "c"]).run()
    lines = Layout(tmp_path).task("t_1").events.read_bytes().splitlines()
    assert [decode_event(line).seq for line in lines] == list(range(600))


def test_160_of_many_answers_one_stays(tmp_path: Path) -> None:
    files = Layout(tmp_path).task("t_1")
    asked = [mailbox.ask(files, f"q{n}", (), SystemClock()) for n in range(20)]
    script = """
won = 0
for state in mailbox.questions(layout.task("t_1")):
    try:
        mailbox.answer(layout.task("t_1"), state.file.id, me, clock)
        won += 1
    except mailbox.AlreadyAnsweredError:
        pass
print(won)
"""
    won = [int(count) for count in Party(tmp_path, script, ["a", "b", "c"]).run()]
    answers = [mailbox.question(files, one.id).answer for one in asked]
    assert won == [answers.count(name) for name in "abc"]


def test_154_two_processes_never_overlap_at_limit_1(tmp_path: Path) -> None:
    script = """
slots = Slots(layout, 1, clock)
for n in range(25):
    ticket = slots.enqueue(me)
    while (slot := slots.try_acquire(ticket)) is None:
        clock.sleep(0.001)
    inside = layout.root / "inside"
    inside.mkdir()  # fails when somebody else is inside
    inside.rmdir()
    slots.release(slot)
"""
    Party(tmp_path, script, ["a", "b", "c"]).run()


def test_every_waiter_gets_a_place_of_its_own(tmp_path: Path) -> None:
    script = """
slots = Slots(layout, 1, clock)
names = [slots.enqueue(me).path.name for n in range(40)]
assert names == sorted(names)
print(*names)
"""
    said = Party(tmp_path, script, ["a", "b", "c"]).run()
    assert len({name for line in said for name in line.split()}) == 120


def test_154_a_killed_holder_and_a_killed_waiter_do_not_block(tmp_path: Path) -> None:
    script = """
slots = Slots(layout, 1, clock)
ticket = slots.enqueue(me)
slot = slots.try_acquire(ticket)
print("in" if slot else "waits", flush=True)
sys.stdin.readline()
"""
    clock = SystemClock()
    slots = Slots(Layout(tmp_path), 1, clock)
    party = Party(tmp_path, script, ["holder", "waiter"])
    said = []
    for process in party.processes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        said.append(process.stdout.readline())
    ticket = slots.enqueue("me")
    assert said == ["in\n", "waits\n"]
    assert (slots.position(ticket), slots.try_acquire(ticket)) == (1, None)
    for process in party.processes:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert slots.try_acquire(ticket) is not None
