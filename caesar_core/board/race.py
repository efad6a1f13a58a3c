"""Races: several tasks with one objective and one base, and how their results compare. Pure.

A race is nothing but its tasks, so its view is built from theirs, at any moment, by any face:

    for race in races(board.tasks):          # the races on the board, newest first
        for contestant in race.ranked: ...   # best first; who still runs comes last, unranked

What needs git (the matrix of files, the forecast) comes from `engine.service.Service.compare` as a
:class:`ComparisonView` of the same contestants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from caesar_core.board.ranking import Contestant, rank
from caesar_core.board.views import TaskFacts, TaskView
from caesar_core.clock import parse_iso


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestantView:
    """A task as one of several.

    Attributes:
        label: agent, with the model where one was chosen: `claude:opus`.
        verified: git saw the changes; else they are only declared.
        rank: its place by the printed rule, from 1, ties share one; `None` while it runs.
        proved: it ended well, says success, and no check says otherwise: it may win.
        contradicted: it says success, and a check failed.
        files, insertions, deletions: size of the outcome, `None` before there is one.
        duration_ms: from the agent's start to the task's end; `None` while it runs.
        flags: see `repo.changes.FileChange.flags`.
    """

    task_id: str
    agent: str
    label: str
    model: str | None = None
    status: str = "pending"
    report_status: str | None = None
    verified: bool = False
    rank: int | None = None
    proved: bool = False
    contradicted: bool = False
    checks_passed: int = 0
    checks_total: int = 0
    files: int | None = None
    insertions: int | None = None
    deletions: int | None = None
    duration_ms: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    flags: tuple[str, ...] = ()
    applied: bool = False

    @property
    def is_active(self) -> bool:
        """Whether it is not over."""
        return self.rank is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceView:
    """Several tasks with one objective and one base.

    Attributes:
        contestants: in the order of their start, so that a number on a key stays with one.
        ranked: the same, best first; who still runs comes last.
        winner: the id of the best one that is proved, once all have ended.
        applied: the id of the one whose outcome is in the work tree.
    """

    id: str
    objective: str = ""
    base_ref: str | None = None
    created_at: str = ""
    contestants: tuple[ContestantView, ...] = ()
    ranked: tuple[ContestantView, ...] = ()
    winner: str | None = None
    applied: str | None = None

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of the contestants, in the order of their start."""
        return tuple(contestant.task_id for contestant in self.contestants)

    @property
    def done(self) -> int:
        """How many have ended."""
        return sum(not contestant.is_active for contestant in self.contestants)

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.contestants)

    @property
    def is_over(self) -> bool:
        """Whether all have ended."""
        return self.done == self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """What one contestant did to one file.

    Attributes:
        action: created, modified, deleted or renamed.
        insertions, deletions: `None` for a binary file.
        same_as: ids of the contestants whose file is the same, byte for byte.
    """

    action: str
    insertions: int | None = None
    deletions: int | None = None
    same_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastView:
    """Two results that would not go into one tree.

    Attributes:
        task_id: whose outcome.
        other: the id of another task; empty for the work tree as it is now.
        paths: where they collide, each with the reason, as seen from the project.
    """

    task_id: str
    other: str = ""
    paths: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """Several results side by side.

    Attributes:
        race: the contestants, as in any race; its id is empty when they are just chosen tasks.
        matrix: by path and task id, sorted by path; a task that left a file alone has no cell.
        identical: groups of ids whose whole results are the same.
        forecast: which of them, and the work tree, would not go together.
        notes: sentences for people, such as that their bases differ.
    """

    race: RaceView
    matrix: Mapping[str, Mapping[str, CellView]] = field(default_factory=dict, hash=False)
    identical: tuple[tuple[str, ...], ...] = ()
    forecast: tuple[ForecastView, ...] = ()
    notes: tuple[str, ...] = ()


def races(tasks: Iterable[TaskView]) -> list[RaceView]:
    """Return the races that the tasks belong to, newest first."""
    members: dict[str, list[TaskView]] = {}
    for task in tasks:
        if task.facts.race_id:
            members.setdefault(task.facts.race_id, []).append(task)
    found = [race_view(field, race_id) for race_id, field in members.items()]
    return sorted(found, key=lambda race: (race.created_at, race.id), reverse=True)


def race_view(tasks: Iterable[TaskView], race_id: str = "") -> RaceView:
    """Return these tasks as a race, whether or not they were started as one."""
    facts = sorted((t.facts for t in tasks), key=lambda known: (known.created_at, known.id))
    places = _places(facts)
    field = tuple(_contestant(known, places.get(known.id)) for known in facts)
    ranked = tuple(sorted(field, key=lambda one: one.rank or len(field) + 1))
    over = len(places) == len(facts)
    return RaceView(
        id=race_id,
        objective=facts[0].objective if facts else "",
        base_ref=facts[0].base_ref if facts else None,
        created_at=facts[0].created_at if facts else "",
        contestants=field,
        ranked=ranked,
        winner=next((c.task_id for c in ranked if c.proved), None) if over else None,
        applied=next((c.task_id for c in field if c.applied), None),
    )


def contestant_json(contestant: ContestantView, usage: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a contestant as JSON; `usage` is its record's."""
    names = (
        "task_id",
        "agent",
        "model",
        "status",
        "report_status",
        "verified",
        "rank",
        "contradicted",
        "checks_passed",
        "checks_total",
        "files",
        "insertions",
        "deletions",
        "duration_ms",
    )
    document = {name: getattr(contestant, name) for name in names}
    return {**document, "usage": usage, "flags": list(contestant.flags)}


def _places(facts: Iterable[TaskFacts]) -> dict[str, int]:
    ended = [_ranked_as(known) for known in facts if not known.is_active]
    return {contestant.task_id: place for place, contestant in rank(ended)}


def _ranked_as(facts: TaskFacts) -> Contestant:
    return Contestant(
        task_id=facts.id,
        report_status=facts.report_status if facts.status == "succeeded" else "failed",
        verified=facts.verified_by == "git",
        checks_passed=facts.checks_passed,
        flags=facts.flags,
        lines=None if facts.insertions is None else facts.insertions + (facts.deletions or 0),
        duration_ms=_took(facts),
    )


def _contestant(facts: TaskFacts, place: int | None) -> ContestantView:
    proved = (facts.status, facts.report_status) == ("succeeded", "success")
    return ContestantView(
        task_id=facts.id,
        agent=facts.agent,
        label=f"{facts.agent}:{facts.model}" if facts.model else facts.agent,
        model=facts.model,
        status=facts.status,
        report_status=facts.report_status,
        verified=facts.verified_by == "git",
        rank=place,
        proved=proved and not facts.contradicted,
        contradicted=facts.contradicted,
        checks_passed=facts.checks_passed,
        checks_total=facts.checks_total,
        files=facts.files,
        insertions=facts.insertions,
        deletions=facts.deletions,
        duration_ms=_took(facts),
        tokens=facts.tokens,
        cost_usd=facts.cost_usd,
        flags=facts.flags,
        applied=facts.applied_at is not None,
    )


def _took(facts: TaskFacts) -> int | None:
    began, ended = parse_iso(facts.started_at or ""), parse_iso(facts.ended_at or "")
    if began is None or ended is None:
        return None
    return int((ended - began).total_seconds() * 1000)
