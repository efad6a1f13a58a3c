"""What a race is likely to take, from what earlier tasks of its agents took. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from caesar_core.engine.usage import sum_up, worked
from caesar_core.store.records import Record
from caesar_core.text import counted

_LAST: Final = 20


@dataclass(frozen=True, slots=True)
class RaceEstimate:
    """The sum over all contestants of the medians of earlier tasks.

    Attributes:
        tokens: input and output; `None` when no earlier task says.
        cost_usd: `None` when no earlier task says.
        tokens_unknown, cost_unknown: contestants without an earlier task that says.
    """

    contestants: int
    tokens: int | None = None
    cost_usd: float | None = None
    tokens_unknown: int = 0
    cost_unknown: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; null means that nobody knows."""
        return {
            "tokens": self.tokens,
            "cost_usd": self.cost_usd,
            "tokens_unknown": self.tokens_unknown,
            "cost_unknown": self.cost_unknown,
        }

    def sentence(self) -> str:
        """Return it for a person; empty when nothing is known."""
        parts = []
        if self.tokens is not None:
            parts.append(f"about {self.tokens:,} tokens{_but(self.tokens_unknown)}")
        if self.cost_usd is not None:
            parts.append(f"about ${self.cost_usd:.2f}{_but(self.cost_unknown)}")
        if not parts:
            return ""
        field = counted(self.contestants, "contestant")
        return f"{field}, by earlier tasks of these agents: {', '.join(parts)}"


def estimate_race(
    contestants: Sequence[tuple[str, str | None]], records: Iterable[Record]
) -> RaceEstimate:
    """Estimate from the last 20 ended tasks of each agent, of the same model where there are some.

    Args:
        contestants: agent and model of each.
        records: everything that is known.
    """
    past = [record for record in worked(records) if not record.is_active]
    past.sort(key=lambda record: record.started_at or "", reverse=True)
    known = [_medians(agent, model, past) for agent, model in contestants]
    tokens = [one[0] for one in known if one[0] is not None]
    costs = [one[1] for one in known if one[1] is not None]
    return RaceEstimate(
        contestants=len(known),
        tokens=round(sum(tokens)) if tokens else None,
        cost_usd=round(sum(costs), 6) if costs else None,
        tokens_unknown=len(known) - len(tokens),
        cost_unknown=len(known) - len(costs),
    )


def _medians(
    agent: str, model: str | None, past: Sequence[Record]
) -> tuple[float | None, float | None]:
    mine = [record for record in past if record.agent == agent]
    same = [record for record in mine if record.model == model]
    rows = [sum_up(None, [record]) for record in (same or mine)[:_LAST]]
    tokens = [
        row.input_tokens + row.output_tokens
        for row in rows
        if row.input_tokens is not None and row.output_tokens is not None
    ]
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    return (median(tokens) if tokens else None, median(costs) if costs else None)


def _but(unknown: int) -> str:
    return f" ({unknown} of them unknown)" if unknown else ""
