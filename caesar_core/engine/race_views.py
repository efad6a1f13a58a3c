"""Races as views and as JSON, from the records of their tasks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from caesar_core.board.race import RaceView, contestant_json, race_view, races
from caesar_core.board.ranking import RULE
from caesar_core.engine.project import Project
from caesar_core.engine.race_stop import race_records
from caesar_core.errors import CaesarError
from caesar_core.store.races import RaceFile, load_race
from caesar_core.watch.snapshot import task_view


def view_of(project: Project, race: RaceFile) -> RaceView:
    """Return the standings of a race."""
    records = race_records(project, race)
    views = (task_view(project.layout, record, read_stream=False) for record in records)
    return _with_file(race_view(views, race.id), race)


def all_races(project: Project) -> list[RaceView]:
    """Return every race that a task belongs to, newest first."""
    records = [record for record in project.records.scan().records if record.race_id]
    found = races(task_view(project.layout, record, read_stream=False) for record in records)
    files = {view.id: load_race(project.layout, view.id) for view in found}
    return [_with_file(view, files[view.id]) for view in found]


def race_json(project: Project, view: RaceView) -> dict[str, Any]:
    """Return a race as JSON, best first (docs/commands.md, `race`)."""
    usage: dict[str, dict[str, Any] | None] = {}
    for task_id in view.task_ids:
        with suppress(CaesarError):
            record = project.records.get(task_id)
            usage[task_id] = record.usage if record else None
    return {
        "race_id": view.id,
        "objective": view.objective,
        "base_ref": view.base_ref,
        "contestants": [contestant_json(c, usage.get(c.task_id)) for c in view.ranked],
        "rule": RULE,
        "winner": view.winner,
        "applied": view.applied is not None,
        "applied_task": view.applied,
    }


def _with_file(view: RaceView, race: RaceFile | None) -> RaceView:
    """Order and base as they were decided; the records say the rest."""
    if race is None:
        return view
    place = {task_id: number for number, task_id in enumerate(race.task_ids)}
    field = sorted(view.contestants, key=lambda one: place.get(one.task_id, len(place)))
    return replace(
        view,
        contestants=tuple(field),
        objective=race.objective or view.objective,
        base_ref=race.base_ref,
    )
