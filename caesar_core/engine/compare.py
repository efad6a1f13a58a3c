"""Several results side by side: the contestants, who did what to which file, what collides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from caesar_core.board.race import CellView, ComparisonView, RaceView, race_view
from caesar_core.engine.forecast import forecast, forecast_json
from caesar_core.engine.outcomes import Located, locate
from caesar_core.engine.paths import from_project
from caesar_core.engine.project import Project
from caesar_core.engine.race_views import race_json, view_of
from caesar_core.repo.changes import list_changes, raw_changes
from caesar_core.store.races import RaceFile
from caesar_core.watch.snapshot import task_view


def compare(
    project: Project, task_ids: Sequence[str], race: RaceFile | None = None
) -> ComparisonView:
    """Compare the results of any tasks; of those that run, what they have so far.

    Raises:
        NotFoundError: a task is known neither to the store nor to git.
    """
    located = [locate(project, task_id) for task_id in dict.fromkeys(task_ids)]
    views = (task_view(project.layout, found.record, read_stream=False) for found in located)
    return ComparisonView(
        race=view_of(project, race) if race else _in_order(race_view(views), task_ids),
        matrix=_matrix(located),
        identical=_identical(located),
        forecast=forecast(project, located),
        notes=tuple(_notes(located)),
    )


def comparison_json(project: Project, found: ComparisonView) -> dict[str, Any]:
    """Return a comparison as JSON (docs/commands.md, `compare`)."""
    race = race_json(project, found.race)
    matrix = {
        path: {task_id: _cell_json(cell) for task_id, cell in row.items()}
        for path, row in found.matrix.items()
    }
    return {
        "race_id": race["race_id"] or None,
        "contestants": race["contestants"],
        "rule": race["rule"],
        "matrix": matrix,
        "identical": [list(group) for group in found.identical],
        "forecast": forecast_json(found.forecast),
        "notes": list(found.notes),
    }


def _cell_json(cell: CellView) -> dict[str, Any]:
    return {
        "action": cell.action,
        "insertions": cell.insertions,
        "deletions": cell.deletions,
        "same_as": list(cell.same_as),
    }


def _in_order(view: RaceView, task_ids: Sequence[str]) -> RaceView:
    """Keep the order in which the tasks were named."""
    place = {task_id: number for number, task_id in enumerate(task_ids)}
    field = sorted(view.contestants, key=lambda one: place.get(one.task_id, len(place)))
    return replace(view, contestants=tuple(field))


def _matrix(located: Sequence[Located]) -> dict[str, dict[str, CellView]]:
    cells: dict[str, dict[str, CellView]] = {}
    contents: dict[str, dict[str, tuple[str, str]]] = {}
    for found in located:
        if found.outcome is None or found.repository is None:
            continue
        git, prefix = found.repository.git(), found.repository.prefix
        base, tree = found.outcome.base_ref, found.outcome.tree
        ids = {c.path: (c.new_mode, c.new_id) for c in raw_changes(git, base, tree)}
        for change in list_changes(git, base, tree, prefix=prefix):
            path = from_project(change.path, prefix)
            contents.setdefault(path, {})[found.record.id] = ids[change.path_bytes]
            cell = CellView(
                action=change.action, insertions=change.insertions, deletions=change.deletions
            )
            cells.setdefault(path, {})[found.record.id] = cell
    return {path: _with_same(cells[path], contents[path]) for path in sorted(cells)}


def _with_same(
    row: Mapping[str, CellView], contents: Mapping[str, tuple[str, str]]
) -> dict[str, CellView]:
    return {
        task_id: replace(
            cell,
            same_as=tuple(i for i in row if i != task_id and contents[i] == contents[task_id]),
        )
        for task_id, cell in row.items()
    }


def _identical(located: Sequence[Located]) -> tuple[tuple[str, ...], ...]:
    groups: dict[str, list[str]] = {}
    for found in located:
        if found.outcome is not None:
            groups.setdefault(found.outcome.tree, []).append(found.record.id)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _notes(located: Sequence[Located]) -> list[str]:
    notes = []
    bases = {f.outcome.base_ref if f.outcome else f.record.base_ref for f in located}
    if len(bases - {None}) > 1:
        notes.append("They did not start from the same commit: each is shown against its own.")
    notes += [
        f"{found.record.id} worked in place: it has no result of its own."
        for found in located
        if found.record.isolation == "inplace"
    ]
    return notes
