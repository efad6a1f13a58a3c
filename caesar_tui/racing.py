"""What the dashboard does about races: compare, read one file of each, combine, stop the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from textual.message import Message

from caesar_core.errors import CaesarError
from caesar_core.repo.patch import PatchFile, iter_files
from caesar_core.text import counted
from caesar_tui.actions import conflict_lines
from caesar_tui.messages import (
    CombineWanted,
    ComparisonRead,
    ComparisonWanted,
    FileRead,
    FileWanted,
    Plan,
    Planned,
    Said,
)

if TYPE_CHECKING:
    from caesar_core.board.race import ComparisonView
    from caesar_core.engine.applying import ApplyResult
    from caesar_core.engine.diffs import Diff
    from caesar_core.engine.pick import Picked, Take


class Judge(Protocol):
    """The part of `engine.service.Service` that is used here. Every call may block."""

    def compare(self, names: Sequence[str]) -> ComparisonView:
        """Compare tasks, or the contestants of the race that is named."""

    def diff(self, task: str, files: Sequence[str] = (), against: str | None = None) -> Diff:
        """Return what a task changed, or how its result differs from another's."""

    def pick(self, takes: Sequence[Take]) -> Picked:
        """Combine parts of several results."""

    def preflight(self, task: str) -> ApplyResult:
        """Return what applying would do."""


class Racing:
    """Calls the engine and posts what came of it. Every method blocks: run it in a worker."""

    def __init__(self, engine: Callable[[], Any], post: Callable[[Message], object]) -> None:
        self._engine: Callable[[], Judge] = engine
        self._post = post

    def compare(self, wanted: ComparisonWanted) -> None:
        """Find out who did what to which file."""
        try:
            self._post(ComparisonRead(wanted.race_id, self._engine().compare([wanted.race_id])))
        except CaesarError as error:
            self._post(Said(f"{error.message} {error.hint or ''}".strip(), "warning"))

    def read_file(self, wanted: FileWanted) -> None:
        """Read what each contestant did to one file."""
        found = {task_id: self._patch(task_id, wanted) for task_id in wanted.task_ids}
        self._post(FileRead(wanted, found))

    def combine(self, wanted: CombineWanted) -> None:
        """Combine what was picked, and find out what applying it would do."""
        from caesar_core.engine.pick import Take

        takes = [Take(pick.task_id, pick.path, pick.hunks) for pick in wanted.picks]
        try:
            picked = self._engine().pick(takes)
            if picked.id is None:
                lines = tuple(line for c in picked.conflicts for line in conflict_lines(c))
                title = "The parts collide; nothing was kept."
                self._post(Planned(Plan("combine", None, title, ready=False, lines=lines)))
                return
            seen = self._engine().preflight(picked.id)
        except CaesarError as error:
            self._post(Said(f"{error.message} {error.hint or ''}".strip(), "error"))
            return
        lines = tuple(("file", path) for path in seen.files)
        lines += tuple(line for c in seen.conflicts for line in conflict_lines(c))
        title = f"{counted(len(takes), 'part')} combined. {seen.message}"
        self._post(Planned(Plan("combine", picked.id, title, ready=seen.applied, lines=lines)))

    def _patch(self, task_id: str, wanted: FileWanted) -> PatchFile | None:
        try:
            found = self._engine().diff(task_id, files=[wanted.path], against=wanted.against)
            with tempfile.TemporaryFile() as file:
                found.write_patch(file)
                file.seek(0)
                return next(iter_files(file), None)
        except CaesarError:  # it left the file alone, or has no result yet
            return None
