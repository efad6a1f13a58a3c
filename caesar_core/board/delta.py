"""What changed on the board between two frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caesar_core.board.views import TaskView
from caesar_core.protocol.event import Event


@dataclass(frozen=True, slots=True)
class Health:
    """How well the follower sees.

    Attributes:
        mode: `live` with change notices from the system, `polling` without.
        note: why it polls; empty when it is live.
        bad_lines: unreadable lines over all streams that were read.
        bad_records: ids whose record cannot be read.

    """

    mode: Literal["live", "polling"] = "polling"
    note: str = ""
    bad_lines: int = 0
    bad_records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """New events of one task.

    Attributes:
        size: the offset in `events.jsonl` behind the last of them.
        reset: whether the file was replaced, so that `events` begin at its start.

    """

    task_id: str
    events: tuple[Event, ...]
    size: int
    reset: bool = False


@dataclass(frozen=True, slots=True)
class BoardDelta:
    """One frame's worth of change.

    Attributes:
        changed: tasks that are new or not as they were.
        removed: ids whose record is gone.
        appended: new events, in the order in which each stream holds them.
        complete: whether every record has been read once; until then the oldest are missing.

    """

    changed: tuple[TaskView, ...] = ()
    removed: tuple[str, ...] = ()
    appended: tuple[Appended, ...] = ()
    health: Health = Health()
    complete: bool = True
