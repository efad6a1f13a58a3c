from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock
from caesar_core.errors import NotFoundError
from caesar_core.store import mailbox
from caesar_core.store.layout import TaskFiles
from caesar_core.store.mailbox import AlreadyAnsweredError, BadQuestionError, QuestionClosedError


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    return TaskFiles(tmp_path / "t_1")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_a_question_is_open_until_it_is_answered(files: TaskFiles, clock: FakeClock) -> None:
    assert mailbox.questions(files) == ()
    asked = mailbox.ask(files, "A or B?", ["A", "B"], clock, datetime(2026, 1, 2, tzinfo=UTC))
    assert asked.closes_at == "2026-01-02T00:00:00.000Z"
    [state] = mailbox.questions(files)
    assert (state.file, state.state, state.answer) == (asked, "open", None)
    clock.advance(5)
    answered = mailbox.answer(files, asked.id, "B", clock, by="cli")
    assert mailbox.questions(files) == (answered,)
    assert (answered.state, answered.answer, answered.by) == ("answered", "B", "cli")
    assert answered.answered_at == "2026-01-01T00:00:05.000Z"


def test_files_hold_the_keys_of_the_reference(files: TaskFiles, clock: FakeClock) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    mailbox.answer(files, asked.id, "so", clock)
    at = "2026-01-01T00:00:00.000Z"
    assert json.loads(files.question(asked.id).read_bytes()) == {
        "id": asked.id,
        "question": "Why?",
        "options": [],
        "asked_at": at,
    }
    assert json.loads(files.answer(asked.id).read_bytes()) == {
        "id": asked.id,
        "answer": "so",
        "answered_at": at,
    }


def test_160_the_first_answer_stays(files: TaskFiles, clock: FakeClock) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    mailbox.answer(files, asked.id, "first", clock, by="dashboard")
    with pytest.raises(AlreadyAnsweredError, match=r"at 2026-01-01T00:00:00\.000Z by dashboard"):
        mailbox.answer(files, asked.id, "second", clock)
    assert mailbox.question(files, asked.id).answer == "first"


def test_160_an_answer_that_arrives_in_the_same_moment_stays(
    files: TaskFiles, clock: FakeClock
) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    for theirs in ('{"answer": "theirs"}', '{"closed_at": ""}'):
        files.answer(asked.id).parent.mkdir(exist_ok=True)
        files.answer(asked.id).write_text(theirs)
        assert not mailbox._place(files.answer(asked.id), {"answer": "ours"})
        assert files.answer(asked.id).read_text() == theirs


def test_160_unknown_questions_are_named(files: TaskFiles, clock: FakeClock) -> None:
    for question_id in ("none", "0" * 32):
        with pytest.raises(NotFoundError, match=f"No question {question_id}"):
            mailbox.answer(files, question_id, "x", clock)
        with pytest.raises(NotFoundError):
            mailbox.close(files, question_id, "x", clock)
    assert not files.dir.exists()


def test_a_closed_question_takes_no_answer(files: TaskFiles, clock: FakeClock) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    closed = mailbox.close(files, asked.id, "the task is over", clock)
    assert (closed.state, closed.reason) == ("closed", "the task is over")
    with pytest.raises(QuestionClosedError, match="the task is over"):
        mailbox.answer(files, asked.id, "late", clock)
    assert mailbox.questions(files) == (closed,)


def test_closing_an_answered_question_returns_the_answer(
    files: TaskFiles, clock: FakeClock
) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    mailbox.answer(files, asked.id, "so", clock)
    assert mailbox.close(files, asked.id, "over", clock).answer == "so"


def test_half_written_documents_read_as_absent(files: TaskFiles, clock: FakeClock) -> None:
    asked = mailbox.ask(files, "Why?", (), clock)
    whole = files.question(asked.id).read_bytes().rstrip()
    other = files.question("f" * 32)
    for length in range(len(whole)):
        other.write_bytes(whole[:length])
        assert [state.file.id for state in mailbox.questions(files)] == [asked.id]
    files.answer(asked.id).parent.mkdir()
    files.answer(asked.id).write_bytes(b'{"answer": "ha')
    assert mailbox.question(files, asked.id).state == "open"
    assert mailbox.answer(files, asked.id, "whole", clock).answer == "whole"


def test_foreign_documents_are_bounded_and_extra_keys_kept_out(
    files: TaskFiles, clock: FakeClock
) -> None:
    files.questions.mkdir(parents=True)
    files.question("q1").write_text(
        json.dumps({"id": "q1", "question": "x" * 99_999, "options": ["a", 1, "b" * 999], "z": 1})
    )
    files.question("q2").write_text('{"id": "other", "question": "?"}')
    (files.questions / "..json").write_text("{}")
    [state] = mailbox.questions(files)
    assert len(state.file.question) == mailbox.MAX_QUESTION
    assert [len(option) for option in state.file.options] == [1, mailbox.MAX_OPTION]


@pytest.mark.parametrize(
    ("question", "options"),
    [("", ()), (" \n", ()), ("x" * 16_001, ()), ("?", [""]), ("?", ["o"] * 21), ("?", ["o" * 501])],
)
def test_what_cannot_be_shown_is_not_asked(
    files: TaskFiles, clock: FakeClock, question: str, options: list[str]
) -> None:
    with pytest.raises(BadQuestionError):
        mailbox.ask(files, question, options, clock)
    assert mailbox.questions(files) == ()


def test_q2_questions_of_one_moment_are_all_listed_and_matched(
    tmp_path: Path, clock: FakeClock
) -> None:
    tasks = [TaskFiles(tmp_path / f"t_{n}") for n in range(3)]
    asked = [(files, mailbox.ask(files, f"q{n}", (), clock)) for n in range(5) for files in tasks]
    for files, one in reversed(asked):
        mailbox.answer(files, one.id, f"to {one.question} of {files.dir.name}", clock)
    for files in tasks:
        states = mailbox.questions(files)
        assert sorted(state.answer or "" for state in states) == [
            f"to q{n} of {files.dir.name}" for n in range(5)
        ]
        assert all(s.answer == f"to {s.file.question} of {files.dir.name}" for s in states)


def test_a_flood_of_questions_is_read_in_part(
    files: TaskFiles, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "MAX_QUESTIONS", 3)
    for _ in range(5):
        mailbox.ask(files, "Again?", (), clock)
    assert len(mailbox.questions(files)) == 3
