from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.delta import BoardDelta
from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import StreamView
from caesar_core.protocol.event import Finished
from caesar_core.store import mailbox
from caesar_core.store.checkpoint import save_checkpoint
from caesar_core.watch import entry as entry_module
from caesar_core.watch.ledger import FIRST_RECORDS, Ledger
from caesar_core.watch.snapshot import snapshot
from tests.integration.watch.project import Project


def begun(project: Project, *, replay: bool = False) -> Ledger:
    ledger = Ledger(project.layout, project.clock, replay=replay)
    ledger.begin()
    return ledger


def said(delta: BoardDelta) -> list[str]:
    return [event.body.text for part in delta.appended for event in part.events]  # type: ignore[union-attr]


def test_the_first_look_has_every_task_and_the_last_words_of_those_that_run(
    project: Project,
) -> None:
    project.add("t_1")
    project.say("t_1", "one", "two")
    project.add("t_2", "succeeded")
    delta = Ledger(project.layout, project.clock, replay=False).begin()
    assert [(view.id, view.stream.events) for view in delta.changed] == [("t_1", 2), ("t_2", 0)]
    assert (said(delta), delta.complete) == ([], True)


def test_replay_delivers_what_the_streams_hold(project: Project) -> None:
    project.add("t_1", "succeeded")
    project.say("t_1", "one", "two")
    assert said(Ledger(project.layout, project.clock, replay=True).begin()) == ["one", "two"]


def test_a_hint_brings_exactly_the_new_events(project: Project) -> None:
    project.add("t_1")
    project.say("t_1", "one")
    ledger = begun(project)
    project.say("t_1", "two", "three")
    project.append("t_1", b'{"half')
    delta = ledger.look({("stream", "t_1")})
    assert said(delta) == ["two", "three"]
    assert [view.stream.events for view in delta.changed] == [3]
    assert ledger.look({("stream", "t_1")}).appended == ()


def test_a_recheck_finds_what_no_hint_told(project: Project) -> None:
    project.add("t_1")
    ledger = begun(project)
    project.say("t_1", "silently")
    project.add("t_2")
    project.say("t_2", "new")
    delta = ledger.look(recheck=True)
    assert sorted(said(delta)) == ["new", "silently"]
    assert [view.id for view in delta.changed] == ["t_1", "t_2"]
    assert ledger.look(recheck=True).changed == ()


def test_a_task_that_ends_is_read_to_its_last_event_and_then_let_go(project: Project) -> None:
    project.add("t_1")
    ledger = begun(project)
    project.append("t_1", project.event(Finished(status="success", summary="done")))
    project.records.update("t_1", status="succeeded", report_status="success")
    delta = ledger.look({("record", "t_1")})
    (view,) = delta.changed
    assert view.stream.ending is not None
    assert not view.facts.is_active
    project.say("t_1", "too late")
    assert ledger.look({("stream", "t_1")}, recheck=True).appended == ()


def test_an_apply_of_an_old_task_is_seen_without_a_hint(project: Project) -> None:
    project.add("t_1", "succeeded")
    ledger = begun(project)
    project.records.update("t_1", applied_at="2026-01-01T00:00:01.000Z")
    assert [view.facts.applied_at is None for view in ledger.look(recheck=True).changed] == [False]


def test_a_record_that_goes_is_removed(project: Project) -> None:
    project.add("t_1")
    ledger = begun(project)
    project.layout.record("t_1").unlink()
    assert ledger.look(recheck=True).removed == ("t_1",)


def test_a_damaged_record_is_reported_and_hides_no_other(project: Project) -> None:
    project.add("t_1")
    project.layout.record("t_2").write_text("{")
    delta = Ledger(project.layout, project.clock, replay=False).begin()
    assert [view.id for view in delta.changed] == ["t_1"]
    assert delta.health.bad_records == ("t_2",)


def test_s2_a_question_file_alone_makes_the_task_ask(project: Project) -> None:
    project.add("t_1")
    ledger = begun(project)
    asked = mailbox.ask(project.layout.task("t_1"), "Keep it?", ["yes", "no"], project.clock)
    (view,) = ledger.look({("mail", "t_1")}).changed
    assert [q.question for q in view.open_questions] == ["Keep it?"]
    mailbox.answer(project.layout.task("t_1"), asked.id, "yes", project.clock)
    (view,) = ledger.look(recheck=True).changed
    assert view.open_questions == ()


