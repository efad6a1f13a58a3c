"""The demonstration: a small repository, two embedded agents, one objective, one winner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.demo import DEMO_AGENTS, OBJECTIVE, PROJECT
from caesar_core.board.ranking import Contestant, rank
from caesar_core.clock import parse_iso
from caesar_core.engine.adopt import Caretaker
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.ids import new_task_id
from caesar_core.repo.create import create_repository
from caesar_core.store.records import Record

_CRITERION: Final = "python -m unittest passes"


@dataclass(frozen=True, slots=True)
class DemoRace:
    """A race that was started.

    Attributes:
        folder: the repository.
        race_id: what its tasks have in common.
    """

    service: Service
    folder: Path
    race_id: str
    caretakers: tuple[Caretaker, ...]

    def records(self) -> list[Record]:
        """Return the contestants as they stand."""
        return [caretaker.look() for caretaker in self.caretakers]

    def cancel(self) -> None:
        """Stop those that are still at work, and wait for their end."""
        running = [record.id for record in self.records() if record.is_active]
        for task_id in running:
            self.service.request_cancel(task_id)
        for task_id in running:
            self.service.cancel(task_id)

    def is_over(self) -> bool:
        """Whether every contestant has ended."""
        return not any(record.is_active for record in self.records())

    def standings(self) -> list[tuple[int, Contestant]]:
        """Return the contestants with their ranks, best first."""
        return rank([_contestant(record) for record in self.records()])


def start_demo(folder: Path) -> DemoRace:
    """Make the repository and send both agents off from the same commit.

    Raises:
        CaesarError: git or a supervisor could not be started.
    """
    create_repository(folder, PROJECT, "A function with two defects, and its tests")
    service = Service(folder)
    race_id = f"r_{new_task_id().removeprefix('t_')[:12]}"
    ids = [
        service.delegate(
            Request(
                objective=OBJECTIVE,
                agent=agent.id,
                acceptance_criteria=(_CRITERION,),
                race_id=race_id,
            )
        )[0].id
        for agent in DEMO_AGENTS
    ]
    return DemoRace(service, folder, race_id, tuple(map(service.caretaker, ids)))


def standings_json(standings: Iterable[tuple[int, Contestant]]) -> list[dict[str, Any]]:
    """Return the standings as JSON."""
    return [
        {
            "task_id": contestant.task_id,
            "rank": place,
            "report_status": contestant.report_status,
            "verified": contestant.verified,
            "lines": contestant.lines,
            "duration_ms": contestant.duration_ms,
        }
        for place, contestant in standings
    ]


def _contestant(record: Record) -> Contestant:
    stat = record.stat or {}
    began, ended = parse_iso(record.started_at or ""), parse_iso(record.ended_at or "")
    took = int((ended - began).total_seconds() * 1000) if began and ended else None
    return Contestant(
        task_id=record.id,
        report_status=record.report_status if record.status == "succeeded" else "failed",
        verified=record.changes_verified_by == "git",
        lines=stat["insertions"] + stat["deletions"] if stat else None,
        duration_ms=took,
    )
