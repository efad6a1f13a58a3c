"""The scenarios: what the agent is told, what the kit does meanwhile, and who judges.

An agent is told twice: in words that a model understands, and by the name in `$CAESAR_CHECK`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from caesar_core.engine.kit import judges
from caesar_core.engine.kit.evidence import Evidence
from caesar_core.engine.kit.judges import Verdict
from caesar_core.errors import CaesarError

VARIABLE: Final = "CAESAR_CHECK"
Part: TypeAlias = Literal["none", "answer", "cancel"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One task for the candidate.

    Attributes:
        requirement: what it is about, for people.
        contract: it has to be honoured; else it is an ability, which is only told.
        objective: `{word}` is one that the agent cannot guess.
        limit_ms: the task's own limit; `None`: the kit's.
        part: what the kit does while the agent works.
    """

    name: str
    requirement: str
    contract: bool
    objective: str
    judge: Callable[[Evidence], Verdict]
    mode: str = "write"
    limit_ms: int | None = None
    part: Part = "none"


@dataclass(frozen=True, slots=True)
class Overall:
    """A requirement on all scenarios together."""

    name: str
    requirement: str
    judge: Callable[[Mapping[str, Evidence]], Verdict]


_LONG: Final = "Work for at least a minute before you report: wait, and do nothing else."
SCENARIOS: Final = (
    Scenario(
        "minimal",
        "a report of success, and exit code 0",
        contract=True,
        objective="Do nothing and report success.",
        judge=judges.minimal,
    ),
    Scenario(
        "read-only",
        "a read-only task changes nothing",
        contract=True,
        objective="Read README.md, change nothing, and report success.",
        judge=judges.read_only,
        mode="read-only",
    ),
    Scenario(
        "deadline",
        "at its limit it ends when it is asked to",
        contract=True,
        objective=_LONG,
        judge=judges.stopped,
        limit_ms=3_000,
    ),
    Scenario(
        "cancel",
        "cancelled, it ends when it is asked to",
        contract=True,
        objective=_LONG,
        judge=judges.stopped,
        part="cancel",
    ),
    Scenario(
        "objective",
        "does what the objective says",
        contract=False,
        objective="Report success with the word {word} in the summary.",
        judge=judges.objective,
    ),
    Scenario(
        "changes",
        "changes files in its workspace and declares them",
        contract=False,
        objective=(
            "Make a file conformance.txt in the workspace with the line {word}. Report success"
            " and list the file under changes."
        ),
        judge=judges.changes,
    ),
    Scenario(
        "partial",
        "reports partial, with next_steps",
        contract=False,
        objective="Report partial, and say under next_steps what is left: anything.",
        judge=judges.partial,
    ),
    Scenario(
        "blocked",
        "reports blocked, with questions",
        contract=False,
        objective="Report blocked, with a question under questions: anything.",
        judge=judges.blocked,
    ),
    Scenario(
        "failed",
        "reports failed",
        contract=False,
        objective="Report failed.",
        judge=judges.failed,
    ),
    Scenario(
        "question",
        "asks, waits for the answer, and uses it",
        contract=False,
        objective=(
            "Ask which word to use, wait for the answer, and report success with the answer in"
            " the summary. To ask: `caesar ask QUESTION`, or a file in questions/."
        ),
        judge=judges.question,
        part="answer",
    ),
    Scenario(
        "unanswered",
        "goes on when nobody answers",
        contract=False,
        objective=(
            "Ask which word to use. If nobody answers, choose one yourself and report success."
            " To ask: `caesar ask QUESTION`, or a file in questions/."
        ),
        judge=judges.alone,
    ),
    Scenario(
        "events",
        "tells what it does while it works",
        contract=False,
        objective=(
            "Tell how far you are (`caesar progress MESSAGE`, or a line in $CAESAR_EVENTS_PATH),"
            " then report success."
        ),
        judge=judges.events,
    ),
    Scenario(
        "bad-report",
        "an unacceptable report is seen as one",
        contract=False,
        objective=(
            "Write a report whose status is the word perfect, which no report may have, straight"
            " to $CAESAR_REPORT_PATH. This tests that it is refused."
        ),
        judge=judges.bad_report,
    ),
)
OVERALL: Final = (
    Overall("valid-reports", "every report is acceptable", judges.valid_reports),
    Overall(
        "workspace",
        "changes nothing outside of its workspace",
        judges.workspace,
    ),
)
NAMES: Final = tuple(scenario.name for scenario in SCENARIOS)


def chosen(names: Iterable[str]) -> tuple[Scenario, ...]:
    """Return the scenarios of these names, all when there are none, in their order.

    Raises:
        CaesarError: a name is not known.
    """
    wanted = list(names)
    for name in wanted:
        if name not in NAMES:
            raise CaesarError(f"There is no scenario {name!r}.", f"Known: {', '.join(NAMES)}.")
    return tuple(s for s in SCENARIOS if not wanted or s.name in wanted)
