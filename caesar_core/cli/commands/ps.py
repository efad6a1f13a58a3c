"""`caesar ps`: the tasks, and what each is doing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import glyphs_for
from caesar_core.board.order import Row, arrange
from caesar_core.board.standing import elapsed_ms
from caesar_core.cli.common import json_option, project_root, root_option
from caesar_core.cli.output import locale_encoding, stderr, stdout
from caesar_core.cli.tables import columns
from caesar_core.clock import Clock, SystemClock
from caesar_core.engine.listing import Listed, list_tasks
from caesar_core.engine.pauses import pause_json, paused_agents, sentence
from caesar_core.errors import CaesarError
from caesar_core.ids import shortest_prefixes
from caesar_core.store.records import STATUSES, Record
from caesar_core.text import human_duration, one_line, visible

_HEADER: Final = ("", "ID", "AGENT", "STATE", "DIFF", "TIME", "ACTIVITY")
_NOTHING: Final = 'No task yet. Start one: caesar run --agent shell "make test", or caesar demo.'
_MOST_UNASKED: Final = 24
_NAMED: Final = 3
Paths: TypeAlias = tuple[tuple[str, str], ...]
Places: TypeAlias = dict[str, dict[str, Paths]]
_CLEAR: Final = "\x1b[H\x1b[2J"


@click.command("ps")
@click.option("--all", "show_all", is_flag=True, help="Every task, however old.")
@click.option("--status", metavar="A,B", help=f"Only these: {', '.join(STATUSES)}.")
@click.option("--race", metavar="ID", help="Only the contestants of a race.")
@click.option("--forecast", is_flag=True, help="Also with whom each would collide if applied.")
@click.option("--watch", is_flag=True, help="Print it anew every second until Ctrl-C.")
@json_option
@root_option
def command(
    status: str | None,
    race: str | None,
    root: str | None,
    *,
    show_all: bool,
    forecast: bool,
    watch: bool,
    as_json: bool,
) -> int:
    """List the active tasks and the ten that ended last."""
    place, wanted = project_root(root), _statuses(status)
    everything = show_all or bool(wanted) or race is not None
    out, clock = stdout(), SystemClock()
    while True:
        listing = list_tasks(place, _wanted(wanted, race), everything=everything)
        tasks = listing.tasks
        for task_id, why in listing.damaged:
            stderr().line(visible(f"note: the record of {task_id} is damaged: {why}"))
        paused = paused_agents(place, clock.now())
        for pause in paused:
            stderr().line(f"note: {sentence(pause)}")
        places = _places(place, tasks, forced=forecast) if as_json or forecast else None
        if as_json:
            now = clock.now()
            rows = [_as_json(task, now, places) for task in tasks]
            out.json({"tasks": rows, "paused": [pause_json(pause) for pause in paused]})
        else:
            _print(
                tasks,
                clock,
                places if forecast else None,
                clear=watch and out.is_terminal,
                filtered=bool(wanted) or race is not None,
            )
        if not watch:
            return 0
        clock.sleep(1.0)


def _wanted(statuses: frozenset[str], race: str | None) -> Callable[[Record], bool]:
    def is_wanted(record: Record) -> bool:
        if race is not None and not (record.race_id or "").startswith(race):
            return False
        return not statuses or record.status in statuses

    return is_wanted


def _statuses(text: str | None) -> frozenset[str]:
    wanted = frozenset(part.strip() for part in (text or "").split(",") if part.strip())
    unknown = sorted(wanted - set(STATUSES))
    if unknown:
        raise CaesarError(
            f"There is no status {unknown[0]!r}.", f"Choose among {', '.join(STATUSES)}."
        )
    return wanted


def _places(root: Path, tasks: Sequence[Listed], *, forced: bool) -> Places | None:
    """Return with whom each task would collide, and where; `None` when there are too many."""
    from caesar_core.engine.forecast import forecast_listed
    from caesar_core.engine.project import Project

    records = [task.record for task in tasks]
    found = forecast_listed(Project(root), records, most=None if forced else _MOST_UNASKED)
    if found is None:
        return None
    places: Places = {record.id: {} for record in records}
    for view in found:
        places[view.task_id][view.other] = view.paths
        if view.other:
            places[view.other][view.task_id] = view.paths
    return places


def _forecast_json(places: Places | None, task_id: str) -> list[dict[str, Any]] | None:
    if places is None:
        return None
    return [
        {"with": other or None, "paths": [{"path": path, "reason": why} for path, why in paths]}
        for other, paths in places[task_id].items()
    ]


def _as_json(task: Listed, now: datetime, places: Places | None) -> dict[str, Any]:
    return {
        **task.record.to_json(),
        "activity": activity(task.view, now).to_json(),
        "pending_questions": [
            {
                "id": asked.id,
                "question": asked.question,
                "options": list(asked.options),
                "asked_at": asked.asked_at,
                "closes_at": asked.closes_at,
            }
            for asked in task.view.open_questions
        ],
        "forecast": _forecast_json(places, task.record.id),
    }


def _print(
    tasks: Sequence[Listed],
    clock: Clock,
    places: Places | None,
    *,
    clear: bool,
    filtered: bool,
) -> None:
    out = stdout()
    if clear:
        out.write(_CLEAR)
    if not tasks:
        out.line(_NOTHING if not filtered else "No task fits. `caesar ps --all` lists every task.")
        return
    now = clock.now()
    short = shortest_prefixes(task.record.id for task in tasks)
    records = {task.record.id: task.record for task in tasks}
    rows = arrange((task.view for task in tasks), now)
    cells = [_cells(row, records[row.view.id], short, now) for row in rows]
    titles: tuple[str, ...] = _HEADER
    if places is not None:
        titles = (*_HEADER, "COLLIDES WITH")
        told = (_collisions(places[row.view.id], short) for row in rows)
        cells = [(*cell, text) for cell, text in zip(cells, told, strict=True)]
    header, *lines = columns(titles, cells, out.width if out.is_terminal else 160)
    out.line(out.paint("dim", header))
    for line in lines:
        out.line(line)


def _cells(row: Row, record: Record, short: dict[str, str], now: datetime) -> tuple[str, ...]:
    view, facts = row.view, row.view.facts
    agent = f"{facts.agent} · {facts.role}" if facts.role else facts.agent
    return (
        row.standing.mark(glyphs_for(locale_encoding())),
        short[view.id],
        one_line(agent, 40),
        " ".join(_state_words(row, record)),
        _size(facts.insertions, facts.deletions),
        _time(record, now),
        one_line(activity(view, now).text if facts.is_active else facts.objective, 120),
    )


def _collisions(found: dict[str, Paths], short: dict[str, str]) -> str:
    names = [short.get(other, other) or "your tree" for other in found]
    more = f" +{len(names) - _NAMED}" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _state_words(row: Row, record: Record) -> Iterator[str]:
    yield row.standing.word
    if record.applied_at:
        yield "(applied)"
    if record.extra.get("recovered"):
        yield "(recovered from git)"


def _size(insertions: int | None, deletions: int | None) -> str:
    return "" if insertions is None else f"+{insertions} -{deletions or 0}"


def _time(record: Record, now: datetime) -> str:
    since = record.ended_at or record.started_at or record.created_at
    passed = elapsed_ms(since, now)
    if passed is None:
        return ""
    return human_duration(passed / 1000) + (" ago" if record.ended_at else "")
