"""What every face of the product shows: frozen views, built by pure functions.

Times are ISO 8601 text as the files hold them. Texts are raw: whoever shows one makes it
harmless first (`caesar_core.text`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

QuestionState: TypeAlias = Literal["open", "answered", "closed"]
CallStatus: TypeAlias = Literal["started", "succeeded", "failed"]
ACTIVE_STATUSES = frozenset(("pending", "running"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallView:
    """One call of a tool; `ended_at` is empty while it runs."""

    tool: str
    id: str = ""
    summary: str = ""
    started_at: str = ""
    ended_at: str = ""
    status: CallStatus = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The last error of a stream that nothing has superseded."""

    message: str
    at: str = ""
    fatal: bool = False
    reason: str | None = None
    retry_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What a `finished` event said."""

    status: str
    summary: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamView:
    """A stream of events, folded. Bounded however long the stream is.

    Attributes:
        events: well-formed events so far, those of unknown types included.
        bad_lines: lines that were not events.
        running: the calls that have not ended, oldest first, at most `reduce.MAX_RUNNING`.
        speech: the end of what the agent said last, at most `reduce.MAX_SPEECH` characters.
        speech_cut: whether the beginning of `speech` is lost.
        speech_open: whether the next message continues the paragraph.
        files: paths the agent says it changed, in order of first mention, at most
            `reduce.MAX_FILES`.

    """

    events: int = 0
    bad_lines: int = 0
    unknown: int = 0
    first_at: str = ""
    last_at: str = ""
    running: tuple[ToolCallView, ...] = ()
    last_tool: ToolCallView | None = None
    speech: str = ""
    speech_at: str = ""
    speech_cut: bool = False
    speech_open: bool = False
    files: tuple[str, ...] = ()
    progress: str = ""
    progress_at: str = ""
    pct: float | None = None
    trouble: Trouble | None = None
    ending: Ending | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question of an agent. `options` are the values that can be answered."""

    task_id: str
    id: str
    question: str
    options: tuple[str, ...] = ()
    asked_at: str = ""
    closes_at: str | None = None
    state: QuestionState = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """A command that we ran on a task's result; `exit_code` is `None` when it was stopped."""

    command: str
    passed: bool
    exit_code: int | None = None
    duration_ms: int | None = None
    output_tail: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """The values of a task's record that a face needs.

    Attributes:
        ticket: its number among those that wait or waited for a slot; the lower, the earlier.
        files, insertions, deletions: size of the outcome, `None` before there is one.
        flags: what to look at twice in the outcome, over all its files, sorted.
        conflicts: paths that the last attempt to apply could not merge.
        checks: the checks that have ended, in their order.
        verified_by: `git` or `declaration`; `None` before the end.
        base_ref: the commit the outcome is compared with.
        busy: whether its processes use the CPU; `None` when nobody looked.

    """

    id: str
    agent: str
    objective: str = ""
    status: str = "pending"
    role: str | None = None
    model: str | None = None
    mode: str = "write"
    isolation: str = "inplace"
    created_at: str = ""
    started_at: str | None = None
    ended_at: str | None = None
    phase: str | None = None
    ticket: int | None = None
    reason: str | None = None
    report_status: str | None = None
    race_id: str | None = None
    applied_at: str | None = None
    conflicts: tuple[str, ...] = ()
    files: int | None = None
    insertions: int | None = None
    deletions: int | None = None
    checks: tuple[CheckView, ...] = ()
    flags: tuple[str, ...] = ()
    verified_by: str | None = None
    base_ref: str | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    busy: bool | None = None

    @property
    def is_active(self) -> bool:
        """Whether the task is not over."""
        return self.status in ACTIVE_STATUSES

    @property
    def checks_passed(self) -> int:
        """How many checks passed."""
        return sum(check.passed for check in self.checks)

    @property
    def checks_total(self) -> int:
        """How many checks there were."""
        return len(self.checks)

    @property
    def contradicted(self) -> bool:
        """Whether the report claims success and a check failed."""
        return self.report_status == "success" and self.checks_passed < self.checks_total


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """Everything a face knows of one task."""

    facts: TaskFacts
    stream: StreamView = StreamView()
    questions: tuple[QuestionView, ...] = ()

    @property
    def id(self) -> str:
        """The task's id."""
        return self.facts.id

    @property
    def open_questions(self) -> tuple[QuestionView, ...]:
        """The questions that wait for an answer, oldest first."""
        return tuple(q for q in self.questions if q.state == "open")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """All tasks, newest first.

    Attributes:
        max_parallel: the number of slots, `None` when the configuration was not read.
        slots_used: how many are taken.
        bad_records: ids whose record cannot be read.

    """

    tasks: tuple[TaskView, ...] = ()
    max_parallel: int | None = None
    slots_used: int = 0
    bad_records: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[TaskView]:
        return iter(self.tasks)

    @property
    def bad_lines(self) -> int:
        """Unreadable lines over all streams."""
        return sum(task.stream.bad_lines for task in self.tasks)