def test_a_replaced_stream_starts_over(project: Project) -> None:
    project.add("t_1")
    project.say("t_1", "old", "old")
    ledger = begun(project)
    ledger.look(recheck=True)
    project.layout.task("t_1").events.unlink()
    project.say("t_1", "new")
    delta = ledger.look(recheck=True)
    assert delta.appended[0].reset
    assert delta.changed[0].stream.events == 1


def test_175_bad_lines_are_counted(project: Project) -> None:
    project.add("t_1")
    ledger = begun(project)
    project.append("t_1", b"noise\n{}\n")
    assert ledger.look(recheck=True).health.bad_lines == 2


def test_a_checkpoint_saves_reading_the_log(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.add("t_1")
    project.say("t_1", *(f"m{i}" for i in range(50)))
    files = project.layout.task("t_1")
    data = files.events.read_bytes()
    view, _ = fold_lines(StreamView(), data.split(b"\n"))
    save_checkpoint(files, Checkpoint(view, len(data)).to_json())
    project.say("t_1", "after")
    read: list[int] = []
    monkeypatch.setattr(os, "pread", _counted(os.pread, read))
    (found,) = snapshot(project.layout).tasks
    assert (found.stream.events, found.stream.speech[-8:]) == (51, "m49after")
    assert sum(read) < 300


def _counted(pread: object, read: list[int]) -> object:
    def counting(descriptor: int, size: int, offset: int) -> bytes:
        data: bytes = pread(descriptor, size, offset)  # type: ignore[operator]
        read.append(len(data))
        return data

    return counting


def test_f4_each_look_reads_the_bytes_that_were_added(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.add("t_1")
    project.say("t_1", *("x" * 1_000 for _ in range(2_000)))
    ledger = begun(project)
    ledger.look(recheck=True)
    read: list[int] = []
    monkeypatch.setattr(os, "pread", _counted(os.pread, read))
    ledger.look(recheck=True)
    assert read == []
    before = project.layout.task("t_1").events.stat().st_size
    project.say("t_1", "new")
    ledger.look(recheck=True)
    assert sum(read) == project.layout.task("t_1").events.stat().st_size - before


def test_f5_old_records_come_in_batches_and_are_read_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(FIRST_RECORDS + 20):
        project.add(f"t_{number}", "succeeded")
    project.add("t_live")
    ledger = Ledger(project.layout, project.clock, replay=False)
    first = ledger.begin()
    assert (len(first.changed), first.complete) == (FIRST_RECORDS, False)
    assert "t_live" in {view.id for view in first.changed}
    rest = ledger.look(records=500)
    assert (len(rest.changed), rest.complete) == (21, True)
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *a, **k: opened.append(a))
    assert ledger.look(recheck=True).changed == ()
    assert opened == []


def test_a_flood_is_read_over_several_looks(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_module, "FRAME_BYTES", 2_000)
    project.add("t_1")
    ledger = begun(project)
    project.say("t_1", *(f"m{i}" for i in range(100)))
    deltas = [ledger.look(recheck=True)]
    while ledger.is_behind:
        deltas.append(ledger.look())
    assert len(deltas) > 3
    assert [text for delta in deltas for text in said(delta)] == [f"m{i}" for i in range(100)]


def test_only_the_named_tasks_are_followed(project: Project) -> None:
    project.add("t_1")
    project.add("t_2")
    ledger = Ledger(project.layout, project.clock, ["t_2"], replay=False)
    assert [view.id for view in ledger.begin().changed] == ["t_2"]
    assert ledger.look({("stream", "t_1"), ("record", "t_1"), ("mail", "../x")}).changed == ()


def test_the_snapshot_has_the_newest_first_and_leaves_old_streams_alone(project: Project) -> None:
    project.add("t_1", "succeeded", created_at="2026-01-01T00:00:00.000Z")
    project.say("t_1", "old")
    project.add("t_2", created_at="2026-01-02T00:00:00.000Z")
    project.say("t_2", "now")
    board = snapshot(project.layout)
    assert [(view.id, view.stream.speech) for view in board] == [("t_2", "now"), ("t_1", "")]
    assert [view.stream.speech for view in snapshot(project.layout, ["t_1"])] == ["old"]


def test_a_folder_without_a_project_has_an_empty_board(tmp_path: Path) -> None:
    assert snapshot(Project(tmp_path).layout).tasks == ()
    assert Ledger(Project(tmp_path).layout, Project(tmp_path).clock, replay=False).begin().complete
