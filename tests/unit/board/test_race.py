from __future__ import annotations

from typing import Any

from caesar_core.board.race import contestant_json, race_view, races
from caesar_core.board.views import CheckView
from tests.unit.board.build import at, ended, running

PASSED = CheckView(command="make test", passed=True)
FAILED = CheckView(command="make test", passed=False, exit_code=2)
WELL: dict[str, Any] = {
    "report_status": "success",
    "verified_by": "git",
    "insertions": 3,
    "deletions": 1,
}

RIGHT = ended(id="t_r", created_at=at(1), checks=(PASSED,), **WELL)
WRONG = ended(id="t_w", created_at=at(2), checks=(FAILED,), **{**WELL, "report_status": "failed"})
CHEAT = ended(id="t_c", created_at=at(3), checks=(FAILED,), **WELL)
SLOW = running(id="t_s", created_at=at(4))


def test_a_race_ranks_who_has_ended_and_keeps_the_order_of_the_start() -> None:
    race = race_view([SLOW, CHEAT, WRONG, RIGHT], "r_1")

    assert race.task_ids == ("t_r", "t_w", "t_c", "t_s")
    assert [(c.task_id, c.rank) for c in race.ranked] == [
        ("t_r", 1),
        ("t_c", 2),
        ("t_w", 3),
        ("t_s", None),
    ]
    assert (race.done, race.total, race.is_over, race.winner) == (3, 4, False, None)


def test_only_a_proved_result_wins() -> None:
    assert race_view([RIGHT, CHEAT, WRONG]).winner == "t_r"
    assert race_view([CHEAT, WRONG]).winner is None
    assert race_view([ended(id="t_p", report_status="partial")]).winner is None
    assert race_view([]).winner is None


def test_a_success_that_a_check_contradicts_is_marked() -> None:
    told = {c.task_id: (c.contradicted, c.proved) for c in race_view([RIGHT, CHEAT]).contestants}

    assert told == {"t_r": (False, True), "t_c": (True, False)}


def test_a_board_has_as_many_races_as_its_tasks_name() -> None:
    field = (
        ended(id="t_1", race_id="r_1", created_at=at(1), report_status="success"),
        ended(id="t_2"),
        running(id="t_3", race_id="r_1", created_at=at(2)),
        running(id="t_4", race_id="r_2", created_at=at(9), model="opus"),
    )

    assert [(r.id, r.done, r.total) for r in races(field)] == [("r_2", 0, 1), ("r_1", 1, 2)]
    assert races(field)[0].contestants[0].label == "codex:opus"


def test_a_contestant_as_json_says_what_is_not_known() -> None:
    told = contestant_json(race_view([SLOW]).contestants[0], None)

    assert (told["rank"], told["insertions"], told["usage"], told["flags"]) == (
        None,
        None,
        None,
        [],
    )
