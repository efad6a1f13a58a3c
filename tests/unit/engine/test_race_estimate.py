from __future__ import annotations

from typing import Any

from caesar_core.engine.race_estimate import estimate_race
from caesar_core.store.records import Record


def past(agent: str, tokens: int | None, cost: float | None = None, **values: Any) -> Record:
    usage = {"input_tokens": tokens, "output_tokens": 0 if tokens else None, "cost_usd": cost}
    known: dict[str, Any] = {"status": "succeeded", "started_at": "2026-12-01T00:00:00.000Z"}
    return Record(id="t_1", agent=agent, usage=usage, **{**known, **values})


def test_m6_a_race_costs_what_its_agents_took_before() -> None:
    records = [past("codex", n, c) for n, c in ((100, 1.0), (900, 9.0), (200, 2.0))]

    found = estimate_race([("codex", None), ("codex", None), ("claude", "opus")], records)

    assert (found.tokens, found.cost_usd) == (400, 4.0)
    assert (found.tokens_unknown, found.cost_unknown) == (1, 1)
    assert found.sentence() == (
        "3 contestants, by earlier tasks of these agents:"
        " about 400 tokens (1 of them unknown), about $4.00 (1 of them unknown)"
    )


def test_m6_tasks_of_the_same_model_count_before_those_of_another() -> None:
    records = [past("claude", 100, model="haiku"), past("claude", 5000, model="opus")]

    assert estimate_race([("claude", "opus")], records).tokens == 5000
    assert estimate_race([("claude", "sonnet")], records).tokens == 2550


def test_m6_what_nobody_said_is_unknown_and_never_zero() -> None:
    records = [past("codex", None), past("claude", 9, status="running"), past("claude", None)]

    found = estimate_race([("codex", None), ("claude", None)], records)

    assert (found.tokens, found.cost_usd, found.sentence()) == (None, None, "")
