"""`caesar.event/v1`: the ten kinds of event (specification, "events.jsonl - the stream").

Events are the hot path: a supervisor at rest, `caesar ps` and the agent-side commands read and
write them without paying for pydantic (ADR 0011). They are frozen dataclasses; `protocol.wire`
decodes and encodes them and `protocol.schema` builds the JSON Schema from the same classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias

ToolStatus: TypeAlias = Literal["started", "succeeded", "failed"]
FileAction: TypeAlias = Literal["created", "modified", "deleted", "renamed"]
ReportStatus: TypeAlias = Literal["success", "partial", "failed", "blocked"]
Reason: TypeAlias = Literal[
    "auth",
    "quota",
    "rate_limit",
    "permission_denied",
    "model_error",
    "network",
    "budget",
    "spawn",
    "timeout",
    "cancelled",
    "protocol",
    "stalled",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """What an event says, without the envelope."""

    kind: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(_Body):
    """The agent's process was started; `command` never holds the brief."""

    kind: ClassVar[str] = "started"
    agent: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(_Body):
    """The agent's reasoning, as far as its stream shows it."""

    kind: ClassVar[str] = "thinking"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(_Body):
    """Something the agent says."""

    kind: ClassVar[str] = "message"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse(_Body):
    """The start or the end of one tool call; `id` pairs the two."""

    kind: ClassVar[str] = "tool_use"
    tool: str = ""
    id: str = ""
    input_summary: str = ""
    status: ToolStatus = "started"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanged(_Body):
    """The agent says that it changed a file; `path` is relative to the workspace."""

    kind: ClassVar[str] = "file_changed"
    path: str = ""
    action: FileAction = "modified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(_Body):
    """How far the work is; `pct` is 0 to 100 when known."""

    kind: ClassVar[str] = "progress"
    message: str = ""
    pct: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(_Body):
    """The agent asks; `id` names the file in `questions/`."""

    kind: ClassVar[str] = "question"
    id: str = ""
    question: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(_Body):
    """A question was answered; `by` says by whom, or by which rule."""

    kind: ClassVar[str] = "answer"
    id: str = ""
    answer: str = ""
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(_Body):
    """Something went wrong; `fatal` means that the run cannot go on."""

    kind: ClassVar[str] = "error"
    message: str = ""
    fatal: bool = False
    reason: Reason | None = None
    retry_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(_Body):
    """The run ended."""

    kind: ClassVar[str] = "finished"
    status: ReportStatus = "success"
    summary: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(_Body):
    """A well-formed event of a type that this version does not know: kept and counted."""

    kind: ClassVar[str] = "unknown"
    type: str = ""
    data: dict[str, Any] = field(default_factory=dict, hash=False)


EventBody: TypeAlias = (
    Started
    | Thinking
    | Message
    | ToolUse
    | FileChanged
    | Progress
    | Question
    | Answer
    | Error
    | Finished
    | Unknown
)

BODIES: Final[tuple[type[_Body], ...]] = (
    Started,
    Thinking,
    Message,
    ToolUse,
    FileChanged,
    Progress,
    Question,
    Answer,
    Error,
    Finished,
)
EVENT_TYPES: Final = tuple(body.kind for body in BODIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of `events.jsonl`: the envelope and what it says.

    Attributes:
        seq: the writer's counter; may repeat when an agent appends by itself.
        at: ISO 8601 text, parsed only where it is shown.

    """

    seq: int
    at: str
    task_id: str
    body: EventBody

    @property
    def type(self) -> str:
        """The `type` key as it stood in the line."""
        return self.body.type if isinstance(self.body, Unknown) else self.body.kind
