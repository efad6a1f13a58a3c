from __future__ import annotations

from typing import Any

import pytest

from caesar_core.clock import FakeClock, iso, parse_iso
from caesar_core.engine.usage import parse_since, sum_up, usage_rows, worked
from caesar_core.errors import CaesarError
from caesar_core.store.records import Record


def task(name: str, usage: dict[str, Any] | None = None, **changes: Any) -> Record:
    values: dict[str, Any] = {
        "started_at": "2026-12-01T10:00:00.000Z",
        "ended_at": "2026-12-01T10:00:02.000Z",
        "agent": "codex",
        "usage": usage,
    }
    return Record(id=name, **(values | changes))


SAID = {"input_tokens": 100, "output_tokens": 10, "cached_input_tokens": 50, "cost_usd": 0.25}


def test_m4_what_nobody_said_is_unknown_and_never_zero() -> None:
    row = sum_up("codex", [task("t_1"), task("t_2", {"duration_ms": 5})])
    assert (row.input_tokens, row.output_tokens, row.cost_usd) == (None, None, None)
    assert (row.tasks, row.tokens_unknown, row.cost_unknown, row.duration_ms) == (2, 2, 2, 4000)


def test_m4_a_sum_counts_those_that_did_not_say() -> None:
    row = sum_up("codex", [task("t_1", SAID), task("t_2", SAID | {"cost_usd": None}), task("t_3")])
    assert (row.input_tokens, row.cached_input_tokens, row.output_tokens) == (200, 100, 20)
    assert (row.cost_usd, row.cost_unknown, row.tokens_unknown) == (0.25, 2, 1)


def test_zero_is_zero_when_it_was_said() -> None:
    zero = dict.fromkeys(SAID, 0)
    assert sum_up(None, [task("t_1", zero)]).cost_usd == 0


def test_rows_by_agent_race_task_and_day() -> None:
    tasks = [
        task("t_1", agent="b", race_id="r_1"),
        task("t_2", agent="a", race_id="r_1"),
        task("t_3", agent="b", started_at="2026-12-03T10:00:00.000Z"),
    ]
    assert [(r.key, r.tasks) for r in usage_rows(tasks, "agent")] == [("a", 1), ("b", 2)]
    assert [(r.key, r.tasks) for r in usage_rows(tasks, "race")] == [("r_1", 2), (None, 1)]
    assert [r.key for r in usage_rows(tasks, "task")] == ["t_1", "t_2", "t_3"]
    assert [r.tasks for r in usage_rows(tasks, "day")] == [2, 1]


def test_only_tasks_whose_agent_started_count() -> None:
    tasks = [task("t_1", started_at=None), task("t_2")]
    assert [record.id for record in worked(tasks)] == ["t_2"]
    assert worked(tasks, parse_iso("2026-12-02T00:00:00Z")) == []


@pytest.mark.parametrize("text", ["7d", "168h"])
def test_since_a_while_ago(text: str) -> None:
    now = FakeClock().now()
    assert iso(parse_since(text, now)) == "2025-12-25T00:00:00.000Z"


def test_since_a_day() -> None:
    assert parse_since("2026-12-01T00:00:00+00:00", FakeClock().now()).isoformat()[:4] == "2026"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "-1h", "99999999d"])
def test_since_nonsense_is_refused(text: str) -> None:
    with pytest.raises(CaesarError):
        parse_since(text, FakeClock().now())
