"""Questions as whoever answers them sees them, and what the supervisor does about them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, iso
from caesar_core.engine.project import Project
from caesar_core.engine.questions import (
    MailWatch,
    all_questions,
    answer_question,
    close_questions,
    question_by_prefix,
    questions_of,
)
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.identity import current
from caesar_core.ids import AmbiguousIdError
from caesar_core.protocol.event import Answer
from caesar_core.protocol.wire import decode_event
from caesar_core.store import mailbox
from caesar_core.store.atomic import write_atomic
from caesar_core.store.mailbox import AlreadyAnsweredError, QuestionClosedError, QuestionFile
from caesar_core.store.records import Record


class Desk:
    def __init__(self, root: Path) -> None:
        self.clock = FakeClock()
        self.project = Project(root, self.clock)

    def task(self, task_id: str = "t_1", status: str = "running") -> Record:
        record = Record(id=task_id, agent="x", status=status)  # type: ignore[arg-type]
        self.project.records.create(record)
        return record

    def ask(self, task_id: str = "t_1", text: str = "Keep it?", wait: float = 300) -> QuestionFile:
        closes = self.clock.now().timestamp() + wait
        at = self.clock.now().fromtimestamp(closes, self.clock.now().tzinfo)
        return mailbox.ask(self.project.layout.task(task_id), text, (), self.clock, at)

    def events(self, task_id: str = "t_1") -> list[object]:
        path = self.project.layout.task(task_id).events
        return [decode_event(line).body for line in path.read_bytes().splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_an_answer_is_told_to_the_stream(desk: Desk) -> None:
    desk.task()
    asked = desk.ask()
    answer_question(desk.project, "t_1", asked.id, "yes", "me")
    assert desk.events() == [Answer(id=asked.id, answer="yes", by="me")]
    with pytest.raises(AlreadyAnsweredError, match="by me"):
        answer_question(desk.project, "t_1", asked.id, "no")
    assert len(desk.events()) == 1


def test_q7_a_question_of_a_task_that_is_over_is_closed(desk: Desk) -> None:
    desk.task(status="cancelled")
    asked = desk.ask()
    [found] = questions_of(desk.project, desk.project.records.get("t_1"))  # type: ignore[arg-type]
    assert (found.state.state, found.state.reason) == ("closed", "the task is over")
    with pytest.raises(QuestionClosedError, match="the task is over"):
        answer_question(desk.project, "t_1", asked.id, "yes")


def test_q7_a_question_whose_agent_went_on_alone_is_closed(desk: Desk) -> None:
    record = desk.task()
    asked = desk.ask(wait=10)
    assert questions_of(desk.project, record)[0].is_open
    desk.clock.advance(10)
    assert not questions_of(desk.project, record)[0].is_open
    with pytest.raises(QuestionClosedError, match="went on alone"):
        answer_question(desk.project, "t_1", asked.id, "yes")


def test_q7_a_question_whose_asker_is_gone_is_closed(desk: Desk) -> None:
    record = desk.task()
    files = desk.project.layout.task("t_1")
    gone = replace(current(), started=1.0)
    asked = mailbox.ask(files, "Keep it?", (), desk.clock, asker=gone)
    alive = mailbox.ask(files, "And this?", (), desk.clock, asker=current())
    open_ids = [q.state.file.id for q in questions_of(desk.project, record) if q.is_open]
    assert open_ids == [alive.id]
    MailWatch(files, (), desk.clock).look()
    assert mailbox.question(files, asked.id).reason == "whoever asked it is gone"
    assert mailbox.question(files, alive.id).state == "open"


def test_an_asker_in_another_pid_namespace_is_not_taken_for_dead(desk: Desk) -> None:
    record = desk.task()
    files = desk.project.layout.task("t_1")
    asked = mailbox.ask(files, "Keep it?", (), desk.clock, asker=current())
    path = files.question(asked.id)
    pid = f'"pid": {os.getpid()}'
    path.write_text(path.read_text().replace(pid, '"pid": 1').replace("pid:[", "pid:[9"))
    assert questions_of(desk.project, record)[0].is_open


def test_open_questions_of_all_tasks_come_oldest_first(desk: Desk) -> None:
    for task_id, status in (("t_1", "running"), ("t_2", "running"), ("t_3", "failed")):
        desk.task(task_id, status)
    for task_id in ("t_2", "t_3", "t_1"):
        desk.clock.advance(1)
        desk.ask(task_id)
    assert [q.task_id for q in all_questions(desk.project)] == ["t_2", "t_1"]


def test_a_beginning_names_a_question(desk: Desk) -> None:
    files = desk.project.layout.task("t_1")
    for question_id in ("aa1", "aa2", "b"):
        write_atomic(
            files.question(question_id), b'{"id": "%s", "question": "?"}' % question_id.encode()
        )
    assert question_by_prefix(files, "aa2") == "aa2"
    assert question_by_prefix(files, "b") == "b"
    with pytest.raises(AmbiguousIdError, match="aa1, aa2"):
        question_by_prefix(files, "a")
    with pytest.raises(NotFoundError, match="No question c of t_1"):
        question_by_prefix(files, "c")
    with pytest.raises(CaesarError, match="not a question id"):
        question_by_prefix(files, "../b")


def test_everything_open_closes_with_its_task(desk: Desk) -> None:
    files = desk.project.layout.task("t_1")
    asked, answered = desk.ask(), desk.ask()
    mailbox.answer(files, answered.id, "yes", desk.clock)
    close_questions(files, "the task is over", desk.clock)
    assert mailbox.question(files, asked.id).reason == "the task is over"
    assert mailbox.question(files, answered.id).answer == "yes"


def test_a_rule_answers_and_is_named(desk: Desk) -> None:
    files = desk.project.layout.task("t_1")
    rules = (("[broken", "never"), ("(?i)keep", "yes"), ("it", "second"))
    mail = MailWatch(files, rules, desk.clock)
    mail.look()
    asked, other = desk.ask(text="Keep it?"), desk.ask(text="Which?")
    mail.look()
    assert mailbox.question(files, asked.id).answer == "yes"
    assert mailbox.question(files, other.id).state == "open"
    assert desk.events() == [Answer(id=asked.id, answer="yes", by="rule: (?i)keep")]


def test_a_question_that_was_half_written_when_it_was_seen_is_answered_too(desk: Desk) -> None:
    """An agent in a shell writes it with `cat >`: the folder changes before there is a text."""
    files = desk.project.layout.task("t_1")
    mail = MailWatch(files, (("keep", "yes"),), desk.clock)
    path = files.question("q1")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    mail.look()
    path.write_text('{"id": "q1", "question": "keep it?", "asked_at": ""}')
    mail.look()
    assert mailbox.question(files, "q1").answer == "yes"


def test_the_supervisor_closes_what_nobody_waits_for(desk: Desk) -> None:
    files = desk.project.layout.task("t_1")
    asked = desk.ask(wait=10)
    mail = MailWatch(files, (), desk.clock)
    mail.look()
    assert mailbox.question(files, asked.id).state == "open"
    desk.clock.advance(11)
    mail.look()
    assert mailbox.question(files, asked.id).reason == "the agent went on alone"


def test_what_stands_in_the_way_of_the_questions_is_no_trouble(desk: Desk) -> None:
    files = desk.project.layout.task("t_1")
    files.dir.mkdir(parents=True)
    files.questions.write_text("not a folder")
    MailWatch(files, (), desk.clock).look()
    close_questions(files, iso(desk.clock.now()), desk.clock)
