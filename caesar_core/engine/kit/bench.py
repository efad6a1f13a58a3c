"""Running the scenarios: a repository of its own, the candidate in it, four tasks at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock, SystemClock, parse_iso
from caesar_core.config.settings import Config, DeclaredAgent, EnvironmentRules, Policy
from caesar_core.engine.adopt import Caretaker
from caesar_core.engine.cancel import cancel_task, request_cancel
from caesar_core.engine.delegate import delegate
from caesar_core.engine.diffs import diff
from caesar_core.engine.kit.evidence import Evidence, count_events
from caesar_core.engine.kit.judges import Verdict
from caesar_core.engine.kit.scenarios import OVERALL, VARIABLE, Scenario
from caesar_core.engine.outcomes import locate
from caesar_core.engine.project import Project
from caesar_core.engine.questions import answer_question
from caesar_core.engine.request import Request
from caesar_core.engine.results import load_report
from caesar_core.errors import CaesarError
from caesar_core.ids import new_task_id
from caesar_core.repo.create import create_repository
from caesar_core.store import mailbox
from caesar_core.store.atomic import StoreError, read_bounded
from caesar_core.store.records import Record

AGENT: Final = "candidate"
_PAUSE: Final = 0.05
_CANCEL_AFTER: Final = 1.0
_LIMIT: Final = 64 << 20
_OUTSIDE: Final = "Changed outside of the worktree while the task ran"
_FILES: Final = {
    "README.md": "# A repository for checking an agent\n\nNothing in it matters.\n",
    "notes.txt": "one\ntwo\n",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result (docs/commands.md, `protocol check`)."""

    name: str
    requirement: str
    contract: bool
    honoured: bool
    detail: str
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "requirement": self.requirement,
            "contract": self.contract,
            "honoured": self.honoured,
            "detail": self.detail,
        }


def candidate(command: Sequence[str], folder: Path) -> DeclaredAgent:
    """Return a command line as an agent; what names a file below `folder` is made absolute.

    The agent works elsewhere, where a relative path would lead nowhere.
    """
    program, *arguments = (_absolute(word, folder) for word in command)
    takes_brief = any("{{" in word for word in arguments)
    return DeclaredAgent(
        id=AGENT, bin=program, args=tuple(arguments), prompt=None if takes_brief else "none"
    )


def check(
    agent: DeclaredAgent,
    scenarios: Iterable[Scenario],
    *,
    timeout_ms: int,
    on_row: Callable[[Row], object] = lambda _: None,
    clock: Clock | None = None,
) -> list[Row]:
    """Run the scenarios and judge them.

    Args:
        agent: the candidate.
        scenarios: which ones.
        timeout_ms: the limit of each, where it has none of its own.
        on_row: is told each row as it comes.
        clock: the time.

    Raises:
        CaesarError: the program is not there, or a task cannot be started at all.
    """
    clock = clock or SystemClock()
    with _repository() as root:
        trials = [_Trial(root, agent, scenario, timeout_ms, clock) for scenario in scenarios]
        try:
            for trial in trials:
                trial.start()
            return _judged(trials, clock, on_row)
        finally:
            for trial in trials:
                trial.ask_to_stop()
            for trial in trials:
                trial.give_up()


def _judged(trials: Sequence[_Trial], clock: Clock, on_row: Callable[[Row], object]) -> list[Row]:
    rows: dict[str, Row] = {}
    found: dict[str, Evidence] = {}
    while len(rows) < len(trials):
        for trial in trials:
            name = trial.scenario.name
            if name not in rows and trial.is_over():
                found[name] = trial.evidence()
                rows[name] = _row(trial.scenario, trial.scenario.judge(found[name]), found[name])
                on_row(rows[name])
        clock.sleep(_PAUSE)
    overall = [
        Row(o.name, o.requirement, contract=True, honoured=v.honoured, detail=v.detail)
        for o, v in ((o, o.judge(found)) for o in OVERALL)
    ]
    for row in overall:
        on_row(row)
    return [*(rows[trial.scenario.name] for trial in trials), *overall]


def _row(scenario: Scenario, verdict: Verdict, seen: Evidence) -> Row:
    return Row(
        scenario.name,
        scenario.requirement,
        scenario.contract,
        verdict.honoured,
        verdict.detail,
        seen.seconds,
    )


