"""Races: several agents, one objective, one base commit, a worktree each.

A race is nothing but its tasks plus one small file. Nobody has to stay: the supervisors stop the
losers themselves, and whoever looks later sees the same standings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from caesar_core.board.race import RaceView
from caesar_core.clock import iso
from caesar_core.engine.adopt import Caretaker
from caesar_core.engine.cancel import cancel_task, request_cancel
from caesar_core.engine.delegate import delegate, look_at, plan_only
from caesar_core.engine.launcher import Launcher
from caesar_core.engine.project import Project
from caesar_core.engine.race_stop import race_records, settle_race
from caesar_core.engine.race_views import view_of
from caesar_core.engine.request import Request
from caesar_core.engine.resolve import Resolution
from caesar_core.engine.trust import require
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.ids import new_task_id, resolve_prefix
from caesar_core.repo.revisions import require_commit
from caesar_core.store.lock import claimed
from caesar_core.store.races import RaceFile, StopWhen, load_race, race_ids, save_race
from caesar_core.store.records import Record

MOST_CONTESTANTS: Final = 64
_KEPT: Final = 4_000


@dataclass(frozen=True, slots=True)
class RaceOrder:
    """Who is to race, and for what.

    Attributes:
        request: what all of them are asked; without an agent of its own.
        agents: `ID` or `ID:MODEL`; empty: every agent of the role that can work.
        copies: how many of each.
    """

    request: Request
    agents: tuple[str, ...] = ()
    copies: int = 1
    stop_when: StopWhen = "never"


class Race:
    """A race that was started, looked at from here."""

    def __init__(
        self, project: Project, file: RaceFile, *, launcher: Launcher | None = None
    ) -> None:
        self.id = file.id
        self.file = file
        self._project = project
        self._caretakers = [Caretaker(project, i, launcher=launcher) for i in file.task_ids]

    def look(self) -> list[Record]:
        """Return the contestants as they stand; a supervisor that died is replaced on the way.

        Raises:
            OperationError: supervisors cannot be started, or do not live.
        """
        records = [caretaker.look() for caretaker in self._caretakers]
        if any(r.is_active for r in records) and not all(r.is_active for r in records):
            settle_race(self._project, self.id)
        return records

    def view(self) -> RaceView:
        """Return the standings."""
        return view_of(self._project, self.file)

    def request_cancel(self) -> None:
        """Ask every contestant to stop."""
        for record in race_records(self._project, self.file):
            if record.is_active:
                request_cancel(self._project, record)

    def cancel(self) -> list[str]:
        """Stop every contestant, and wait for their ends; return the ids of the stopped ones."""
        running = [r.id for r in race_records(self._project, self.file) if r.is_active]
        self.request_cancel()
        return [i for i in running if cancel_task(self._project, i).status == "cancelled"]


def start_race(
    project: Project, order: RaceOrder, *, launcher: Launcher | None = None
) -> tuple[Race, list[Resolution]]:
    """Resolve every contestant, then send them all off from the same commit.

    Raises:
        UntrustedError: the repository brings commands that nobody agreed to.
        CaesarError: one of them is refused, or there are fewer than two; none was started.
        OperationError: a supervisor could not be started; those before it were stopped again.
    """
    require(project.root, project.config)
    requests = _requests(project, order)
    resolutions = [plan_only(project, request) for request in requests]
    _check_decidable(project, order, resolutions)
    file = RaceFile(
        id=str(requests[0].race_id),
        base_ref=_base(project, order.request),
        created_at=iso(project.clock.now()),
        task_ids=tuple(str(request.task_id) for request in requests),
        objective=order.request.objective[:_KEPT],
        stop_when=order.stop_when,
    )
    race = Race(project, file, launcher=launcher)
    with claimed(project.layout.record_lock(file.id), clock=project.clock):
        project.ignore_own_files(None)
        save_race(project.layout, file)
        try:
            for request in requests:
                delegate(project, replace(request, base_ref=file.base_ref), launcher=launcher)
        except BaseException:
            race.cancel()
            if not race_records(project, file):
                project.layout.race(file.id).unlink(missing_ok=True)
            raise
    # It may have been decided before the last of them was there to be stopped.
    settle_race(project, file.id)
    return race, resolutions


def plan_race(project: Project, order: RaceOrder) -> list[Resolution]:
    """Return what `start_race` would decide for each contestant; nothing is created.

    Raises:
        CaesarError: one of them would be refused, or there are fewer than two.
    """
    resolutions = [plan_only(project, request) for request in _requests(project, order)]
    _check_decidable(project, order, resolutions)
    return resolutions


def find_race(project: Project, prefix: str) -> RaceFile:
    """Return the race that `prefix` stands for, from its file or from the records of its tasks.

    Raises:
        NotFoundError, AmbiguousIdError: nothing fits, or several do.
    """
    known = race_ids(project.layout)
    if not any(race_id.startswith((prefix, f"r_{prefix}")) for race_id in known):
        known = sorted({r.race_id for r in project.records.scan().records if r.race_id})
    wanted = prefix if any(i.startswith(prefix) for i in known) else f"r_{prefix}"
    try:
        race_id = resolve_prefix(wanted, known, "race")
    except NotFoundError:
        raise NotFoundError(f"No race {prefix}.", "`caesar race list` lists every race.") from None
    return load_race(project.layout, race_id) or _from_records(project, race_id)


def _from_records(project: Project, race_id: str) -> RaceFile:
    found = [r for r in project.records.scan().records if r.race_id == race_id]
    found.sort(key=lambda record: (record.created_at, record.id))
    return RaceFile(
        id=race_id,
        base_ref=found[0].base_ref or "",
        created_at=found[0].created_at,
        task_ids=tuple(record.id for record in found),
        objective=found[0].objective,
    )


def _requests(project: Project, order: RaceOrder) -> list[Request]:
    agents = order.agents or _agents_of_role(project, order.request)
    race_id = f"r_{new_task_id().removeprefix('t_')[:12]}"
    requests = [
        replace(
            order.request,
            agent=agent,
            model=model or order.request.model,
            isolation="worktree",
            race_id=race_id,
            task_id=new_task_id(),
        )
        for agent, _, model in (text.partition(":") for text in agents)
        for _ in range(order.copies)
    ]
    if not 2 <= len(requests) <= MOST_CONTESTANTS:
        raise CaesarError(
            f"A race needs 2 to {MOST_CONTESTANTS} contestants, not {len(requests)}.",
            "Repeat --agent, or run several of each with -n.",
        )
    return requests


def _agents_of_role(project: Project, request: Request) -> tuple[str, ...]:
    """Return the role's agents that can work here, in its order of preference."""
    if request.role is None:
        raise CaesarError(
            "Name who races.", "For example --agent codex --agent claude:opus, or --role R -n 2."
        )
    first = plan_only(project, request)  # refuses a role without anybody, with every reason
    agents = first.role.agents if first.role else ()
    return tuple(agent for agent in agents if _can_work(project, replace(request, agent=agent)))


def _can_work(project: Project, request: Request) -> bool:
    try:
        plan_only(project, request)
    except CaesarError:
        return False
    return True


def _check_decidable(project: Project, order: RaceOrder, resolutions: Sequence[Resolution]) -> None:
    configured = project.config.checks.commands and resolutions[0].mode == "write"
    if order.stop_when == "passed" and not (order.request.checks or configured):
        raise CaesarError(
            "Without checks nobody can pass.", "Add --check CMD, or use --stop-when first."
        )


def _base(project: Project, request: Request) -> str:
    repository = look_at(project.root).repository
    assert repository is not None, "a worktree was promised to every contestant"
    return require_commit(repository.git(), request.base_ref or "HEAD")
