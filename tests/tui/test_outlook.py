"""The forecast on the board: which results would collide, and when that is asked."""

from __future__ import annotations

from typing import Any

from textual import events

from caesar_core.board.race import ForecastView
from caesar_core.board.views import StreamView, TaskFacts, TaskView
from caesar_core.protocol.event import Message
from caesar_tui.outlook import MOST, PAUSE, ForecastWanted, Outlook
from tests.tui.drive import board, opened, settled, shown, until
from tests.tui.sample import Sample

TREE = ForecastView(task_id="t_1", paths=(("src/a.py", "both changed"), ("b", "x"), ("c", "x")))
EACH = ForecastView(task_id="t_1", other="t_2", paths=(("src/a.py", "both changed"),))


def ended(task_id: str, **facts: Any) -> TaskView:
    known = {"status": "succeeded", "isolation": "worktree", "files": 1, "ended_at": task_id}
    return TaskView(facts=TaskFacts(id=task_id, agent="codex", **{**known, **facts}))


def working(task_id: str, said: int) -> TaskView:
    facts = TaskFacts(
        id=task_id, agent="codex", status="running", isolation="worktree", phase="agent"
    )
    return TaskView(facts=facts, stream=StreamView(events=said))


def test_only_what_may_be_applied_is_asked_about() -> None:
    outlook = Outlook()
    left_out = [
        ended("t_3", applied_at="then"),
        ended("t_4", files=0),
        ended("t_5", files=None),
        ended("t_6", isolation="inplace"),
    ]
    outlook.take([ended("t_1"), ended("t_2"), *left_out])
    assert outlook.ask(0) == ForecastWanted(("t_2", "t_1"))


def test_nothing_to_apply_starts_nothing() -> None:
    outlook = Outlook()
    outlook.take([ended("t_1", applied_at="then")])
    assert outlook.ask(0) is None


def test_of_many_the_running_ones_and_the_newest_are_asked_about() -> None:
    outlook = Outlook()
    outlook.take([working("t_run", 1), *(ended(f"t_{n:03}") for n in range(50))])
    wanted = outlook.ask(0)
    assert wanted is not None
    assert wanted.task_ids[:2] == ("t_run", "t_049")
    assert len(wanted.task_ids) == MOST


def test_it_is_asked_again_only_when_something_became_of_a_task_and_never_twice_at_once() -> None:
    outlook = Outlook()
    outlook.take([working("t_1", 1)])
    assert outlook.ask(0)
    outlook.take([working("t_1", 2)])
    assert outlook.ask(1) is None
    outlook.hear((), 1)
    assert outlook.ask(1 + PAUSE) is None  # 20 times the second that the answer took
    assert outlook.ask(21)
    outlook.hear((), 21)
    assert outlook.ask(100) is None
    outlook.take([working("t_1", 2)])
    assert outlook.ask(100) is None
    outlook.take([], ["t_1"])
    assert outlook.ask(100) is None
    outlook.take([ended("t_2")])
    assert outlook.ask(100)


def test_what_it_says_names_the_other_and_the_place() -> None:
    outlook = Outlook()
    outlook.take([ended("t_1"), ended("t_2")])
    outlook.hear((TREE, EACH), 0)
    names = {"t_1": "t_1", "t_2": "t_2"}
    assert outlook.notes(names) == {
        "t_1": "conflicts: your tree, 1 task",
        "t_2": "conflicts: t_1",
    }
    assert outlook.sentence("t_1", names) == (
        "would conflict with your tree in src/a.py and 2 more files, with t_2 in src/a.py"
    )
    outlook.take([ended("t_1", applied_at="then")])
    assert not outlook.notes(names)


def test_contestants_of_one_race_are_not_set_against_each_other() -> None:
    outlook = Outlook()
    outlook.take([ended("t_1", race_id="r"), ended("t_2", race_id="r"), ended("t_3")])
    outlook.hear((EACH, ForecastView(task_id="t_2", other="t_3", paths=EACH.paths)), 0)
    assert set(outlook.notes({})) == {"t_2", "t_3"}


async def test_d23_rows_and_head_say_with_whom_a_result_would_collide(sample: Sample) -> None:
    at = (("src/parser.py", "both changed"),)
    sample.engine.ahead = (
        ForecastView(task_id="t_02ff", other="t_7f3a", paths=at),
        ForecastView(task_id="t_7f3a", paths=(("[b]\x1b[2J", "both changed"),)),
    )
    async with opened(sample, (200, 50)) as pilot:
        screen = board(pilot)
        await until(pilot, lambda: "conflicts: t_7f3a" in shown(screen.table))
        assert "pnpm test · conflicts: your tree" in shown(screen.table)
        screen.table.chosen = "t_7f3a"
        await settled(pilot)
        said = shown(screen.pane.head.query_one("#head-doing"))
        assert "would conflict with your tree in [b]␛[2J" in said
        assert "with t_02ff in src/parser.py" in said
        assert all("t_11aa" not in ids for ids in sample.engine.looked_ahead)


async def test_it_is_looked_anew_when_somebody_comes_back_to_the_terminal(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await until(pilot, lambda: len(sample.engine.looked_ahead) == 1)
        await settled(pilot)
        sample.clock.advance(60)
        pilot.app.post_message(events.AppBlur())
        pilot.app.post_message(events.AppFocus())
        await until(pilot, lambda: len(sample.engine.looked_ahead) == 2)
        sample.clock.advance(60)
        sample.say("t_7f3a", (0, Message(text="more")))
        await until(pilot, lambda: len(sample.engine.looked_ahead) == 3)
