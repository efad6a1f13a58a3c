"""The agent's side of the return channel, with a clock that stands still."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, iso
from caesar_core.engine.agent_side import (
    ALONE,
    AgentSide,
    BadInputError,
    NotInATaskError,
    TaskOverError,
    is_handed_in,
)
from caesar_core.engine.plan import Plan, save_plan
from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Answer, Event, Progress, Question
from caesar_core.protocol.versions import REPORT_V1
from caesar_core.protocol.wire import decode_event
from caesar_core.store import mailbox
from caesar_core.store.layout import Layout, TaskFiles
from caesar_core.store.mailbox import BadQuestionError
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record

MINUTES = 60.0


class Task:
    """A task directory of a project, with an agent in it."""

    def __init__(self, root: Path, environment: Mapping[str, str] = {}) -> None:
        self.clock = FakeClock()
        self.layout = Layout(root)
        self.files = self.layout.task("t_1")
        self.write(created_at=iso(self.clock.now()), deadline_ms=600_000)
        self.side = AgentSide.at(self.files.dir, self.clock, environment)

    def write(self, **order: object) -> None:
        self.files.dir.mkdir(parents=True, exist_ok=True)
        self.files.task.write_text(json.dumps({"id": "t_1", **order}))

    def events(self) -> list[Event]:
        return [decode_event(line) for line in self.files.events.read_bytes().splitlines()]

    def started(self, *, seconds: float) -> None:
        deadline = self.clock.monotonic() + seconds
        record = Record(id="t_1", agent="x", status="running", deadline=deadline)
        RecordStore(self.layout).create(record)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


def test_a_question_is_on_disk_and_in_the_stream_at_once(task: Task) -> None:
    asked = task.side.ask("A or B?", ["A", "B"])
    [state] = mailbox.questions(task.files)
    assert (state.file, state.state) == (asked, "open")
    assert task.events()[0].body == Question(id=asked.id, question="A or B?", options=("A", "B"))
    assert task.side.reply(asked) is None


def test_an_answer_ends_the_waiting(task: Task) -> None:
    asked = task.side.ask("A or B?")
    mailbox.answer(task.files, asked.id, "B", task.clock)
    reply = task.side.wait(asked)
    assert reply.to_json() == {"id": asked.id, "answered": True, "answer": "B"}


def test_case_159_without_an_answer_it_is_told_to_go_on_after_five_minutes(task: Task) -> None:
    began = task.clock.monotonic()
    asked = task.side.ask("A or B?")
    reply = task.side.wait(asked)
    assert reply.to_json() == {"id": asked.id, "answered": False, "message": ALONE}
    assert 5 * MINUTES <= task.clock.monotonic() - began < 5 * MINUTES + 1
    [state] = mailbox.questions(task.files)
    assert (state.state, state.reason) == ("closed", "the agent went on alone")


@pytest.mark.parametrize("left", [90.0, 1.0, -5.0])
def test_case_159_it_never_waits_past_the_deadline(task: Task, left: float) -> None:
    task.started(seconds=left)
    began = task.clock.monotonic()
    asked = task.side.ask("A or B?", patience=math.nan)
    assert not task.side.wait(asked).answered
    assert task.clock.monotonic() - began <= max(0.0, left)


def test_a_foreign_order_counts_from_its_creation(tmp_path: Path) -> None:
    """Another orchestrator keeps no record of ours; its order is all there is."""
    task = Task(tmp_path / "elsewhere")
    other = TaskFiles(tmp_path / "t_9")
    other.dir.mkdir()
    created = iso(task.clock.now())
    other.task.write_text(json.dumps({"created_at": created, "deadline_ms": 60_000}))
    task.clock.advance(20)
    assert AgentSide.at(other.dir, task.clock).time_left() == pytest.approx(40)
    other.task.write_text("{}")
    assert AgentSide.at(other.dir, task.clock).time_left() == math.inf


def test_an_interrupted_wait_closes_its_question(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(task.clock, "sleep", interrupt)
    asked = task.side.ask("A or B?")
    with pytest.raises(KeyboardInterrupt):
        task.side.wait(asked)
    assert mailbox.question(task.files, asked.id).state == "closed"


def test_progress_is_an_event(task: Task) -> None:
    task.side.progress("half", 50)
    task.side.progress("more")
    assert [event.body for event in task.events()] == [
        Progress(message="half", pct=50),
        Progress(message="more"),
    ]
    assert [event.seq for event in task.events()] == [0, 1]


@pytest.mark.parametrize(
    ("message", "pct"), [("", None), (" ", 1), ("x", -1), ("x", 101), ("x", math.nan)]
)
def test_bad_progress_is_named_and_not_written(task: Task, message: str, pct: float | None) -> None:
    with pytest.raises(BadInputError, match="pct" if message.strip() else "message"):
        task.side.progress(message, pct)
    assert not task.files.events.exists()


def test_a_question_nobody_could_read_is_not_asked(task: Task) -> None:
    with pytest.raises(BadQuestionError):
        task.side.ask(" ")
    assert not task.files.events.exists()


def test_case_6_nulls_are_absent_in_a_report_that_is_handed_in(task: Task) -> None:
    finding = {"severity": "low", "title": "t", "file": None, "line": None}
    task.side.hand_in(
        {
            "protocol": "caesar.report/v1",
            "status": "success",
            "summary": "s",
            "usage": None,
            "findings": [finding],
        }
    )
    report = json.loads(task.files.report.read_bytes())
    assert report["task_id"] == "t_1"
    assert report["findings"][0]["title"] == "t"
    assert is_handed_in(task.files, task.files.report.read_bytes())
    assert not is_handed_in(task.files, task.files.report.read_bytes() + b" ")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"status": "great"}, "status"),
        ({"summary": ""}, "summary"),
        ({"findings": [{"title": "t", "line": 0}]}, r"findings\.0\.line"),
        ({"protocol": "caesar.report/v2"}, "v2"),
        ({"task_id": "t_2"}, "task_id"),
    ],
)
def test_a_bad_report_is_refused_with_its_field_and_the_good_one_stays(
    task: Task, change: dict[str, object], field: str
) -> None:
    good = {"protocol": "caesar.report/v1", "status": "success", "summary": "s"}
    task.side.hand_in(good)
    before = task.files.report.read_bytes()
    with pytest.raises(CaesarError, match=field):
        task.side.hand_in({**good, **change})
    assert task.files.report.read_bytes() == before


def test_x1_secrets_of_the_agent_stay_out_of_what_it_says(tmp_path: Path) -> None:
    task = Task(tmp_path, {"API_TOKEN": "hunter2-hunter2"})
    asked = task.side.ask("use hunter2-hunter2?")
    task.side.progress("hunter2-hunter2")
    assert asked.question == "use •••?"
    assert b"hunter2" not in task.files.events.read_bytes()


def test_what_the_plan_leaves_alone_is_left_alone(tmp_path: Path) -> None:
    plan = Plan(argv=(), cwd="", shown="", deadline_ms=1, redact=False)
    save_plan(Layout(tmp_path).plan("t_1"), plan)
    task = Task(tmp_path, {"API_TOKEN": "hunter2-hunter2"})
    assert task.side.ask("use hunter2-hunter2?").question == "use hunter2-hunter2?"


def test_outside_of_a_task_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotInATaskError, match="CAESAR_TASK_DIR"):
        AgentSide.here({})
    with pytest.raises(NotInATaskError, match=r"task\.json"):
        AgentSide.here({"CAESAR_TASK_DIR": str(tmp_path)})


def test_a_task_that_is_over_takes_no_report_question_or_progress(task: Task) -> None:
    task.started(seconds=60)
    task.side.hand_in_checked({"summary": "settled"})
    settled = task.files.report.read_bytes()
    RecordStore(task.layout).update("t_1", status="failed")
    for late in (
        lambda: task.side.hand_in({"protocol": REPORT_V1, "status": "success", "summary": "x"}),
        lambda: task.side.hand_in_checked({"summary": "x"}),
        lambda: task.side.progress("x"),
        lambda: task.side.ask("x?"),
    ):
        with pytest.raises(TaskOverError, match=r"t_1 is over \(failed\)"):
            late()
    assert task.files.report.read_bytes() == settled
    assert not task.files.events.exists()
    assert mailbox.questions(task.files) == ()


def test_an_answer_event_says_by_whom(task: Task) -> None:
    assert decode_event(
        b'{"protocol":"caesar.event/v1","seq":0,"at":"","task_id":"t","type":"answer","id":"q",'
        b'"answer":"yes","by":"rule: keep"}'
    ).body == Answer(id="q", answer="yes", by="rule: keep")
