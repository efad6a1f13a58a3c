"""R2: files that a power loss cut anywhere are damaged, missing or repaired; never a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesar_core.agents.base import SilentTranslator
from caesar_core.board.views import StreamView
from caesar_core.clock import FakeClock
from caesar_core.engine.plan import Plan, load_plan, save_plan
from caesar_core.engine.spools import Spools
from caesar_core.errors import OperationError
from caesar_core.process.environment import Redactor
from caesar_core.protocol import event as ev
from caesar_core.repo.journal import Journal as ApplyJournal
from caesar_core.repo.journal import read_journal
from caesar_core.store.atomic import StoreError
from caesar_core.store.journal import Journal
from caesar_core.store.layout import Layout, TaskFiles
from caesar_core.store.lease import Lease, lease_state
from caesar_core.store.records import Record
from caesar_core.store.slots import Slots
from caesar_core.watch.snapshot import task_view
from caesar_core.watch.streams import enter


def cuts(path: Path) -> Iterator[int]:
    """Yield each length at which the file is not whole, with the file cut to it."""
    whole = path.read_bytes().rstrip()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        yield length
    path.write_bytes(whole)


def test_r2_a_torn_plan_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    save_plan(path, Plan(argv=("a", "ö"), cwd="/", shown="a", deadline_ms=1, env={"A": "b"}))

    for _ in cuts(path):
        with pytest.raises(StoreError, match="plan"):
            load_plan(path)
    assert load_plan(path) is not None


def test_r2_a_torn_lease_is_unknown_and_a_torn_slot_counts(tmp_path: Path) -> None:
    layout, clock = Layout(tmp_path), FakeClock()
    lease = Lease.acquire(layout.lease("t_1"), "task t_1")
    slots = Slots(layout, 2, clock)
    slot = slots.try_acquire(slots.enqueue("one"))
    assert slot is not None

    assert {lease_state(lease.path) for _ in cuts(lease.path / "marker.json")} == {"unknown"}
    assert {slots.holders() for _ in cuts(slot.path)} == {()}
    assert slot.path.exists()


def test_r2_a_torn_ticket_blocks_nobody_for_long(tmp_path: Path) -> None:
    clock = FakeClock()
    slots = Slots(Layout(tmp_path), 1, clock)
    torn = slots.enqueue("torn")
    for _ in cuts(torn.path):
        assert slots.waiting() == ()
    torn.path.write_bytes(b'{"pid"')
    ticket = slots.enqueue("next")
    clock.advance(3)

    assert slots.try_acquire(ticket) is not None


def test_r2_torn_offsets_let_the_spools_be_taken_in_anew(tmp_path: Path) -> None:
    files = TaskFiles(tmp_path / "t_1")
    files.stdout.parent.mkdir(parents=True)
    files.stdout.write_bytes(b"one\ntwo\n")
    _pump(files)
    files.stdout.write_bytes(b"one\ntwo\nthree\n")

    for _ in cuts(files.spool_offsets):
        Spools(files, _journal(files), SilentTranslator(), lambda: Redactor(()), lambda: None)
    _pump(files)
    assert files.raw_log.read_bytes().endswith(b"three\n")


def test_r2_a_torn_view_is_read_from_the_stream_instead(tmp_path: Path) -> None:
    files = Layout(tmp_path).task("t_1")
    _journal(files).append_many([ev.Message(text="hello"), ev.Message(text="ö" * 20)])
    expected, offset = enter(files)
    assert expected != StreamView()
    files.checkpoint.write_text(json.dumps({"version": 1, "offset": 3, "stream": {"events": 2}}))

    for _ in cuts(files.checkpoint):
        assert enter(files) == (expected, offset)
    files.events.write_bytes(files.events.read_bytes()[:-7])
    record = Record(id="t_1", agent="a", status="running")
    assert task_view(Layout(tmp_path), record, read_stream=True).stream.events == 1


def test_r2_a_torn_journal_of_an_apply_says_where_the_files_are(tmp_path: Path) -> None:
    made = ApplyJournal(tmp_path, tmp_path, "prepared", ()).advance("applied")
    assert read_journal(tmp_path) == made

    for _ in cuts(tmp_path / "journal.json"):
        with pytest.raises(OperationError, match="is damaged") as caught:
            read_journal(tmp_path)
        assert "old/" in caught.value.hint


def _journal(files: TaskFiles) -> Journal:
    return Journal(files, "t_1", FakeClock())


def _pump(files: TaskFiles) -> None:
    spools = Spools(files, _journal(files), SilentTranslator(), lambda: Redactor(()), lambda: None)
    while spools.pump():
        pass
    spools.finish()
