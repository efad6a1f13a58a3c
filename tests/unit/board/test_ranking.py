"""The printed rule."""

from __future__ import annotations

from typing import Any

import pytest

from caesar_core.board.ranking import Contestant, rank


def contestant(name: str, **values: Any) -> Contestant:
    known: dict[str, Any] = {"report_status": "success", "verified": True, "lines": 10}
    return Contestant(task_id=name, **{**known, **values})


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"checks_passed": 2, "report_status": "failed"}, {"checks_passed": 1}),
        ({}, {"report_status": "partial", "lines": 1}),
        ({"report_status": "partial"}, {"report_status": "blocked"}),
        ({"report_status": "blocked"}, {"report_status": "failed"}),
        ({"lines": 99}, {"verified": False, "lines": 1}),
        ({"lines": 99}, {"flags": ("ci_config",), "lines": 1}),
        ({"lines": 9}, {"lines": 10}),
        ({"duration_ms": 1}, {"duration_ms": 2}),
        ({"duration_ms": 1}, {"duration_ms": None}),
    ],
)
def test_x8_each_step_of_the_rule_is_a_fact_and_no_judgement(
    better: dict[str, Any], worse: dict[str, Any]
) -> None:
    ranked = rank([contestant("worse", **worse), contestant("better", **better)])

    assert [(place, c.task_id) for place, c in ranked] == [(1, "better"), (2, "worse")]


def test_ties_share_a_rank() -> None:
    ranked = rank([contestant("a"), contestant("b"), contestant("c", lines=11)])

    assert [place for place, _ in ranked] == [1, 1, 3]
