"""`caesar watch` where there is no screen: one line an event, or NDJSON."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from caesar_core.board.delta import Appended, BoardDelta
from caesar_core.board.glyphs import glyphs_for
from caesar_core.board.lines import event_line
from caesar_core.board.views import TaskView
from caesar_core.cli.output import locale_encoding, stderr, stdout
from caesar_core.ids import shortest_prefixes
from caesar_core.protocol.event import Event
from caesar_core.protocol.wire import encode_event
from caesar_core.store.layout import Layout
from caesar_core.text import fit, one_line
from caesar_core.watch.follower import Follower

_LOOK_S: Final = 1.0


def watch_lines(
    layout: Layout, ids: Sequence[str] | None, race: str | None, *, as_json: bool
) -> int:
    """Print events until Ctrl-C; with `ids` until all of them are over."""
    with asyncio.Runner() as runner:
        runner.run(_follow(layout, ids, race, as_json=as_json))
    return 0


async def _follow(
    layout: Layout, ids: Sequence[str] | None, race: str | None, *, as_json: bool
) -> None:
    printing = asyncio.create_task(_print_all(layout, ids, race, as_json=as_json))
    leaving = asyncio.create_task(_until_nobody_reads())
    try:
        await asyncio.wait((printing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not printing.done():
            raise BrokenPipeError
        printing.result()
    finally:
        for task in (printing, leaving):
            task.cancel()
        await asyncio.gather(printing, leaving, return_exceptions=True)


async def _until_nobody_reads() -> None:
    """Return when whoever read us has left, also while nothing happens that could be printed."""
    while stdout().has_reader():  # noqa: ASYNC110 - no event tells of it: the pipe has to be asked
        await asyncio.sleep(_LOOK_S)


async def _print_all(
    layout: Layout, ids: Sequence[str] | None, race: str | None, *, as_json: bool
) -> None:
    follower = Follower(layout, ids, replay=True)
    printer = _Printer(race, as_json=as_json)
    async with aclosing(follower):
        async for delta in follower:
            printer.show(delta)
            if ids is not None and delta.complete and printer.all_over(ids):
                return


class _Printer:
    def __init__(self, race: str | None, *, as_json: bool) -> None:
        self._race = race
        self._as_json = as_json
        self._glyphs = glyphs_for(locale_encoding())
        self._tasks: dict[str, TaskView] = {}
        self._short: dict[str, str] = {}
        self._bad_lines = 0

    def show(self, delta: BoardDelta) -> None:
        """Print what a frame brought: each stream in its own order, all of them by time."""
        if any(task.id not in self._tasks for task in delta.changed):
            self._short = shortest_prefixes([*self._tasks, *(task.id for task in delta.changed)])
        self._tasks.update({task.id: task for task in delta.changed})
        streams = [self._wanted(appended) for appended in delta.appended]
        for task, event in heapq.merge(*streams, key=lambda pair: pair[1].at):
            self._print(task, event)
        if delta.health.bad_lines > self._bad_lines:
            self._bad_lines = delta.health.bad_lines
            stderr().line(f"note: {self._bad_lines} unreadable lines so far")

    def _wanted(self, appended: Appended) -> list[tuple[TaskView, Event]]:
        task = self._tasks.get(appended.task_id)
        if task is None or not self._is_wanted(task):
            return []
        return [(task, event) for event in appended.events]

    def _print(self, task: TaskView, event: Event) -> None:
        if self._as_json:
            stdout().data(encode_event(event))
            return
        failed = task.facts.checks_passed < task.facts.checks_total
        shown = event_line(event, failed_check=failed)
        stdout().line(f"{self._name(task)}  {shown.plain(self._glyphs)}")

    def all_over(self, ids: Sequence[str]) -> bool:
        """Whether every one of `ids` has ended."""
        known = [self._tasks.get(task_id) for task_id in ids]
        return all(task is not None and not task.facts.is_active for task in known)

    def _is_wanted(self, task: TaskView) -> bool:
        return self._race is None or (task.facts.race_id or "").startswith(self._race)

    def _name(self, task: TaskView) -> str:
        return f"{self._short[task.id]} {fit(one_line(task.facts.agent, 12), 12)}"
