"""From a task's facts to the exit code of a job, and the conditions that a caller adds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from caesar_core.ci.facts import SEVERITIES, TaskFacts
from caesar_core.errors import EXIT_BLOCKED, EXIT_FAILED, EXIT_OK, CaesarError
from caesar_core.text import counted


@dataclass(frozen=True, slots=True)
class FailOn:
    """What fails a job that would pass otherwise.

    Attributes:
        severity: findings of this severity or worse; `None`: none do.
        checks: a check that did not pass.
        partial: a report that says partial.
    """

    severity: str | None = None
    checks: bool = False
    partial: bool = False

    def reasons(self, task: TaskFacts) -> list[str]:
        """Return in words what of a task fails the job."""
        found = []
        if self.severity is not None:
            least = SEVERITIES.index(self.severity)
            worse = [f for f in task.findings if SEVERITIES.index(f.severity) >= least]
            if worse:
                count = counted(len(worse), "finding")
                found.append(f"{count} of severity {self.severity} or worse")
        failed = sum(not check.passed for check in task.checks)
        if self.checks and failed:
            found.append(f"{counted(failed, 'check')} failed")
        if self.partial and task.report_status == "partial":
            found.append("the report says partial")
        return found


def parse_fail_on(words: Iterable[str]) -> FailOn:
    """Read `finding:high`, `check` and `partial`; of several severities the mildest counts.

    Raises:
        CaesarError: something else.
    """
    severities, flags = [], set()
    for word in words:
        kind, _, level = word.partition(":")
        if kind == "finding" and level in SEVERITIES:
            severities.append(SEVERITIES.index(level))
        elif word in {"check", "partial"}:
            flags.add(word)
        else:
            raise CaesarError(
                f"--fail-on does not know {word!r}.",
                f"It takes check, partial, or finding: and one of {', '.join(SEVERITIES)}.",
            )
    severity = SEVERITIES[min(severities)] if severities else None
    return FailOn(severity, "check" in flags, "partial" in flags)


def exit_code(code: int, *, failing: bool, unanswered: bool) -> int:
    """Return the final exit code.

    Args:
        code: what the task itself means.
        failing: a condition of the caller holds.
        unanswered: with `--no-input` a question found no answer: a person is needed.
    """
    if unanswered and code in {EXIT_OK, EXIT_FAILED}:
        return EXIT_BLOCKED
    return EXIT_FAILED if failing and code == EXIT_OK else code