class _Trial:
    """One scenario: its task, and the kit's part in it."""

    def __init__(
        self, root: Path, agent: DeclaredAgent, scenario: Scenario, timeout_ms: int, clock: Clock
    ) -> None:
        self.scenario = scenario
        self._word = f"w{new_task_id()[2:10]}"
        self._limit = scenario.limit_ms or timeout_ms
        config = Config(
            policy=Policy(),
            environment=EnvironmentRules(assigned={VARIABLE: scenario.name}),
            agents={agent.id: agent},
        )
        self._project = Project(root, clock, config=config)
        self._clock = clock
        self._record: Record | None = None
        self._caretaker: Caretaker | None = None
        self._working_since: float | None = None
        self._cancelled = False

    def start(self) -> None:
        """Send the task off."""
        request = Request(
            objective=self.scenario.objective.format(word=self._word),
            context="This is `caesar protocol check`: do exactly what the objective says.",
            agent=AGENT,
            mode=self.scenario.mode,
            isolation="worktree",
            timeout=self._limit,
        )
        self._record, _ = delegate(self._project, request)
        self._caretaker = Caretaker(self._project, self._record.id)

    def is_over(self) -> bool:
        """Do the kit's part, and return whether the task has ended."""
        assert self._caretaker is not None
        self._record = self._caretaker.look()
        if self._record.is_active:
            self._settle_questions(self._record)
            if self.scenario.part == "cancel":
                self._cancel_in_time(self._record)
        return not self._record.is_active

    def ask_to_stop(self) -> None:
        """Ask a task that still runs for its end."""
        with suppress(CaesarError):
            if self._record is not None and self._record.is_active:
                request_cancel(self._project, self._record)

    def give_up(self) -> None:
        """Wait for the end of a task that was asked to stop; nothing of a check outlives it."""
        with suppress(CaesarError):
            if self._record is not None:
                cancel_task(self._project, self._record.id)

    def evidence(self) -> Evidence:
        """Return what is left of the task."""
        assert self._record is not None
        record, files = self._record, self._project.layout.task(self._record.id)
        report = load_report(self._project, record.id) or {}
        own, bad = count_events(_bytes(files.events))
        return Evidence(
            word=self._word,
            status=record.status,
            exit_code=record.exit_code,
            signal=record.signal,
            source=record.report_source,
            report_status=record.report_status,
            report=report,
            invalid=files.invalid_report.exists(),
            files=self._files(record),
            outside=tuple(
                str(finding.get("file"))
                for finding in report.get("findings", ())
                if finding.get("title") == _OUTSIDE
            ),
            asked=len(mailbox.questions(files)),
            events=own,
            bad_lines=bad,
            seconds=_seconds(record),
        )

    def _files(self, record: Record) -> dict[str, str | None]:
        with suppress(CaesarError):
            changed = diff(locate(self._project, record.id)).files
            top = Path(record.workspace)
            return {change.path: _text(top / change.path) for change in changed}
        return {}

    def _settle_questions(self, record: Record) -> None:
        files = self._project.layout.task(record.id)
        for state in mailbox.questions(files):
            if state.state != "open":
                continue
            with suppress(CaesarError):
                if self.scenario.part == "answer":
                    answer_question(self._project, record.id, state.file.id, self._word, "the kit")
                else:
                    why = "nobody answers in this scenario"
                    mailbox.close(files, state.file.id, why, self._clock)

    def _cancel_in_time(self, record: Record) -> None:
        """Cancel it once its agent has worked for a second."""
        now = self._clock.monotonic()
        if record.phase == "agent" and self._working_since is None:
            self._working_since = now
        since = self._working_since
        if since is not None and not self._cancelled and now - since > _CANCEL_AFTER:
            self._cancelled = True
            request_cancel(self._project, record)


@contextmanager
def _repository() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="caesar-check-")).resolve()
    try:
        create_repository(folder / "repository", _FILES, "A repository for checking an agent")
        yield folder / "repository"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _absolute(word: str, folder: Path) -> str:
    path = folder / word
    with suppress(OSError, ValueError):
        if not word.startswith(("-", "/")) and path.is_file():
            return str(path)
    return word


def _bytes(path: Path) -> bytes:
    try:
        return read_bounded(path, _LIMIT)
    except (FileNotFoundError, StoreError):
        return b""


def _text(path: Path) -> str | None:
    try:
        return read_bounded(path, _LIMIT).decode("utf-8", "replace")
    except (FileNotFoundError, StoreError):
        return None


def _seconds(record: Record) -> float:
    began, ended = parse_iso(record.started_at or ""), parse_iso(record.ended_at or "")
    return (ended - began).total_seconds() if began and ended else 0.0
