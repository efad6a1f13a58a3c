"""A combined outcome: files and hunks of several results as one, with an id of its own.

It is kept like the outcome of any task, so `diff`, `apply`, `undo`, `show` and `gc` know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from caesar_core.config.settings import Check
from caesar_core.engine.applying import ApplyResult, StillRunningError
from caesar_core.engine.check_command import CheckOrder
from caesar_core.engine.combined import CombinedOutcome
from caesar_core.engine.outcomes import Located, locate, require_readable, resolve_id
from caesar_core.engine.paths import from_project, in_repository
from caesar_core.engine.project import Project
from caesar_core.engine.request import require_checks
from caesar_core.engine.results import conflict_json, file_json
from caesar_core.engine.trust import require
from caesar_core.errors import CaesarError
from caesar_core.ids import new_task_id
from caesar_core.repo.changes import FileChange, list_changes
from caesar_core.repo.combine import Part, combine
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.merge import Conflict
from caesar_core.store.lock import claimed

_HUNKS: Final = re.compile(r"#(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)$", re.ASCII)
_MOST_HUNKS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Take:
    """What to take from one result.

    Attributes:
        task: its id, or a unique beginning of it.
        path: a file or folder as seen from the project; empty for everything.
        hunks: only these hunks of the file, numbered from 1 as `caesar diff` shows them.
    """

    task: str
    path: str = ""
    hunks: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Take:
        """Return what `ID`, `ID:PATH` or `ID:PATH#1,3-5` means.

        Raises:
            CaesarError: no id, or a range that runs backwards.
        """
        task, _, path = text.partition(":")
        if not task:
            raise CaesarError(f"{text!r} names no task.", "Write ID:PATH, or ID:PATH#HUNK.")
        found = _HUNKS.search(path)
        if found is None:
            return cls(task, path)
        return cls(task, path[: found.start()], tuple(_numbers(found[1], text)))


@dataclass(frozen=True, slots=True)
class Picked:
    """What came of a pick.

    Attributes:
        id: the new outcome's; `None` when the parts collide.
        files: what it changes.
        conflicts: where the parts collide; paths as seen from the project.
        checks: what was run on it, as in a record.
        complete: nobody cancelled it meanwhile.
    """

    id: str | None
    files: tuple[FileChange, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    checks: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    complete: bool = False

    @property
    def passed(self) -> bool:
        """Whether there is an outcome and no check failed on it."""
        return self.complete and all(check.get("passed") is True for check in self.checks)


def pick(
    project: Project,
    takes: Sequence[Take],
    checks: Sequence[str] = (),
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Picked:
    """Combine parts of several results on their common base, keep it, and run the checks on it.

    Raises:
        UntrustedError: the repository brings checks that nobody agreed to.
        CaesarError: nothing is taken, a task still runs or changed nothing, the results did not
            start from one commit, or a file or hunk is not in a result; nothing was kept.
    """
    require_checks(checks)
    if checks or project.config.checks.commands:
        require(project.root, project.config)
    task_id = new_task_id()
    with claimed(project.layout.supervisor_lock(task_id), clock=project.clock):
        return _combined(project, task_id, takes, checks, should_stop)


def _combined(
    project: Project,
    task_id: str,
    takes: Sequence[Take],
    checks: Sequence[str],
    should_stop: Callable[[], bool],
) -> Picked:
    sources = _sources(project, takes)
    repository, base = _common_base(list(sources.values()))
    git = repository.git(filters=())
    parts = [_part(found, takes, project, repository) for found in sources.values()]
    combined = combine(git, base, parts)
    if combined.conflicts:
        prefix = repository.prefix
        places = (Conflict(from_project(c.path, prefix), c.reason) for c in combined.conflicts)
        return Picked(None, conflicts=tuple(places))
    changes = list_changes(git, base, combined.tree, prefix=repository.prefix)
    if not changes:
        raise CaesarError("What was taken changes nothing.", "Look at `caesar compare`.")
    kept = CombinedOutcome(project, task_id, repository, list(sources), base, changes)
    found = kept.keep(combined.tree, _orders(project, checks), should_stop)
    checks_run = tuple(dict(check) for check in found.checks or ())
    return Picked(kept.id, changes, (), checks_run, found.status == "succeeded")


def pick_json(
    project: Project, picked: Picked, applied: ApplyResult | None = None
) -> dict[str, Any]:
    """Return a pick as JSON (docs/commands.md, `pick`)."""
    repository = find_repository(project.root)
    prefix = repository.prefix if repository else ""
    conflicts = applied.conflicts if applied else picked.conflicts
    return {
        "id": picked.id,
        "files": [file_json(c, from_project(c.path, prefix)) for c in picked.files],
        "conflicts": [conflict_json(c) for c in conflicts],
        "checks": [dict(check) for check in picked.checks],
        "applied": applied is not None and applied.applied,
    }


def _sources(project: Project, takes: Sequence[Take]) -> dict[str, Located]:
    """Return the results by id, in the order in which they are named first."""
    if not takes:
        raise CaesarError("Nothing is taken.", "As in: caesar pick --take ID:PATH --take ID:PATH")
    sources: dict[str, Located] = {}
    for take in takes:
        task_id = resolve_id(project, take.task)
        if task_id not in sources:
            sources[task_id] = _readable(locate(project, task_id))
    return sources


def _readable(found: Located) -> Located:
    record = found.record
    if record.is_active:
        raise StillRunningError(f"{record.id} is still {record.status}.", "Wait for its end.")
    require_readable(found)
    if found.outcome is None:
        raise CaesarError(f"{record.id} has no outcome to take from.", "It changed nothing.")
    return found


def _common_base(sources: Sequence[Located]) -> tuple[Repository, str]:
    bases = {found.outcome.base_ref for found in sources if found.outcome}
    if len(bases) != 1:
        raise CaesarError(
            "These results did not start from the same commit.",
            "Apply one, commit, and run the other again; or apply them one after the other.",
        )
    repository = sources[0].repository
    assert repository is not None, "there is no outcome without a repository"
    return repository, bases.pop()


def _part(found: Located, takes: Sequence[Take], project: Project, repository: Repository) -> Part:
    assert found.outcome is not None
    prefix, top = repository.prefix, repository.git_root
    mine = [take for take in takes if resolve_id(project, take.task) == found.record.id]
    files = {in_repository(t.path, prefix, top) for t in mine if t.path and not t.hunks}
    hunks: dict[str, set[int]] = {}
    for take in mine:
        if take.hunks:
            hunks.setdefault(in_repository(take.path, prefix, top), set()).update(take.hunks)
    whole = any(not take.path for take in mine)
    return Part(
        tree=found.outcome.tree,
        files=None if whole else tuple(sorted(files)),
        hunks=tuple((p, tuple(sorted(n))) for p, n in sorted(hunks.items()) if p not in files),
        label=found.record.id,
    )


def _orders(project: Project, given: Sequence[str]) -> tuple[tuple[str, str, int], ...]:
    configured = project.config.checks
    asked = [Check(run) for run in given]
    orders = {
        check.run: CheckOrder(check.run, check.name or "", check.timeout or configured.timeout)
        for check in (*configured.commands, *asked)
    }
    return tuple(order.to_plan() for order in orders.values())


def _numbers(text: str, whole: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not 1 <= low <= high <= _MOST_HUNKS:
            raise CaesarError(f"{whole!r} names no hunks.", "Hunks count from 1, as in #2 or #1,3.")
        numbers += range(low, high + 1)
    return numbers
