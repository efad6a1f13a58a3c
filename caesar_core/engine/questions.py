"""Questions as whoever answers them sees them: who still waits, the answer, rules that answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caesar_core.clock import Clock, parse_iso
from caesar_core.engine.project import Project
from caesar_core.engine.rules import PATIENCE, rule_fits
from caesar_core.errors import CaesarError, NotFoundError, OperationError
from caesar_core.identity import is_alive
from caesar_core.ids import AmbiguousIdError, check_id
from caesar_core.protocol.event import Answer, Error
from caesar_core.store import mailbox
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles
from caesar_core.store.mailbox import QuestionFile, QuestionState
from caesar_core.store.records import Record

OVER = "the task is over"
_SEEN_ALONE = "the agent went on alone"
_UNSETTLED = 2.0  # seconds after a change in which a question may still be half written
_ASKER_GONE = "whoever asked it is gone"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the task it belongs to."""

    task_id: str
    state: QuestionState

    @property
    def is_open(self) -> bool:
        """Whether an answer is still waited for."""
        return self.state.state == "open"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `questions` (docs/commands.md)."""
        file = self.state.file
        document: dict[str, Any] = {
            "task_id": self.task_id,
            "id": file.id,
            "question": file.question,
            "options": list(file.options),
            "asked_at": file.asked_at,
            "closes_at": file.closes_at,
            "state": self.state.state,
        }
        if self.state.answer is not None:
            document["answer"] = self.state.answer
        if self.state.by is not None:
            document["by"] = self.state.by
        if self.state.reason is not None:
            document["reason"] = self.state.reason
        return document

    def to_pending(self) -> dict[str, Any]:
        """Return an item of `pending_questions`."""
        names = ("id", "question", "options", "asked_at", "closes_at")
        document = self.to_json()
        return {name: document[name] for name in names}


def questions_of(project: Project, record: Record) -> tuple[AskedQuestion, ...]:
    """Return the questions of a task, oldest first; one that nobody waits for is not open."""
    states = mailbox.questions(project.layout.task(record.id))
    return tuple(AskedQuestion(record.id, _now(s, record, project.clock)) for s in states)


def all_questions(project: Project) -> tuple[AskedQuestion, ...]:
    """Return the questions of all tasks that are not over, oldest first."""
    active = (record for record in project.records.scan().records if record.is_active)
    asked = (question for record in active for question in questions_of(project, record))
    return tuple(sorted(asked, key=lambda q: (q.state.file.asked_at, q.task_id, q.state.file.id)))


def question_by_prefix(files: TaskFiles, prefix: str) -> str:
    """Return the id of the question that is `prefix` or begins with it.

    Raises:
        NotFoundError, AmbiguousIdError: none or several; the message says so.
    """
    check_id(prefix, "question")
    known = [state.file.id for state in mailbox.questions(files)]
    found = [prefix] if prefix in known else [i for i in known if i.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    hint = "`caesar questions` lists what is waiting."
    if not found:
        raise NotFoundError(f"No question {prefix} of {files.dir.name}.", hint)
    raise AmbiguousIdError(f"{prefix} fits {len(found)} questions: {', '.join(found[:8])}.", hint)


def answer_question(
    project: Project, task_id: str, question_id: str, text: str, by: str | None = None
) -> QuestionState:
    """Answer a question, and tell the stream.

    Raises:
        NotFoundError, AlreadyAnsweredError, QuestionClosedError, BadQuestionError: see
            `store.mailbox.answer`; also when the task is over or the agent went on alone.
        OperationError: it cannot be written.
    """
    files = project.layout.task(task_id)
    record = project.records.get(task_id)
    reason = _why_closed(mailbox.question(files, question_id).file, record, project.clock)
    if reason:
        mailbox.close(files, question_id, reason, project.clock)
    return _answer(files, question_id, text, by, project.clock)


def close_questions(files: TaskFiles, why: str, clock: Clock) -> None:
    """Close what is open: nobody waits any more. Never raises for one question."""
    for state in mailbox.questions(files):
        if state.state == "open":
            with suppress(CaesarError):
                mailbox.close(files, state.file.id, why, clock)


class MailWatch:
    """What the supervisor does about its task's questions: rules answer, the forgotten close.

    A look costs one `stat` while no question is open and none has come.

    Args:
        files: the task's.
        rules: `[[answer]]` as pairs of a regular expression and the answer; the first that is
            found in a question counts.
        clock: says when a question closes.
    """

    def __init__(self, files: TaskFiles, rules: Iterable[Sequence[str]], clock: Clock) -> None:
        self._files = files
        self._rules = tuple((match, answer) for match, answer in rules)
        self._clock = clock
        self._seen: int | None = None
        self._open: tuple[QuestionFile, ...] = ()
        self._not_before = 0.0
        self._again_until = 0.0
        self._slow: set[tuple[str, str]] = set()

    def look(self) -> None:
        """Take notice of what is new. Never raises: a question must not end a task."""
        with suppress(CaesarError, OSError):
            changed = _changed_at(self._files.questions)
            now = self._clock.monotonic()
            if changed != self._seen:
                self._seen, self._again_until = changed, now + _UNSETTLED
                self._take_in()
            elif now < self._again_until:
                # A file that was being written then is readable by now, and its folder unchanged.
                self._take_in()
            elif self._open and now >= self._not_before:
                self._tidy()

    def _take_in(self) -> None:
        for state in mailbox.questions(self._files):
            if state.state == "open":
                self._apply_rules(state.file)
        self._tidy()

    def _apply_rules(self, asked: QuestionFile) -> None:
        for match, answer in self._rules:
            fits = rule_fits(match, asked.question)
            if fits is None:
                self._tell_slow(match, asked)
            elif fits:
                with suppress(CaesarError):
                    _answer(self._files, asked.id, answer, f"rule: {match}", self._clock)
                return

    def _tell_slow(self, match: str, asked: QuestionFile) -> None:
        if (match, asked.id) in self._slow:
            return
        self._slow.add((match, asked.id))
        text = (
            f"The rule {match} took longer than {PATIENCE:g} s for a question; it does not count."
        )
        with suppress(OperationError):
            Journal(self._files, self._files.dir.name, self._clock).append(Error(message=text))

    def _tidy(self) -> None:
        self._not_before = self._clock.monotonic() + 1
        left = []
        for state in mailbox.questions(self._files):
            if state.state != "open":
                continue
            reason = _why_forgotten(state.file, self._clock)
            if reason:
                mailbox.close(self._files, state.file.id, reason, self._clock)
            else:
                left.append(state.file)
        self._open = tuple(left)


def _answer(
    files: TaskFiles, question_id: str, text: str, by: str | None, clock: Clock
) -> QuestionState:
    found = mailbox.answer(files, question_id, text, clock, by)
    with suppress(OperationError):  # the answer stands; the stream only tells of it
        Journal(files, files.dir.name, clock).append(
            Answer(id=question_id, answer=found.answer or "", by=by)
        )
    return found


def _now(state: QuestionState, record: Record | None, clock: Clock) -> QuestionState:
    if state.state != "open":
        return state
    reason = _why_closed(state.file, record, clock)
    return QuestionState(state.file, "closed", reason=reason) if reason else state


def _why_closed(asked: QuestionFile, record: Record | None, clock: Clock) -> str:
    """Return why nobody waits for the answer any more; empty while somebody does."""
    if record is not None and not record.is_active:
        return OVER
    return _why_forgotten(asked, clock)


def _why_forgotten(asked: QuestionFile, clock: Clock) -> str:
    closes = parse_iso(asked.closes_at or "")
    if closes is not None and clock.now() >= closes:
        return _SEEN_ALONE
    return _ASKER_GONE if asked.asker is not None and not is_alive(asked.asker) else ""


def _changed_at(folder: Path) -> int | None:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - four times a second, for every task
    except OSError:
        return None
