"""All tasks as the dashboard knows them: what a frame costs depends on what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from caesar_core.board.delta import BoardDelta, Health
from caesar_core.board.order import Filter, Order, Row, arrange, count
from caesar_core.board.standing import Group
from caesar_core.board.views import QuestionView, TaskView
from caesar_core.ids import shortest_prefixes
from caesar_core.protocol.event import Event
from caesar_tui.render.race_row import Field
from caesar_tui.tail import LINES, Tail

SHOWN_FINISHED: Final = 50
SHOWN_HISTORY: Final = 2_000
_FEWEST: Final = 6
_AT_WORK: Final = frozenset(("agent", "outcome", "checks"))


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tasks there are of each kind, those included that are not shown.

    Attributes:
        taken: slots that a task is at work in.
        slots: how many there are; `None` as long as nobody knows.

    """

    need_you: int = 0
    running: int = 0
    waiting: int = 0
    done: int = 0
    taken: int = 0
    slots: int | None = None


class BoardModel:
    """Takes deltas, gives rows. Ended tasks are judged again only when something ended."""

    def __init__(self) -> None:
        self.tasks: dict[str, TaskView] = {}
        self.health = Health()
        self.complete = False
        self.slots: int | None = None
        self.tails: dict[str, Tail] = {}
        self._active: set[str] = set()
        self._ended: list[str] | None = None
        self._prefixes: dict[str, str] | None = None
        self._races: dict[str, set[str]] = {}

    def take(self, delta: BoardDelta) -> None:
        """Take over what changed."""
        self.health, self.complete = delta.health, delta.complete
        for view in delta.changed:
            if view.id not in self.tasks:
                self._prefixes = None
                if view.facts.race_id:
                    self._races.setdefault(view.facts.race_id, set()).add(view.id)
            if not view.facts.is_active or view.id not in self._active:
                self._ended = None
            (self._active.add if view.facts.is_active else self._active.discard)(view.id)
            self.tasks[view.id] = view
        for part in delta.appended:
            if part.task_id in self._active:
                self.remember(part.task_id, part.events)
        for task_id in self.tails.keys() - self._active:
            del self.tails[task_id]
        for task_id in delta.removed:
            gone = self.tasks.pop(task_id, None)
            if gone is not None and gone.facts.race_id:
                self._races[gone.facts.race_id].discard(task_id)
            self._active.discard(task_id)
            self._ended = self._prefixes = None

    def remember(self, task_id: str, events: Sequence[Event]) -> None:
        """Keep the last lines of a running task's stream."""
        tail = self.tails.setdefault(task_id, Tail())
        for event in events[-LINES:]:
            tail.add(event)

    @property
    def running(self) -> list[TaskView]:
        """The tasks that are not over."""
        return [self.tasks[task_id] for task_id in sorted(self._active)]

    @property
    def open_questions(self) -> list[QuestionView]:
        """Every open question, the one that closes first at the front."""
        asked = [question for view in self.running for question in view.open_questions]
        return sorted(asked, key=lambda q: (q.closes_at or "~", q.asked_at, q.id))

    @property
    def prefixes(self) -> dict[str, str]:
        """The shortest unique prefix of each id."""
        if self._prefixes is None:
            self._prefixes = shortest_prefixes(self.tasks, _FEWEST)
        return self._prefixes

    def fields(self, rows: Iterable[Row]) -> dict[str, Field]:
        """Return how far each race among these rows is; one contestant alone is no race."""
        shown = {row.view.facts.race_id for row in rows}
        found = {
            race_id: self._races[race_id]
            for race_id in shown
            if race_id and len(self._races.get(race_id, ())) > 1
        }
        names = shortest_prefixes(found, _FEWEST)
        return {
            race_id: Field(names[race_id], len(ids - self._active), len(ids))
            for race_id, ids in found.items()
        }

    def race(self, race_id: str) -> list[TaskView]:
        """Return the contestants of a race."""
        return [self.tasks[task_id] for task_id in sorted(self._races.get(race_id, ()))]

    @property
    def is_busy(self) -> bool:
        """Whether anything runs, so that ages move."""
        return bool(self._active)

    @property
    def has_applied(self) -> bool:
        """Whether any task's result was applied, so that there is something to take back."""
        return any(view.facts.applied_at for view in self.tasks.values())

    def rows(
        self, now: datetime, *, order: Order, only: Filter, history: bool = False
    ) -> tuple[list[Row], int]:
        """Return the rows to show, and how many ended tasks are left out."""
        ended = self._newest_ended()
        limit = SHOWN_HISTORY if history or not only.is_empty else SHOWN_FINISHED
        candidates = [self.tasks[i] for i in (*self._active, *ended[:limit])]
        return arrange(candidates, now, order=order, only=only), max(0, len(ended) - limit)

    def counts(self, rows: list[Row], left_out: int) -> Counts:
        """Return how many tasks there are of each kind; `left_out` of them have ended."""
        found = count(rows)
        waiting = sum(row.standing.state == "slot" for row in rows)
        return Counts(
            need_you=found[Group.NEEDS_YOU],
            running=found[Group.RUNNING] - waiting,
            waiting=waiting,
            done=found[Group.FINISHED] + left_out,
            taken=sum(view.facts.phase in _AT_WORK for view in self.running),
            slots=self.slots,
        )

    def usage(self) -> str:
        """Return tokens and cost of all tasks, as far as they are known."""
        facts = [task.facts for task in self.tasks.values()]
        tokens = sum(f.tokens or 0 for f in facts)
        cost = sum(f.cost_usd or 0.0 for f in facts)
        parts = [f"{_thousands(tokens)} tok"] if tokens else []
        return "  ".join([*parts, f"${cost:.2f}"] if cost else parts)

    def _newest_ended(self) -> list[str]:
        if self._ended is None:
            ended = [t.facts for t in self.tasks.values() if not t.facts.is_active]
            ended.sort(key=lambda facts: (facts.ended_at or facts.created_at, facts.id))
            self._ended = [facts.id for facts in reversed(ended)]
        return self._ended


def _thousands(number: int) -> str:
    if number < 1_000:
        return str(number)
    return f"{number // 1_000}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"
