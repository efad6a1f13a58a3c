"""What the dashboard does about new tasks: plan, start, retry; and the other small errands."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from textual.message import Message

from caesar_core.errors import CaesarError
from caesar_core.text import counted
from caesar_tui.draft import Draft
from caesar_tui.messages import (
    CommandRead,
    CommandWanted,
    DraftPlanned,
    PlaceRead,
    PlaceWanted,
    Plan,
    Planned,
    PlanWanted,
    Said,
    Started,
    StartWanted,
    TidyWanted,
    VisitWanted,
)

if TYPE_CHECKING:
    from caesar_core.engine.gc import GcResult
    from caesar_core.engine.race import RaceOrder
    from caesar_core.engine.request import Request
    from caesar_core.engine.resolve import Resolution


class Delegator(Protocol):
    """The part of `engine.service.Service` that is used here. Every call may block."""

    def plan(self, request: Request) -> Resolution:
        """Return what `delegate` would do."""

    def delegate(self, request: Request) -> tuple[Any, Resolution]:
        """Start a task."""

    def start_race(self, order: RaceOrder) -> tuple[Any, list[Resolution]]:
        """Start a race."""

    def retry_request(self, task: str, changes: dict[str, Any]) -> Request:
        """Return the request of an earlier task again."""

    def record(self, task: str) -> Any:
        """Return the record of a task."""

    def show(self, task: str) -> dict[str, Any]:
        """Return everything about a task."""

    def collect(self, *, dry_run: bool = False, force: bool = False) -> GcResult:
        """Remove worktrees that nobody could miss."""


class Delegating:
    """Calls the engine and posts what came of it. Every method blocks: run it in a worker."""

    def __init__(self, engine: Callable[[], Any], post: Callable[[Message], object]) -> None:
        self._engine: Callable[[], Delegator] = engine
        self._post = post

    def plan(self, wanted: PlanWanted) -> None:
        """Find out what starting this draft would mean, and why."""
        draft = wanted.draft
        try:
            found = [self._engine().plan(request) for request in _requests(draft)]
        except CaesarError as error:
            self._post(DraftPlanned(draft, (), error.message, error.hint or ""))
            return
        self._post(DraftPlanned(draft, tuple(map(_decided, found))))

    def start(self, wanted: StartWanted) -> None:
        """Start what the draft says."""
        try:
            self._post(self._started(wanted.draft))
        except CaesarError as error:
            self._post(DraftPlanned(wanted.draft, (), error.message, error.hint or ""))

    def retry(self, task_id: str) -> None:
        """Hand a task's order out again."""
        from caesar_core.engine.depth import current_depth

        def again() -> Message:
            engine = self._engine()
            record, _ = engine.delegate(
                engine.retry_request(task_id, {"depth": current_depth() + 1})
            )
            return Started(record.id)

        self._tell(again)

    def tidy(self, wanted: TidyWanted) -> None:
        """Find out what cleaning up would remove."""
        del wanted
        self._tell(lambda: _tidy_plan(self._engine().collect(dry_run=True)))

    def carry_out_tidy(self) -> None:
        """Clean up."""
        self._tell(lambda: Said(_tidied(self._engine().collect())))

    def place(self, wanted: PlaceWanted) -> None:
        """Find out where a task works, and what opens it."""
        from caesar_core.engine.visit import visit_of

        def look() -> Message:
            visit = visit_of(self._engine().record(wanted.task_id), os.environ)
            return PlaceRead(VisitWanted(visit.folder, visit.command))

        self._tell(look)

    def command(self, wanted: CommandWanted) -> None:
        """Find the command that gives the same order."""

        def look() -> Message:
            shown = self._engine().show(wanted.task_id)
            task = shown.get("task") or {}
            return CommandRead(Draft.of_task(task, model=shown.get("model")).command)

        self._tell(look)

    def _started(self, draft: Draft) -> Message:
        engine = self._engine()
        if not draft.is_race:
            record, _ = engine.delegate(next(iter(_requests(draft))))
            return Started(record.id)
        from caesar_core.engine.race import RaceOrder
        from caesar_core.engine.request import Request

        request = Request(**{**draft.request, "isolation": None, "depth": _depth()})
        race, _ = engine.start_race(RaceOrder(request, draft.field))
        return Started(race.file.task_ids[0])

    def _tell(self, work: Callable[[], Message]) -> None:
        try:
            message = work()
        except CaesarError as error:
            message = Said(f"{error.message} {error.hint or ''}".strip(), "error")
        self._post(message)


def _requests(draft: Draft) -> list[Request]:
    from caesar_core.engine.request import Request

    fixed = {**draft.request, "depth": _depth()}
    if not draft.field:
        return [Request(**fixed)]
    found = []
    for name in draft.field:
        agent, _, model = name.partition(":")
        found.append(Request(**{**fixed, "agent": agent, "model": model or fixed["model"]}))
    return found


def _depth() -> int:
    from caesar_core.engine.depth import current_depth

    return current_depth() + 1


def _decided(resolution: Resolution) -> tuple[tuple[str, str, str], ...]:
    """Return what was decided: a name, a value and the reason each; notes come last."""
    decided = tuple((d.field, _spoken(d.value), d.reason) for d in resolution.decisions)
    return (*decided, *(("note", "", text) for text in resolution.warnings))


def _spoken(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "-" if value is None else str(value)


def _tidy_plan(found: GcResult) -> Message:
    removed = [entry for entry in found.entries if entry.action == "would_remove"]
    if not removed:
        return Said("Nothing to clean up.")
    lines = tuple(("file", f"{entry.id}  {entry.reason}") for entry in removed[:200])
    title = f"Remove {counted(len(removed), 'worktree')} that nobody could miss?"
    return Planned(Plan("gc", None, title, ready=True, lines=lines))


def _tidied(found: GcResult) -> str:
    return f"removed {counted(found.count('removed'), 'worktree')}"
