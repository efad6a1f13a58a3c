from __future__ import annotations

import pytest

from caesar_core.board.order import Filter, arrange, count
from caesar_core.board.standing import Group
from tests.unit.board.build import at, ended, now, running

BOARD = (
    running(id="t_a", agent="codex", created_at=at(1)),
    running(id="t_b", agent="claude", created_at=at(2), objective="Guard the PARSER"),
    ended(id="t_c", agent="codex", created_at=at(3), report_status="blocked"),
    ended("failed", id="t_d", agent="opencode", created_at=at(4), race_id="r_1"),
)


def ids(text: str = "") -> list[str]:
    return [row.view.id for row in arrange(BOARD, now(70), only=Filter.parse(text))]


def test_what_needs_a_person_comes_first_then_what_runs_then_what_ended() -> None:
    assert ids() == ["t_c", "t_b", "t_a", "t_d"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("agent:codex", ["t_c", "t_a"]),
        ("agent:CODEX status:running", ["t_a"]),
        ("status:failed", ["t_d"]),
        ("parser", ["t_b"]),
        ("parser codex", []),
        ("id:a", ["t_a"]),
        ("unknown:key", []),
        ("  ", ["t_c", "t_b", "t_a", "t_d"]),
    ],
)
def test_a_filter_keeps_what_fits_every_word(text: str, found: list[str]) -> None:
    assert ids(text) == found


def test_s6_the_counts_are_those_of_all_rows() -> None:
    rows = arrange([running(id=f"t_{i}") for i in range(200)], now(1))
    assert count(rows) == {Group.NEEDS_YOU: 0, Group.RUNNING: 200, Group.FINISHED: 0}


def test_who_waits_for_a_slot_sees_its_place_in_the_queue() -> None:
    waiting = [running(id=f"t_{i}", phase="slot", created_at=at(i)) for i in (3, 1)]
    rows = arrange([*BOARD, *waiting], now(9), only=Filter.parse("waits"))
    assert [row.standing.word for row in rows] == ["waits, 2nd of 2", "waits, 1st of 2"]
