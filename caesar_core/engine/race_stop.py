"""When a race is decided, whoever sees it first stops the others: no process has to wait for it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from caesar_core.engine.cancel import request_cancel
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.store.races import RaceFile, load_race
from caesar_core.store.records import Record


def settle_race(project: Project, race_id: str) -> list[str]:
    """Ask the rest of a race to stop when it is decided; return whom. Never raises for one task."""
    race = load_race(project.layout, race_id)
    if race is None or race.stop_when == "never":
        return []
    records = race_records(project, race)
    if not any(_decides(record, race) for record in records):
        return []
    stopped = []
    for record in records:
        if record.is_active and not project.layout.task(record.id).cancel_request.exists():
            with suppress(CaesarError):
                request_cancel(project, record)
                stopped.append(record.id)
    return stopped


def settle_races(project: Project, records: Iterable[Record]) -> None:
    """Settle every race that still runs, in case the supervisor that should have was killed."""
    for race_id in sorted({r.race_id for r in records if r.is_active and r.race_id}):
        settle_race(project, race_id)


def race_records(project: Project, race: RaceFile) -> list[Record]:
    """Return the records of the contestants that there are, in the order of their start."""
    records = []
    for task_id in race.task_ids:
        with suppress(CaesarError):
            record = project.records.get(task_id)
            records += [] if record is None else [record]
    return records


def _decides(record: Record, race: RaceFile) -> bool:
    """Whether this end is the one that the race waits for."""
    well = (record.status, record.report_status) == ("succeeded", "success")
    if not well or record.failed_checks:
        return False
    return bool(record.checks) if race.stop_when == "passed" else True
