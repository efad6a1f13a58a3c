"""Which of several results is better, by a rule that can be printed. Pure; no model judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

RULE: Final = (
    "checks passed, report status, verified by git, no flags, fewer changed lines, shorter time"
)
_STATUS: Final = {"success": 0, "partial": 1, "blocked": 2, "failed": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """What the rule looks at; `lines` and `duration_ms` are `None` when they are not known."""

    task_id: str
    report_status: str | None
    verified: bool
    checks_passed: int = 0
    flags: tuple[str, ...] = ()
    lines: int | None = None
    duration_ms: int | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """Smaller is better."""
        return (
            -self.checks_passed,
            _STATUS.get(self.report_status or "", len(_STATUS)),
            not self.verified,
            bool(self.flags),
            _known(self.lines),
            _known(self.duration_ms),
        )


def rank(contestants: Sequence[Contestant]) -> list[tuple[int, Contestant]]:
    """Return the contestants, best first, with their ranks from 1; ties share a rank."""
    ordered = sorted(contestants, key=lambda contestant: contestant.key)
    ranked: list[tuple[int, Contestant]] = []
    for position, contestant in enumerate(ordered, 1):
        tied = ranked and ranked[-1][1].key == contestant.key
        ranked.append((ranked[-1][0] if tied else position, contestant))
    return ranked


def _known(value: int | None) -> float:
    return float("inf") if value is None else value
