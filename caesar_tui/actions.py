"""What the dashboard does: the engine's calls, in worker threads, outcomes as messages."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol

from textual.message import Message

from caesar_core.errors import CaesarError
from caesar_core.repo.patch import PatchFile, iter_files
from caesar_core.text import counted
from caesar_tui.messages import (
    Answered,
    AnswerGiven,
    ApplyWanted,
    DiffRead,
    DiffWanted,
    Listed,
    Plan,
    Planned,
    Said,
    TaskRead,
    TaskWanted,
    UndoWanted,
)
from caesar_tui.outlook import ForecastRead, ForecastWanted, SlotsRead, SlotsWanted
from caesar_tui.render.cells import size_text
from caesar_tui.render.syntax import prepare

if TYPE_CHECKING:
    from caesar_core.board.race import ForecastView
    from caesar_core.engine.applying import ApplyResult, UndoResult
    from caesar_core.engine.diffs import Diff
    from caesar_core.repo.changes import FileChange
    from caesar_core.repo.merge import Conflict

MAX_FILES: Final = 2_000
MAX_LISTED: Final = 200
_MERGED: Final = ", merged with your edits"
MAX_SIDE: Final = 12
MAX_LINES: Final = 400_000
ANSWERED_BY: Final = "caesar watch"


class Engine(Protocol):
    """The part of `engine.service.Service` that the dashboard uses. Every call may block."""

    @property
    def max_parallel(self) -> int:
        """How many tasks may be at work at once."""

    def diff(self, task: str, files: Sequence[str] = (), against: str | None = None) -> Diff:
        """Return what a task changed, or how its result differs from another's."""

    def show(self, task: str) -> dict[str, Any]:
        """Return everything about a task."""

    def preflight(self, task: str) -> ApplyResult:
        """Return what applying would do."""

    def apply(self, task: str) -> ApplyResult:
        """Apply a task's outcome."""

    def forecast(self, task_ids: Sequence[str]) -> tuple[ForecastView, ...]:
        """Return which of these results would collide, and with whom."""

    def undo_preview(self) -> UndoResult:
        """Return what an undo would restore."""

    def undo(self, task: str | None = None) -> UndoResult:
        """Take back the last apply, or a task's."""

    def request_cancel(self, task: str) -> None:
        """Ask for a task's end."""

    def answer(self, task: str, question: str, text: str, by: str | None = None) -> object:
        """Answer a question; of two answers the first stays."""


class Actions:
    """Calls the engine and posts what came of it. Every method blocks: run it in a worker.

    Args:
        engine: makes the engine when it is first needed, which takes a moment.
        post: takes what came of it, from any thread.
        undo_key: how the key is written that takes an apply back.

    """

    def __init__(
        self, engine: Callable[[], Engine], post: Callable[[Message], object], undo_key: str = "u"
    ) -> None:
        self._undo_key = undo_key
        self._make = engine
        self._post = post
        self._engine: Engine | None = None

    def read_diff(self, wanted: DiffWanted) -> None:
        """Read what a task changed."""
        try:
            found = self.engine().diff(wanted.task_id, against=wanted.against)
            with tempfile.TemporaryFile() as file:
                found.write_patch(file, ignore_space=wanted.ignore_space)
                file.seek(0)
                files, note = _files_of(file)
            prepare(file.path for file in files[:MAX_LISTED])
            listed = tuple(map(_listed, found.files))
            note = " ".join(part for part in (note, found.note) if part) or _nothing(found.files)
        except CaesarError as error:
            files, listed, note = (), (), _sentence(error)
        self._post(DiffRead(wanted, files, note, listed))

    def read_task(self, wanted: TaskWanted) -> None:
        """Read the order and the report of a task."""
        task_id = wanted.task_id
        try:
            message = TaskRead(task_id, self.engine().show(task_id))
        except CaesarError as error:
            message = TaskRead(task_id, {}, _sentence(error))
        self._post(message)

    def forecast(self, wanted: ForecastWanted) -> None:
        """Find out which results would collide; where nobody can say, none does."""
        found: tuple[ForecastView, ...] = ()
        try:
            with suppress(CaesarError):
                found = self.engine().forecast(wanted.task_ids)
        finally:
            self._post(ForecastRead(found))

    def slots(self, wanted: SlotsWanted) -> None:
        """Find out how many tasks may be at work at once; nobody is told where nobody can say."""
        del wanted
        with suppress(CaesarError):
            self._post(SlotsRead(self.engine().max_parallel))

    def plan_apply(self, wanted: ApplyWanted) -> None:
        """Find out what applying would do."""
        self._tell(lambda: self._look_at_apply(wanted))

    def plan_undo(self, wanted: UndoWanted) -> None:
        """Find out what an undo would restore."""
        del wanted
        self._tell(lambda: _undo_plan(self.engine().undo_preview()))

    def carry_out(self, plan: Plan) -> None:
        """Do what a sheet announced."""
        self._tell(lambda: self._done(plan))

    def answer(self, given: AnswerGiven) -> None:
        """Hand an answer to the agent that asked."""
        failure = ""
        try:
            self.engine().answer(given.task_id, given.question_id, given.text, ANSWERED_BY)
        except CaesarError as error:
            failure = _sentence(error)
        self._post(Answered(given, failure))

    def _look_at_apply(self, wanted: ApplyWanted) -> Message:
        engine, task_id = self.engine(), wanted.task_id
        seen = engine.preflight(task_id)
        found = engine.diff(task_id)
        flags = {flag for change in found.files for flag in change.flags}
        plan = _apply_plan(task_id, seen, _sizes(found), sorted(flags))
        speaks_up = seen.merged_with_local or flags
        if wanted.at_once and plan.ready and not speaks_up:
            return self._done(plan)
        return Planned(plan)

    def _done(self, plan: Plan) -> Message:
        engine = self.engine()
        if plan.action == "cancel":
            assert plan.task_id is not None
            engine.request_cancel(plan.task_id)
            return Said("Asked the task to stop.")
        if plan.action == "stop":
            for task_id in plan.task_ids:
                engine.request_cancel(task_id)
            return Said(f"Asked {counted(len(plan.task_ids), 'task')} to stop.")
        if plan.action in {"apply", "combine"}:
            assert plan.task_id is not None
            done = engine.apply(plan.task_id)
            return Said(_applied(done, self._undo_key), "information" if done.applied else "error")
        back = engine.undo(plan.task_id)
        return Said(back.message, "information" if back.undone else "warning")

    def _tell(self, work: Callable[[], Message]) -> None:
        try:
            message = work()
        except CaesarError as error:
            message = Said(_sentence(error), "error")
        self._post(message)

    def engine(self) -> Engine:
        """Return the engine; it is made when it is first needed."""
        if self._engine is None:
            self._engine = self._make()
        return self._engine


