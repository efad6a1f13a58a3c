"""Which tasks a face shows and in which order: groups, sorting, filtering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from caesar_core.board.standing import QUEUED, Group, Place, Standing, standing
from caesar_core.board.views import TaskView

Order: TypeAlias = Literal["newest", "oldest", "agent", "silence"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)
_KEYS: Final = frozenset(("agent", "status", "role", "mode", "race", "id", "report"))


@dataclass(frozen=True, slots=True)
class Row:
    """A task with the place it has on the board."""

    view: TaskView
    standing: Standing

    @property
    def group(self) -> Group:
        """The group the row stands in."""
        return self.standing.group


@dataclass(frozen=True, slots=True)
class Filter:
    """What a person typed after `/`: words that must all fit.

    `agent:codex` compares one key with the beginning of its value, any other word is looked for
    in the id, agent, role, objective and state, without regard to case.
    """

    keys: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Filter:
        """Return the filter that `text` means; every text means one."""
        keys: list[tuple[str, str]] = []
        words: list[str] = []
        for word in text.casefold().split():
            name, colon, value = word.partition(":")
            if colon and value and name in _KEYS:
                keys.append((name, value))
            else:
                words.append(word)
        return cls(tuple(keys), tuple(words))

    @property
    def is_empty(self) -> bool:
        """Whether everything fits."""
        return not self.keys and not self.words

    def matches(self, row: Row) -> bool:
        """Whether the row fits."""
        if self.is_empty:
            return True
        facts = row.view.facts
        values = {
            "agent": (facts.agent,),
            "status": (facts.status, row.standing.state, row.standing.word),
            "role": (facts.role or "",),
            "mode": (facts.mode,),
            "race": (facts.race_id or "",),
            "id": (facts.id, facts.id.removeprefix("t_")),
            "report": (facts.report_status or "",),
        }
        text = " ".join((facts.id, facts.agent, facts.role or "", facts.objective))
        haystack = f"{text} {facts.status} {row.standing.word}".casefold()
        return all(
            any(v.casefold().startswith(wanted) for v in values[name]) for name, wanted in self.keys
        ) and all(word in haystack for word in self.words)


def arrange(
    tasks: Iterable[TaskView], now: datetime, *, order: Order = "newest", only: Filter | None = None
) -> list[Row]:
    """Return the rows of the board: what needs a person, questions first, what runs, what ended."""
    found = list(tasks)
    places = _queue(found)
    rows = [Row(task, standing(task, now, places.get(task.id))) for task in found]
    kept = [row for row in rows if only is None or only.matches(row)]
    return sorted(_sorted(kept, order), key=_urgency)


def count(rows: Sequence[Row]) -> dict[Group, int]:
    """Return how many rows each group has."""
    return {group: sum(row.group is group for row in rows) for group in Group}


def _urgency(row: Row) -> tuple[int, bool]:
    """Groups in their order; a question, whose agent waits, before any other concern."""
    return row.group, row.standing.state != "asking"


def _queue(tasks: Iterable[TaskView]) -> dict[str, Place]:
    waiting = [t.facts for t in tasks if t.facts.is_active and t.facts.phase in QUEUED]
    waiting.sort(key=lambda facts: (facts.ticket or 0, facts.created_at, facts.id))
    return {facts.id: (place, len(waiting)) for place, facts in enumerate(waiting, 1)}


def _sorted(rows: list[Row], order: Order) -> list[Row]:
    def when(row: Row) -> tuple[str, str]:
        facts = row.view.facts
        return (facts.ended_at or facts.created_at, facts.id)

    if order == "newest":
        return sorted(rows, key=when, reverse=True)
    if order == "agent":
        return sorted(rows, key=lambda row: (row.view.facts.agent, row.view.id))
    if order == "silence":
        return sorted(rows, key=lambda row: row.view.stream.last_at or row.view.facts.created_at)
    return sorted(rows, key=when)
