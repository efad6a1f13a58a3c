"""The agent's side of its task (specification, "The return channel").

Reading the order, telling how far it is, asking, handing in the report: the commands for agents
and the channel server are two faces of this. Importing it is cheap; only `hand_in` needs pydantic.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock, SystemClock, parse_iso
from caesar_core.errors import CaesarError, OperationError
from caesar_core.identity import current
from caesar_core.process.environment import Redactor, redactor
from caesar_core.protocol.event import EventBody, Progress, Question
from caesar_core.store import mailbox
from caesar_core.store.atomic import read_json, write_atomic
from caesar_core.store.journal import Journal
from caesar_core.store.layout import TaskFiles, layout_of
from caesar_core.store.mailbox import QuestionFile, QuestionState
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record

LONGEST_WAIT: Final = 300.0
ALONE: Final = (
    "Nobody has answered. Do not wait any longer: go on by your own best judgement, and say in "
    "your report what you decided and why."
)
_MARGIN: Final = 2.0  # seconds before the deadline: enough to hear that nobody answered
_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.25
_SLOWER: Final = 1.3
_LIMIT: Final = 64 << 20
_LONGEST_MESSAGE: Final = 16_000


class NotInATaskError(CaesarError):
    """The caller is no agent: nothing says which task it works on."""

    code = "not_in_a_task"


class TaskOverError(CaesarError):
    """The task has ended: nothing that is said now can reach anybody."""

    code = "task_over"


class BadInputError(CaesarError):
    """A value that an agent handed in and that cannot be taken; the message names it."""

    code = "bad_input"


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question.

    Attributes:
        answer: set when it was answered.
        message: what to do without an answer.
    """

    id: str
    answered: bool
    answer: str | None = None
    message: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the result of `ask_orchestrator`."""
        said = {"answer": self.answer} if self.answered else {"message": self.message}
        return {"id": self.id, "answered": self.answered, **said}


class AgentSide:
    """The task that this process works on."""

    def __init__(
        self, files: TaskFiles, clock: Clock | None = None, environment: Mapping[str, str] = {}
    ) -> None:
        self._files = files
        self._clock = clock or SystemClock()
        self._redactor = redactor(environment) if self._redacts() else Redactor(())
        self.task_id = files.dir.name
        self._journal = Journal(files, self.task_id, self._clock)

    @property
    def folder(self) -> Path:
        """The task's directory, in which an answer appears."""
        return self._files.dir

    @classmethod
    def at(
        cls, folder: str | Path, clock: Clock | None = None, environment: Mapping[str, str] = {}
    ) -> AgentSide:
        """Return the task whose directory is `folder`.

        Raises:
            NotInATaskError: there is no task.
        """
        files = TaskFiles(Path(folder).resolve())
        if not files.task.is_file():
            raise NotInATaskError(f"There is no task in {folder}: no task.json.")
        return cls(files, clock, environment)

    @classmethod
    def here(
        cls, environment: Mapping[str, str] = os.environ, clock: Clock | None = None
    ) -> AgentSide:
        """Return the task that the environment names.

        Raises:
            NotInATaskError: it names none.
        """
        folder = environment.get("CAESAR_TASK_DIR")
        if not folder:
            raise NotInATaskError(
                "This is not inside a task: CAESAR_TASK_DIR is not set.",
                "The command is for agents that caesar started.",
            )
        return cls.at(folder, clock, environment)

    def order(self) -> dict[str, Any]:
        """Return `task.json`.

        Raises:
            StoreError: it cannot be read.
        """
        document = read_json(self._files.task, _LIMIT)
        return document if isinstance(document, dict) else {}

    def progress(self, message: str, pct: float | None = None) -> None:
        """Tell how far the work is.

        Raises:
            BadInputError: no message, or `pct` is not within 0 and 100.
            TaskOverError: the task has ended.
            OperationError: the stream cannot be written.
        """
        self._refuse_when_over()
        if not message.strip():
            raise BadInputError("message is empty.", "Say in a few words what you are doing.")
        if pct is not None and not 0 <= pct <= 100:  # NaN is not either
            raise BadInputError(f"pct is {pct}; it goes from 0 to 100.")
        text = self._clean(message[:_LONGEST_MESSAGE])
        self._say(Progress(message=text, pct=pct))

    def ask(
        self,
        question: str,
        options: Iterable[str] = (),
        patience: float = LONGEST_WAIT,
        default: str | None = None,
    ) -> QuestionFile:
        """Ask; the question is visible to everybody when this returns.

        Args:
            question: what is to be decided.
            options: answers to choose from; another answer may come all the same.
            patience: seconds to wait at most; cut to what is left of the task's time.
            default: the answer that will do where nobody can be asked.

        Raises:
            BadQuestionError: a text is empty or too long.
            TaskOverError: the task has ended.
            OperationError: it cannot be written.
        """
        self._refuse_when_over()
        wait = max(0.0, min(patience, LONGEST_WAIT if math.isnan(patience) else patience))
        wait = min(wait, max(0.0, self.time_left() - _MARGIN))
        asked = mailbox.ask(
            self._files,
            self._clean(question),
            [self._clean(option) for option in options],
            self._clock,
            closes_at=self._clock.now() + timedelta(seconds=wait),
            asker=current(),
            default=None if default is None else self._clean(default),
        )
        self._say(Question(id=asked.id, question=asked.question, options=asked.options))
        return asked

    def reply(self, asked: QuestionFile) -> Reply | None:
        """Return what became of a question, `None` while it is worth waiting.

        Raises:
            OperationError: its files cannot be read or written.
        """
        found = mailbox.question(self._files, asked.id)
        if found.state == "open" and not self._is_late(asked):
            return None
        if found.state == "open":
            found = mailbox.close(self._files, asked.id, "the agent went on alone", self._clock)
        return _reply(found)

    def forget(self, asked: QuestionFile) -> None:
        """Close a question that is not waited for any more. Never raises."""
        with suppress(CaesarError):
            mailbox.close(self._files, asked.id, "the agent does not wait any more", self._clock)

    def wait(self, asked: QuestionFile) -> Reply:
        """Wait for the answer, at rest, and return it or the invitation to go on alone."""
        pauses = Pauses()
        try:
            while (reply := self.reply(asked)) is None:
                self._clock.sleep(pauses.next())
        except BaseException:
            self.forget(asked)
            raise
        return reply

    def hand_in(self, document: Mapping[str, Any]) -> None:
        """Hand in the report; the last one counts.

        Raises:
            CaesarError: it is not acceptable; the message names the field.
            TaskOverError: the task has ended.
            OperationError: it cannot be written.
        """
        from caesar_core.protocol.report import Report

        report = Report.from_json(dict(document))
        if report.task_id not in (None, self.task_id):
            raise BadInputError(
                f"task_id is {report.task_id!r}, but this task is {self.task_id}.", "Leave it out."
            )
        self.hand_in_checked({**report.to_json(), "task_id": self.task_id})

    def hand_in_checked(self, report: Mapping[str, Any]) -> None:
        """Hand in a report that is known to satisfy its model.

        Raises:
            TaskOverError: the task has ended; its report is settled.
            OperationError: it cannot be written.
        """
        self._refuse_when_over()
        text = self._clean(json.dumps(report, ensure_ascii=False, indent=2))
        data = text.encode("utf-8", "replace") + b"\n"
        write_atomic(self._files.report, data)
        receipt = {"sha256": hashlib.sha256(data).hexdigest()}
        write_atomic(self._files.channel_receipt, json.dumps(receipt).encode("ascii") + b"\n")

    def time_left(self) -> float:
        """Return the seconds until the task's deadline, infinite when it names none."""
        record = self._record()
        if record is not None and record.deadline is not None:
            return record.deadline - self._clock.monotonic()
        order: dict[str, Any] = {}
        with suppress(CaesarError, OSError):
            order = self.order()
        limit = order.get("deadline_ms")
        if not isinstance(limit, int | float):
            return math.inf
        created = parse_iso(str(order.get("created_at", "")))
        if record is not None or created is None:  # its clock starts with the agent: just now
            return limit / 1000
        return limit / 1000 - (self._clock.now() - created).total_seconds()

    def _refuse_when_over(self) -> None:
        record = self._record()
        if record is not None and not record.is_active:
            raise TaskOverError(
                f"{self.task_id} is over ({record.status}): nobody listens any more.",
                "Its report and its events stay as they are.",
            )

    def _is_late(self, asked: QuestionFile) -> bool:
        closes = parse_iso(asked.closes_at or "")
        return closes is not None and self._clock.now() >= closes

    def _record(self) -> Record | None:
        layout = layout_of(self._files.dir)
        if layout is not None:
            with suppress(CaesarError, OSError):
                return RecordStore(layout, self._clock).get(self._files.dir.name)
        return None

    def _redacts(self) -> bool:
        """Whether secrets are kept out of what is written: yes, unless the plan says no."""
        layout = layout_of(self._files.dir)
        if layout is not None:
            with suppress(CaesarError, OSError):
                # Not by `load_plan`, which knows every agent: this has to start at once.
                plan = read_json(layout.plan(self._files.dir.name), _LIMIT)
                return not isinstance(plan, dict) or plan.get("redact") is not False
        return True

    def _clean(self, text: str) -> str:
        return self._redactor.redact_text(text)

    def _say(self, body: EventBody) -> None:
        self._journal.append(body)


class Pauses:
    """Seconds between two looks at a file: short at first, a quarter of a second in the end."""

    def __init__(self) -> None:
        self._pause = _FIRST_PAUSE

    def next(self) -> float:
        """Return the next pause."""
        pause, self._pause = self._pause, min(self._pause * _SLOWER, _LONGEST_PAUSE)
        return pause


def is_handed_in(files: TaskFiles, report: bytes) -> bool:
    """Whether exactly this report came through the return channel."""
    try:
        receipt = read_json(files.channel_receipt, _LIMIT)
    except (FileNotFoundError, OperationError):
        return False
    return isinstance(receipt, dict) and receipt.get("sha256") == hashlib.sha256(report).hexdigest()


def _reply(found: QuestionState) -> Reply:
    if found.answer is None:
        return Reply(found.file.id, answered=False, message=ALONE)
    return Reply(found.file.id, answered=True, answer=found.answer)
