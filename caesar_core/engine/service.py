"""The façade: the only thing that command line, MCP servers and dashboard call.

Ids may be any unique prefix here, and only here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from caesar_core.board.race import ComparisonView, ForecastView, RaceView
from caesar_core.clock import Clock
from caesar_core.engine.adopt import Caretaker, adopt_orphans
from caesar_core.engine.after_death import tidy_remains
from caesar_core.engine.again import resume_request, retry_request
from caesar_core.engine.applying import (
    ApplyResult,
    UndoResult,
    apply_task,
    check_apply,
    check_undo,
    undo_task,
)
from caesar_core.engine.cancel import CancelResult, cancel_task, request_cancel
from caesar_core.engine.compare import compare, comparison_json
from caesar_core.engine.delegate import delegate, plan_only
from caesar_core.engine.diffs import Diff, diff
from caesar_core.engine.forecast import forecast_of
from caesar_core.engine.gc import GcResult, collect
from caesar_core.engine.journals import Journals
from caesar_core.engine.launcher import Launcher
from caesar_core.engine.outcomes import (
    Located,
    locate,
    recovered_records,
    refresh_outcome,
    resolve_id,
)
from caesar_core.engine.pick import Picked, Take, pick, pick_json
from caesar_core.engine.project import Project
from caesar_core.engine.questions import (
    AskedQuestion,
    all_questions,
    answer_question,
    question_by_prefix,
    questions_of,
)
from caesar_core.engine.race import Race, RaceOrder, find_race, plan_race, start_race
from caesar_core.engine.race_estimate import RaceEstimate, estimate_race
from caesar_core.engine.race_stop import race_records, settle_races
from caesar_core.engine.race_views import all_races, race_json
from caesar_core.engine.request import Request
from caesar_core.engine.resolve import Resolution
from caesar_core.engine.results import (
    changed_files,
    compact_report,
    exit_code_of,
    load_report,
    run_result,
    show_result,
)
from caesar_core.engine.trust import Review, agree, review, revoke
from caesar_core.engine.worktrees import workspace_warning
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.ids import is_safe_id
from caesar_core.repo.changes import work_tree_diff
from caesar_core.store.layout import Layout
from caesar_core.store.mailbox import QuestionState
from caesar_core.store.races import RaceFile
from caesar_core.store.records import Record


class Service:
    """One project, to be worked with."""

    def __init__(
        self, root: Path, *, clock: Clock | None = None, launcher: Launcher | None = None
    ) -> None:
        self.project = Project(root, clock)
        self._launcher = launcher

    @property
    def layout(self) -> Layout:
        """Where everything is."""
        return self.project.layout

    @property
    def clock(self) -> Clock:
        """The time."""
        return self.project.clock

    @property
    def max_parallel(self) -> int:
        """How many tasks may be at work at once, as it is configured now.

        Raises:
            ConfigError: a file of the configuration cannot be used.
        """
        return Project(self.project.root, self.clock).config.policy.max_parallel

    def delegate(self, request: Request) -> tuple[Record, Resolution]:
        """Start a task; see `engine.delegate.delegate`."""
        return delegate(self.project, request, launcher=self._launcher)

    def start_race(self, order: RaceOrder) -> tuple[Race, list[Resolution]]:
        """Start a race; see `engine.race.start_race`."""
        return start_race(self.project, order, launcher=self._launcher)

    def plan_race(self, order: RaceOrder) -> list[Resolution]:
        """Return what `start_race` would decide for each contestant."""
        return plan_race(self.project, order)

    def estimate_race(self, resolutions: Sequence[Resolution]) -> RaceEstimate:
        """Return what these contestants are likely to take."""
        field = [(resolution.agent.id, resolution.model) for resolution in resolutions]
        return estimate_race(field, self.project.records.scan().records)

    def race(self, prefix: str) -> Race:
        """Return the race that `prefix` stands for."""
        return Race(self.project, find_race(self.project, prefix), launcher=self._launcher)

    def races(self) -> list[RaceView]:
        """Return every race of the project, newest first."""
        return all_races(self.project)

    def race_json(self, view: RaceView) -> dict[str, Any]:
        """Return the JSON of `race`."""
        return race_json(self.project, view)

    def compare(self, names: Sequence[str]) -> ComparisonView:
        """Compare tasks, or the contestants of the one race that is named."""
        ids, race = self._contestants(names)
        return compare(self.project, ids, race)

    def comparison_json(self, found: ComparisonView) -> dict[str, Any]:
        """Return the JSON of `compare`."""
        return comparison_json(self.project, found)

    def forecast(self, task_ids: Sequence[str]) -> tuple[ForecastView, ...]:
        """Return which of these results collide with each other or with the work tree."""
        return forecast_of(self.project, task_ids)

    def pick(
        self,
        takes: Sequence[Take],
        checks: Sequence[str] = (),
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Picked:
        """Combine parts of several results to a new outcome; see `engine.pick.pick`."""
        return pick(self.project, takes, checks, should_stop=should_stop)

    def pick_json(self, picked: Picked, applied: ApplyResult | None = None) -> dict[str, Any]:
        """Return the JSON of `pick`."""
        return pick_json(self.project, picked, applied)

    def retry_request(self, task: str, changes: Mapping[str, Any]) -> Request:
        """Return the request of an earlier task again; see `engine.again`."""
        return retry_request(self.project, self._locate(task), changes)

    def resume_request(self, task: str, more: str, changes: Mapping[str, Any]) -> Request:
        """Return a request that goes on with an earlier task; see `engine.again`."""
        return resume_request(self.project, self._locate(task), more, changes)

    def plan(self, request: Request) -> Resolution:
        """Return what `delegate` would do."""
        return plan_only(self.project, request)

    def review(self) -> Review:
        """Return what the repository wants to run, and what of it is new."""
        return review(self.project.root, self.project.config)

    def agree(self) -> None:
        """Agree to what the repository wants to run now."""
        agree(self.project.root, self.project.config)

    def revoke(self) -> bool:
        """Take the agreement back; whether there was one."""
        return revoke(self.project.root)

    def resolve_id(self, prefix: str) -> str:
        """Return the task id that `prefix` stands for."""
        return resolve_id(self.project, prefix)

    def record(self, task: str) -> Record:
        """Return the record of a task. No git for an id."""
        known = self.project.records.get(task) if is_safe_id(task) else None
        return known or self._locate(task).record

    def look(self, task: str) -> Record:
        """Return the record of a task; if its supervisor died it gets another. No git for an id."""
        record = self.record(task)
        return self.caretaker(record.id).look() if record.is_active else record

    def complete(self, records: Sequence[Record]) -> list[Record]:
        """Return the records with those that only git still knows; abandoned tasks are adopted."""
        Journals(self.project).look_after()
        tidy_remains(self.project)
        adopt_orphans(self.project, records, launcher=self._launcher)
        settle_races(self.project, records)
        with suppress(CaesarError):
            known = [record.id for record in records]
            return [*records, *recovered_records(self.project, known)]
        return list(records)

    def adopt(self) -> list[str]:
        """Give every abandoned task a supervisor; return their ids."""
        Journals(self.project).look_after()
        tidy_remains(self.project)
        scan = self.project.records.scan()
        settle_races(self.project, scan.records)
        return adopt_orphans(self.project, scan.records, launcher=self._launcher)

    def caretaker(self, task_id: str) -> Caretaker:
        """Return who to ask again and again how a task is."""
        return Caretaker(self.project, task_id, launcher=self._launcher)

    def diff(self, task: str, files: Sequence[str] = (), against: str | None = None) -> Diff:
        """Return what a task changed, or how its result differs from another's.

        Raises:
            NotFoundError: no such task.
            UnreadableOutcomeError: nobody knows what it changed.
            NoPathError: `files` names something that is not in it.
        """
        other = self._locate(against) if against else None
        return diff(self._locate(task), files=files, against=other)

    def changed_files(self, found: Diff) -> list[dict[str, Any]]:
        """Return the files of a diff as JSON, with the words of the task's report."""
        return changed_files(self.project, found)

    def patch_into(self, task: str, out: BinaryIO) -> None:
        """Write the patch of a task, in constant memory."""
        self.diff(task).write_patch(out)

    def tree_diff(self) -> str:
        """Return what `git diff` shows of the work tree right now."""
        return work_tree_diff(self.project.root)

    def refresh(self, task: str) -> bool:
        """Take the outcome of a task's worktree anew; whether it differs."""
        return refresh_outcome(self.project, self._locate(task))

    def preflight(self, task: str, files: Sequence[str] | None = None) -> ApplyResult:
        """Return what applying would do."""
        return check_apply(self.project, self.resolve_id(task), files)

    def apply(self, task: str, files: Sequence[str] | None = None) -> ApplyResult:
        """Apply a task's outcome, all or nothing; conflicts are in the result.

        Raises:
            CaesarError: no such task, not over yet, no outcome to be read, an unknown file.
        """
        return apply_task(self.project, self.resolve_id(task), files)

    def undo_preview(self, task: str | None = None) -> UndoResult:
        """Return what an undo would restore."""
        return check_undo(self.project, self.resolve_id(task) if task else None)

    def undo(self, task: str | None = None) -> UndoResult:
        """Take back the last apply, or a task's."""
        return undo_task(self.project, self.resolve_id(task) if task else None)

    def questions(self, task: str | None = None) -> tuple[AskedQuestion, ...]:
        """Return the questions of a task, or of all tasks that are not over."""
        if task is None:
            return all_questions(self.project)
        return questions_of(self.project, self.record(task))

    def questions_of(self, record: Record) -> tuple[AskedQuestion, ...]:
        """Return the questions of the task that a record is of."""
        return questions_of(self.project, record)

    def answer(self, task: str, question: str, text: str, by: str | None = None) -> QuestionState:
        """Answer an agent's question; of two answers the first stays."""
        task_id = self.resolve_id(task)
        question_id = question_by_prefix(self.layout.task(task_id), question)
        return answer_question(self.project, task_id, question_id, text, by)

    def cancel(self, task: str) -> CancelResult:
        """Stop a task and wait for its end.

        Raises:
            CaesarError: no such task, or it did not come to its end in time.
        """
        return cancel_task(self.project, self.resolve_id(task))

    def request_cancel(self, task: str) -> None:
        """Ask for a task's end without waiting for it."""
        request_cancel(self.project, self.record(task))

    def collect(
        self, *, dry_run: bool = False, force: bool = False, older_than: float | None = None
    ) -> GcResult:
        """Remove what nobody could miss; `older_than`: seconds, see `engine.gc.collect`."""
        return collect(self.project, dry_run=dry_run, force=force, older_than=older_than)

    def result(self, task: str) -> dict[str, Any]:
        """Return the JSON of `run`."""
        return run_result(self.project, self._locate(task))

    def show(self, task: str) -> dict[str, Any]:
        """Return the JSON of `show`."""
        return show_result(self.project, self._locate(task))

    def compact_report(self, task: str) -> dict[str, Any] | None:
        """Return the report as `caesar_await` hands it out, `None` when there is none."""
        return compact_report(self.project, task)

    def workspace_warning(self, place: Path) -> str:
        """Return what to say when `place` is in another repository; nothing when it is not."""
        return workspace_warning(self.project.root, place)

    def report(self, task: str) -> dict[str, Any] | None:
        """Return the reconciled report of a task."""
        return load_report(self.project, self.resolve_id(task))

    def exit_code(self, task: str) -> int:
        """Return the exit code that a task's result means."""
        return exit_code_of(self.record(task))

    def _contestants(self, names: Sequence[str]) -> tuple[list[str], RaceFile | None]:
        if len(names) == 1:
            race = self._race_alone(names[0])
            return [record.id for record in race_records(self.project, race)], race
        return [self.resolve_id(name) for name in names], None

    def _race_alone(self, name: str) -> RaceFile:
        try:
            return find_race(self.project, name)
        except NotFoundError as error:
            try:
                task = self.resolve_id(name)
            except CaesarError:
                raise error from None
            hint = "Name a race, or two or more tasks."
            raise CaesarError(f"{task} is one task.", hint) from None

    def _locate(self, task: str) -> Located:
        return locate(self.project, self.resolve_id(task))
