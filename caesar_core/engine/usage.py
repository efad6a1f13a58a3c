"""What tasks took, summed up: tokens, cost and time. What no stream said stays unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from caesar_core.clock import parse_iso
from caesar_core.durations import parse_duration
from caesar_core.errors import CaesarError
from caesar_core.store.records import Record

By: TypeAlias = Literal["agent", "day", "race", "task"]
_COUNTS: Final = ("input_tokens", "cached_input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """The sum over some tasks.

    Attributes:
        key: the agent, day, race or task; `None`: tasks that belong to no race.
        input_tokens, cached_input_tokens, output_tokens, cost_usd: sums over the tasks that said
            so; `None` when none did. `input_tokens` includes cached input.
        tokens_unknown, cost_unknown: how many tasks did not say.
        duration_ms: agents' time.
    """

    key: str | None
    tasks: int = 0
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    tokens_unknown: int = 0
    cost_unknown: int = 0
    duration_ms: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form (docs/commands.md, `usage`)."""
        return {
            "key": self.key,
            "tasks": self.tasks,
            "input_tokens": self.input_tokens,
            "cached_input_tokens": self.cached_input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
            "tokens_unknown": self.tokens_unknown,
            "cost_unknown": self.cost_unknown,
            "duration_ms": self.duration_ms,
        }


def worked(records: Iterable[Record], since: datetime | None = None) -> list[Record]:
    """Return the tasks whose agent was started, at `since` or later."""
    started = ((record, parse_iso(record.started_at or "")) for record in records)
    return [r for r, moment in started if moment and (since is None or moment >= since)]


def usage_rows(tasks: Iterable[Record], by: By) -> list[UsageRow]:
    """Return sums of tasks that have `worked`, in the order of their keys; days are local ones."""
    groups: dict[str | None, list[Record]] = {}
    for record in tasks:
        groups.setdefault(_key(record, by), []).append(record)
    ordered = sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or ""))
    return [sum_up(key, together) for key, together in ordered]


def sum_up(key: str | None, records: Iterable[Record]) -> UsageRow:
    """Return one row for some tasks."""
    tasks = list(records)
    said = [record.usage or {} for record in tasks]
    costs = [_number(usage.get("cost_usd")) for usage in said]
    input_tokens, cached, output_tokens = (_sum(_whole(u.get(n)) for u in said) for n in _COUNTS)
    cost = _sum(costs)
    return UsageRow(
        key=key,
        tasks=len(tasks),
        input_tokens=input_tokens,
        cached_input_tokens=cached,
        output_tokens=output_tokens,
        cost_usd=None if cost is None else round(cost, 6),
        tokens_unknown=sum(not _says_tokens(usage) for usage in said),
        cost_unknown=costs.count(None),
        duration_ms=sum(_duration(record) for record in tasks),
    )


def parse_since(text: str, now: datetime) -> datetime:
    """Read `7d`, `12h` (back from now) or a date such as `2026-12-01` (local).

    Raises:
        CaesarError: it is none of these.
    """
    try:
        if "-" in text:
            return datetime.fromisoformat(text).astimezone()
        return now - timedelta(milliseconds=parse_duration(text, what="--since"))
    except (ValueError, OverflowError):
        raise CaesarError(
            f"--since does not know {text!r}.", "Write for example 7d, 12h or 2026-12-01."
        ) from None


def _key(record: Record, by: By) -> str | None:
    if by == "day":
        started = parse_iso(record.started_at or "")
        return f"{started.astimezone():%Y-%m-%d}" if started else None
    return {"agent": record.agent, "race": record.race_id, "task": record.id}[by]


def _says_tokens(usage: dict[str, Any]) -> bool:
    return all(_whole(usage.get(name)) is not None for name in ("input_tokens", "output_tokens"))


def _sum(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _duration(record: Record) -> int:
    began, ended = parse_iso(record.started_at or ""), parse_iso(record.ended_at or "")
    if began is None or ended is None:
        return 0
    return max(0, round((ended - began).total_seconds() * 1000))
