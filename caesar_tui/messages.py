"""Facts that come down to the screens and intents that go up from the widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from textual.message import Message

from caesar_core.board.delta import BoardDelta
from caesar_core.board.race import ComparisonView
from caesar_core.protocol.event import Event
from caesar_core.repo.patch import PatchFile
from caesar_tui.draft import Draft
from caesar_tui.herald import MouseWanted, News
from caesar_tui.outlook import ForecastWanted, SlotsWanted

Edge: TypeAlias = Literal["end", "before", "after"]
Source: TypeAlias = Literal["stream", "raw"]


@dataclass
class BoardChanged(Message):
    """A frame's worth of change of the store."""

    delta: BoardDelta


@dataclass
class PageWanted(Message):
    """A stream's pane needs bytes: its end, or what lies before or behind what it holds."""

    task_id: str
    edge: Edge
    start: int = 0
    end: int = 0
    source: Source = "stream"


@dataclass
class PageRead(Message):
    """Bytes of a stream, complete lines only at the end; `start` is where they begin."""

    task_id: str
    edge: Edge
    start: int
    data: bytes
    size: int
    source: Source = "stream"


@dataclass
class TimelineWanted(Message):
    """A timeline needs the events of a stream from the offset `start` on."""

    task_id: str
    start: int


@dataclass
class TimelineRead(Message):
    """Events from `start` to `end`; `more` when the stream goes on behind.

    `closings`: when the task's questions close, by their ids, seconds since 1970.
    """

    task_id: str
    start: int
    end: int
    events: list[Event]
    more: bool
    closings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TailsWanted:
    """The wall needs the last events of these tasks."""

    task_ids: tuple[str, ...]


@dataclass
class TailRead(Message):
    """The last events of a task."""

    task_id: str
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Listed:
    """A changed file as the list of files shows it; texts are untrusted.

    Attributes:
        action: created, modified, deleted or renamed.
        insertions, deletions: lines; `None` for a binary file.
        flags: what to look at twice (see `repo.changes.FileChange`).

    """

    path: str
    action: str
    insertions: int | None = None
    deletions: int | None = None
    flags: tuple[str, ...] = ()


@dataclass
class DiffRead(Message):
    """What a task changed; `note` says why there is nothing, or what was left out."""

    wanted: DiffWanted
    files: tuple[PatchFile, ...]
    note: str
    listed: tuple[Listed, ...] = ()


@dataclass
class TaskRead(Message):
    """Everything about a task: the JSON of `caesar show`; `failure` when it cannot be read."""

    task_id: str
    document: dict[str, Any]
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A sheet: what would happen, before it happens.

    Attributes:
        action: what Enter does.
        ready: whether it can be done.
        lines: a mark (a name of `board.glyphs.Glyphs`) and a text each; texts are untrusted.
        task_ids: who is meant, where it is more than one.

    """

    action: Literal["apply", "undo", "cancel", "retry", "gc", "combine", "stop"]
    task_id: str | None
    title: str
    ready: bool
    lines: tuple[tuple[str, str], ...] = ()
    task_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffWanted:
    """A person wants to see what a task changed.

    Attributes:
        against: compare with the result of this task instead of the base.

    """

    task_id: str
    ignore_space: bool = False
    against: str | None = None


@dataclass(frozen=True, slots=True)
class TaskWanted:
    """A person wants to read the order and the report of a task."""

    task_id: str


@dataclass(frozen=True, slots=True)
class ApplyWanted:
    """A person thinks of applying a task; `at_once`: without a sheet where nothing speaks up."""

    task_id: str
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class UndoWanted:
    """A person thinks of taking the last apply back."""


@dataclass(frozen=True, slots=True)
class AnswerGiven:
    """A person answers a question; `text` is an option's value or the person's words."""

    task_id: str
    question_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanWanted:
    """A person wants to know what a draft would come to."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class StartWanted:
    """A person wants a draft to be started."""

    draft: Draft


@dataclass
class DraftPlanned(Message):
    """What a draft would come to.

    Attributes:
        plans: for each contestant what was decided: a name, a value and the reason each.
        refusal, remedy: why it would not start, and what to do.

    """

    draft: Draft
    plans: tuple[tuple[tuple[str, str, str], ...], ...]
    refusal: str = ""
    remedy: str = ""


@dataclass
class Started(Message):
    """A task was started."""

    task_id: str


@dataclass(frozen=True, slots=True)
class PlaceWanted:
    """A person wants to go where a task works."""

    task_id: str


@dataclass(frozen=True, slots=True)
class VisitWanted:
    """A program is to be given the terminal, in this folder."""

    folder: str
    command: tuple[str, ...]


@dataclass
class PlaceRead(Message):
    """Where a task works, and in what it is opened."""

    visit: VisitWanted


@dataclass(frozen=True, slots=True)
class CommandWanted:
    """A person wants the command that gives a task's order again."""

    task_id: str


@dataclass
class CommandRead(Message):
    """The command; untrusted text."""

    command: str


@dataclass(frozen=True, slots=True)
class ComparisonWanted:
    """A race screen needs to know who did what to which file."""

    race_id: str


@dataclass
class ComparisonRead(Message):
    """Who did what to which file."""

    race_id: str
    comparison: ComparisonView


@dataclass(frozen=True, slots=True)
class FileWanted:
    """A race screen needs what these tasks did to a file; `against`: compared with that task."""

    path: str
    task_ids: tuple[str, ...]
    against: str | None = None


@dataclass
class FileRead(Message):
    """What each task did to a file; `None` for one that left it alone."""

    wanted: FileWanted
    files: dict[str, PatchFile | None]


@dataclass(frozen=True, slots=True)
class Pick:
    """A part of a combined result: a file of a task, or only some of its hunks, from 1."""

    task_id: str
    path: str
    hunks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CombineWanted:
    """A person wants these parts as one result."""

    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class TidyWanted:
    """A person thinks of cleaning up."""


@dataclass(frozen=True, slots=True)
class GiveUpWanted:
    """A person does not want to wait any longer for what only looks."""


@dataclass
class Working(Message):
    """What goes on for longer than a moment; empty when nothing does.

    Attributes:
        text: what to say.
        can_stop: whether it can be given up.

    """

    text: str = ""
    can_stop: bool = False


@dataclass
class GivenUp(Message):
    """What was waited for was given up."""


Intent: TypeAlias = (
    PageWanted
    | TimelineWanted
    | TailsWanted
    | News
    | MouseWanted
    | DiffWanted
    | TaskWanted
    | ApplyWanted
    | UndoWanted
    | AnswerGiven
    | PlanWanted
    | StartWanted
    | PlaceWanted
    | VisitWanted
    | CommandWanted
    | CommandRead
    | TidyWanted
    | ForecastWanted
    | SlotsWanted
    | GiveUpWanted
    | ComparisonWanted
    | FileWanted
    | CombineWanted
    | Plan
)


@dataclass
class Planned(Message):
    """The sheet to show."""

    plan: Plan


@dataclass
class Answered(Message):
    """What became of an answer; `failure` is empty when the agent has it."""

    given: AnswerGiven
    failure: str = ""


@dataclass
class Said(Message):
    """Something to tell the person; the text is untrusted."""

    text: str
    severity: Literal["information", "warning", "error"] = "information"
