"""Which results would collide, as far as was asked, and when to ask again. Pure.

Nothing is asked by a clock alone: only after a task ended, was applied or taken back, said
something, or after the person came back to the terminal. The longer an answer took, the longer
the next question waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from textual.message import Message

from caesar_core.board.race import ForecastView
from caesar_core.board.views import TaskView
from caesar_core.text import counted

MOST: Final = 20
"""How many results are looked at: those of running tasks, then the newest."""
PAUSE: Final = 5.0
"""Seconds between two questions, at least."""
_CALM: Final = 20
"""A question waits this many times as long as the last answer took."""
_YOURS: Final = "your tree"
_Stand: TypeAlias = tuple[bool, str, int]


@dataclass(frozen=True, slots=True)
class ForecastWanted:
    """Somebody looks at these results; would they collide?"""

    task_ids: tuple[str, ...]


@dataclass
class ForecastRead(Message):
    """What would collide."""

    views: tuple[ForecastView, ...]


@dataclass(frozen=True, slots=True)
class SlotsWanted:
    """How many tasks may be at work at once?"""


@dataclass
class SlotsRead(Message):
    """How many tasks may be at work at once."""

    most: int


class Outlook:
    """Keeps the last answer. Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Stand] = {}
        self._races: dict[str, str] = {}
        self._views: tuple[ForecastView, ...] = ()
        self._is_old = False
        self._asked_at: float | None = None
        self._not_before = 0.0

    def take(self, changed: Iterable[TaskView], removed: Iterable[str] = ()) -> None:
        """Take over what became of tasks."""
        for view in changed:
            stand = _stand_of(view)
            if stand != self._waiting.get(view.id):
                self._is_old = True
                self._put(view, stand)
        for task_id in removed:
            if self._waiting.pop(task_id, None) is not None:
                self._is_old = True

    def grow_old(self) -> None:
        """The work tree may have changed."""
        self._is_old = True

    def ask(self, now: float) -> ForecastWanted | None:
        """Return what to ask now, if anything."""
        if not self._is_old or self._asked_at is not None or now < self._not_before:
            return None
        self._is_old = False
        if not self._waiting:
            self._views = ()
            return None
        self._asked_at = now
        newest = sorted(self._waiting, key=lambda task_id: self._waiting[task_id], reverse=True)
        return ForecastWanted(tuple(newest[:MOST]))

    def hear(self, views: tuple[ForecastView, ...], now: float) -> None:
        """Take the answer."""
        took = 0.0 if self._asked_at is None else now - self._asked_at
        self._not_before = now + max(PAUSE, _CALM * took)
        self._asked_at, self._views = None, views

    def of(self, task_id: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        """Return with whom a task's result would collide, and where.

        The work tree comes first, its name is empty. Contestants of one race do not count: only
        one of them is ever applied.
        """
        return sorted(
            (view.other if task_id == view.task_id else view.task_id, view.paths)
            for view in self._views
            if task_id in {view.task_id, view.other} and self._counts(view)
        )

    def notes(self, prefixes: Mapping[str, str]) -> dict[str, str]:
        """Return a few words for each task whose result would collide with something."""
        named = {task_id for view in self._views for task_id in (view.task_id, view.other)}
        return {
            task_id: f"conflicts: {text}"
            for task_id in named & self._waiting.keys()
            if (text := self._others(task_id, prefixes))
        }

    def sentence(self, task_id: str, prefixes: Mapping[str, str]) -> str:
        """Return with whom a result would collide and in which files; empty for none."""
        parts = []
        for other, paths in self.of(task_id):
            name = prefixes.get(other, other) or _YOURS
            first, *more = (path for path, _ in paths)
            rest = f" and {counted(len(more), 'more file')}" if more else ""
            parts.append(f"with {name} in {first}{rest}")
        return f"would conflict {', '.join(parts)}" if parts else ""

    def _others(self, task_id: str, prefixes: Mapping[str, str]) -> str:
        names = [other for other, _ in self.of(task_id)]
        if len(names) > 1:
            tasks = counted(len([name for name in names if name]), "task")
            return f"{_YOURS}, {tasks}" if "" in names else tasks
        return next((prefixes.get(name, name) or _YOURS for name in names), "")

    def _put(self, view: TaskView, stand: _Stand | None) -> None:
        if stand is None:
            self._waiting.pop(view.id, None)
            return
        self._waiting[view.id] = stand
        if view.facts.race_id:
            self._races[view.id] = view.facts.race_id

    def _counts(self, view: ForecastView) -> bool:
        if view.task_id not in self._waiting or (view.other and view.other not in self._waiting):
            return False
        race = self._races.get(view.task_id)
        return race is None or race != self._races.get(view.other)


def _stand_of(view: TaskView) -> _Stand | None:
    """Return what the forecast for a task depends on, in an order that puts the newest last."""
    facts = view.facts
    if facts.isolation != "worktree" or facts.applied_at is not None:
        return None
    if facts.is_active:
        began = facts.started_at or facts.created_at
        return (True, began, view.stream.events) if facts.phase == "agent" else None
    return (False, facts.ended_at or "", 0) if facts.files else None