def _files_of(file: BinaryIO) -> tuple[tuple[PatchFile, ...], str]:
    """Return the files of a patch, as many as a person can look at."""
    lines = islice(file, MAX_LINES)
    files = tuple(islice(iter_files(lines), MAX_FILES))
    left_out = next(file, None) is not None
    return files, f"The patch is longer: its first {len(files)} files." if left_out else ""


def _nothing(files: Sequence[object]) -> str:
    return "" if files else "The task changed nothing."


def _listed(change: FileChange) -> Listed:
    name = f"{change.old_path} → {change.path}" if change.old_path else change.path
    return Listed(name, change.action, change.insertions, change.deletions, change.flags)


def _apply_plan(
    task_id: str, seen: ApplyResult, sizes: Mapping[str, str], flags: Sequence[str]
) -> Plan:
    lines = [line for conflict in seen.conflicts for line in conflict_lines(conflict)]
    if flags:
        lines.append(("question", f"look twice: {', '.join(flags).replace('_', ' ')}"))
    merged = set(seen.merged_with_local)
    lines += [
        ("file", f"{path}{sizes.get(path, '')}{_MERGED if path in merged else ''}")
        for path in seen.files[:MAX_LISTED]
    ]
    if len(seen.files) > MAX_LISTED:
        lines.append(("bullet", f"and {len(seen.files) - MAX_LISTED} more files"))
    ready = seen.applied and not seen.already_applied and bool(seen.files)
    return Plan("apply", task_id, seen.message, ready, tuple(lines))


def _sizes(found: Diff) -> dict[str, str]:
    """Return what is said of each file's size, by its path as seen from the project."""
    from caesar_core.engine.paths import from_project

    prefix = found.repository.prefix if found.repository else ""
    return {from_project(change.path, prefix): _size(change) for change in found.files}


def _size(change: FileChange) -> str:
    if change.insertions is None:
        return "  binary"
    size = size_text(change.insertions, change.deletions, "-")
    return f"  {size}" if size else f"  {change.action}"


def conflict_lines(conflict: Conflict) -> Iterator[tuple[str, str]]:
    """Yield what a sheet says of a conflict: file and reason, then hunk by hunk both sides."""
    yield "warn", f"{conflict.path}: {conflict.reason}"
    for place in conflict.places:
        yield "bullet", f"  line {place.line}"
        for name, side in (("yours", place.yours), ("theirs", place.theirs)):
            for number, text in enumerate(side[:MAX_SIDE] or ("(nothing)",)):
                yield "space", f"    {'' if number else name:<7} {text}"
            if len(side) > MAX_SIDE:
                yield "space", f"    {'':<7} and {counted(len(side) - MAX_SIDE, 'more line')}"


def _undo_plan(seen: UndoResult) -> Message:
    if not seen.undone:
        return Said(seen.message or "Nothing to undo.")
    lines = tuple(("file", path) for path in seen.files[:MAX_LISTED])
    return Planned(Plan("undo", seen.task_id, f"Restore {seen.message}", ready=True, lines=lines))


def _applied(done: ApplyResult, undo_key: str) -> str:
    if not done.applied or done.already_applied or not done.files:
        return done.message
    count = len(done.files)
    return f"applied {count} file{'' if count == 1 else 's'} · {undo_key} undoes"


def _sentence(error: CaesarError) -> str:
    return f"{error.message} {error.hint}".strip()
