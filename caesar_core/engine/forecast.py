"""Which results would not go into one tree: with each other, or with the work tree as it is.

Asked for, never kept up to date by a clock. Answers are remembered by the trees they are about,
so asking again costs a few reads; the work tree counts by its commit and the stamps of the files
that a result touches.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final, TypeAlias

from caesar_core.board.race import ForecastView
from caesar_core.engine.outcomes import Located, locate
from caesar_core.engine.paths import from_project
from caesar_core.engine.present import present_outcome
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.repo.apply import preflight
from caesar_core.repo.changes import raw_changes, text_path
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.merge import quarantined
from caesar_core.repo.outcome import Outcome, list_outcomes
from caesar_core.repo.threeway import commit_on, merge_commits
from caesar_core.store.atomic import StoreError, read_json, write_atomic
from caesar_core.store.records import Record

Places: TypeAlias = list[list[str]]
"""Paths from the top of the repository with their reasons; plain lists, as JSON gives them."""

_LIMIT: Final = 8 << 20
_KEPT: Final = 2_000


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A result that may be applied some day."""

    record: Record
    repository: Repository
    outcome: Outcome

    @property
    def key(self) -> str:
        return f"{self.outcome.base_ref}:{self.outcome.tree}"


def forecast(project: Project, located: Iterable[Located]) -> tuple[ForecastView, ...]:
    """Return which of these results would collide, if they were applied now.

    A result that is applied already counts as a part of the work tree. What git cannot compare,
    such as results without a commit in common, is left out.
    """
    return _look(
        project,
        [
            _Candidate(found.record, found.repository, found.outcome)
            for found in located
            if found.outcome and found.repository and found.record.applied_at is None
        ],
    )


def forecast_listed(
    project: Project, records: Sequence[Record], *, most: int | None = None
) -> tuple[ForecastView, ...] | None:
    """Return the forecast for listed tasks; `None` when more than `most` could collide.

    Where nothing is waiting to be applied, no process is started.
    """
    waiting = [record for record in records if _is_waiting(record)]
    if not waiting or (most is not None and len(waiting) > most):
        return () if not waiting else None
    repository = find_repository(project.root)
    if repository is None or not repository.usable:
        return ()
    kept = {outcome.task_id: outcome for outcome in list_outcomes(repository)}
    candidates = []
    for record in waiting:
        outcome = kept.get(record.id)
        if outcome is None and record.is_active:
            outcome = present_outcome(project, repository, record)
        candidates += [_Candidate(record, repository, outcome)] if outcome else []
    return _look(project, candidates)


def _is_waiting(record: Record) -> bool:
    if record.isolation != "worktree" or record.applied_at is not None:
        return False
    return record.outcome is not None or record.phase == "agent"


def _look(project: Project, candidates: Sequence[_Candidate]) -> tuple[ForecastView, ...]:
    if not candidates:
        return ()
    memory = _Memory(project.layout.forecast)
    found = [*_with_tree(candidates, memory), *_with_each_other(candidates, memory)]
    memory.save()
    return tuple(found)


def forecast_of(project: Project, task_ids: Iterable[str]) -> tuple[ForecastView, ...]:
    """Return the forecast for these tasks; unknown and unreadable ones are left out."""
    located: list[Located] = []
    for task_id in task_ids:
        with suppress(CaesarError):
            located.append(locate(project, task_id))
    return forecast(project, located)


def forecast_json(views: Iterable[ForecastView]) -> list[dict[str, Any]]:
    """Return a forecast as JSON; `with` is null for the work tree."""
    return [
        {
            "task_id": view.task_id,
            "with": view.other or None,
            "paths": [{"path": path, "reason": reason} for path, reason in view.paths],
        }
        for view in views
    ]


def _with_tree(candidates: Sequence[_Candidate], memory: _Memory) -> Iterable[ForecastView]:
    for one in candidates:
        key = f"{one.key} {one.repository.head} {_stamps(one, _touched(one, memory))}"
        places = memory.get(key)
        if places is None:
            places = memory.put(key, _preflight(one))
        if places:
            yield _view(one, places)


def _with_each_other(candidates: Sequence[_Candidate], memory: _Memory) -> Iterable[ForecastView]:
    touched = {one.record.id: {path for path, _ in _touched(one, memory)} for one in candidates}
    for left, right in combinations(candidates, 2):
        if not _may_meet(touched[left.record.id], touched[right.record.id]):
            continue
        key = " ".join(sorted((left.key, right.key)))
        places = memory.get(key)
        if places is None:
            places = memory.put(key, _merge(left, right))
        if places:
            yield _view(left, places, right.record.id)


def _may_meet(left: set[str], right: set[str]) -> bool:
    """Whether two sets of paths share one, or one is a folder of another's."""
    if left & right:
        return True
    folders = {str(parent) for path in left for parent in Path(path).parents}
    others = {str(parent) for path in right for parent in Path(path).parents}
    return bool(folders & right or others & left)


def _touched(one: _Candidate, memory: _Memory) -> Places:
    key = f"touched {one.key}"
    known = memory.get(key)
    if known is not None:
        return known
    changes = raw_changes(one.repository.git(), one.outcome.base_ref, one.outcome.tree)
    return memory.put(key, [[text_path(change.path), ""] for change in changes])


def _preflight(one: _Candidate) -> Places:
    seen = preflight(
        one.repository, one.outcome.base_ref, one.outcome.tree, filters=one.record.filters
    )
    return [[conflict.path, conflict.reason] for conflict in seen.conflicts]


def _merge(left: _Candidate, right: _Candidate) -> Places:
    with quarantined(left.repository, ()) as git:
        try:
            commits = [commit_on(git, o.outcome.tree, o.outcome.base_ref) for o in (left, right)]
            sides = merge_commits(git, *commits)
        except CaesarError:  # no commit in common: nobody can say
            return []
    return [[text_path(path), reason] for path, reason in sides.conflicts.items()]


def _view(one: _Candidate, places: Places, other: str = "") -> ForecastView:
    prefix = one.repository.prefix
    paths = tuple((from_project(path, prefix), reason) for path, reason in places)
    return ForecastView(task_id=one.record.id, other=other, paths=paths)


def _stamps(one: _Candidate, touched: Places) -> str:
    """Return a digest of the stamps of all files that a result touches, and of their folders."""
    places = [one.repository.git_root / path for path, _ in touched]
    stamps = [_stamp(place) for place in (*places, *sorted({p.parent for p in places}))]
    return hashlib.sha256(json.dumps(stamps).encode("ascii")).hexdigest()


def _stamp(path: Path) -> list[int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode]


class _Memory:
    """Answers by what they are about; a lost or damaged file only means to ask git again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = False
        self._answers: dict[str, Places] = {}
        with suppress(FileNotFoundError, StoreError):
            document = read_json(path, _LIMIT)
            if isinstance(document, dict):
                self._answers = {k: v for k, v in document.items() if _is_places(v)}

    def get(self, key: str) -> Places | None:
        return self._answers.get(key)

    def put(self, key: str, places: Places) -> Places:
        self._answers[key] = places
        self._new = True
        return places

    def save(self) -> None:
        if self._new:
            latest = dict(list(self._answers.items())[-_KEPT:])
            with suppress(StoreError):
                write_atomic(self._path, json.dumps(latest).encode("ascii"), durable=False)


def _is_places(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == 2 and all(isinstance(text, str) for text in row)
        for row in value
    )
