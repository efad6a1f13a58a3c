"""The inbox, the wall, and what the terminal is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from caesar_core.board.order import Row
from caesar_core.board.views import QuestionView
from caesar_core.protocol.event import Message, Question
from caesar_core.store import mailbox
from caesar_tui.herald import Herald, News, sequences
from caesar_tui.render.wall import grid_for
from caesar_tui.screens.inbox import InboxScreen
from caesar_tui.screens.wall import WallScreen
from caesar_tui.widgets.wall import Wall
from tests.tui.drive import board, opened, press, settled, shown, until
from tests.tui.sample import NOW, Sample


def wall(pilot: Pilot[Any]) -> Wall:
    return pilot.app.screen.query_one(Wall)


def two_questions(sample: Sample) -> None:
    sample.task("t_b0b0", "codex", started=310)
    files = sample.layout.task("t_b0b0")
    closes = NOW + timedelta(seconds=95)
    mailbox.ask(files, "Which [/name]? \x1b[2J", ("one", "two"), sample.clock, closes)


async def test_q2_every_open_question_is_listed_and_answered_where_it_belongs(
    sample: Sample,
) -> None:
    two_questions(sample)
    async with opened(sample) as pilot:
        await press(pilot, "slash", *"agent:claude", "enter", "Q")
        assert isinstance(pilot.app.screen, InboxScreen)
        rows = shown(pilot.app.screen.query_one("#questions")).splitlines()
        assert "1:35 t_b0b0 codex" in rows[0]
        assert "Which [/name]? ␛[2J" in rows[0]
        assert "waits t_91bc claude" in rows[1]
        await press(pilot, "enter")
        assert board(pilot).table.chosen == "t_b0b0"
        assert board(pilot).pane.form.line.has_focus
        await press(pilot, "2", "enter")
        assert sample.engine.asked[-1][0].endswith("two (caesar watch)")
        assert sample.engine.asked[-1][1] == "t_b0b0"
        await press(pilot, "Q", "escape")
        assert not isinstance(pilot.app.screen, InboxScreen)


async def test_the_inbox_follows_and_says_when_nobody_asks(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "Q")
        mailbox.close(sample.layout.task("t_91bc"), "q1", "its agent is gone", sample.clock)
        none = pilot.app.screen.query_one("#none")
        await until(pilot, lambda: "No agent waits" in shown(none))
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, InboxScreen)


async def test_ctrl_j_begins_a_line_and_arrows_move_in_a_longer_answer(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", *"ab", "ctrl+j", *"2d", "up", "x", "enter")
        assert sample.engine.asked == [("answer q1 abx\n2d (caesar watch)", "t_91bc")]


async def test_the_wall_shows_what_runs_and_a_digit_answers(sample: Sample) -> None:
    async with opened(sample, (140, 40)) as pilot:
        await press(pilot, "W")
        assert isinstance(pilot.app.screen, WallScreen)
        await until(pilot, lambda: "pnpm test" in shown(wall(pilot)))
        text = shown(wall(pilot))
        for said in ("t_7f3a", "t_88d1", "Should the old behaviour be kept?", "(1) yes  (2) no"):
            assert said in text
        assert {len(row) for row in text.splitlines()} == {140}
        assert wall(pilot).chosen == "t_91bc"
        await press(pilot, "3")
        assert sample.engine.asked == []
        await press(pilot, "2")
        assert sample.engine.asked == [("answer q1 no (caesar watch)", "t_91bc")]
        sample.say("t_7f3a", (0, Message(text="a new line")))
        await until(pilot, lambda: "a new line" in shown(wall(pilot)))
        await press(pilot, "right", "left", "down", "up", "right")
        chosen = wall(pilot).chosen
        assert chosen not in {None, "t_91bc"}
        await press(pilot, "enter")
        assert board(pilot).table.chosen == chosen
        assert board(pilot).pane.stream.has_focus


async def test_what_the_wall_covers_is_not_painted_and_comes_back_up_to_date(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sample, (140, 40)) as pilot:
        await press(pilot, "question_mark")
        assert board(pilot).is_current
        await press(pilot, "escape", "W")
        assert not board(pilot).is_current
        painted: list[object] = []
        monkeypatch.setattr(board(pilot)._compositor, "update_widgets", painted.append)
        sample.say("t_7f3a", (0, Message(text="a new line")))
        await until(pilot, lambda: "a new line" in shown(wall(pilot)))
        assert painted == []
        monkeypatch.undo()
        await pilot.resize_terminal(100, 30)
        await press(pilot, "escape")
        assert board(pilot).is_current
        assert board(pilot).query_one("#header").outer_size.width == 100


async def test_choosing_a_tile_makes_two_tiles_not_all(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sample, (140, 40)) as pilot:
        await press(pilot, "W")
        tiles = wall(pilot)
        made: list[str] = []
        make = tiles._make

        def count(row: Row, width: int, height: int, *, is_chosen: bool) -> Any:
            made.append(row.view.id)
            return make(row, width, height, is_chosen=is_chosen)

        monkeypatch.setattr(tiles, "_make", count)
        before = tiles.chosen
        tiles.action_go(1, 0)
        assert sorted(made) == sorted([str(before), str(tiles.chosen)])


async def test_a_click_chooses_a_tile_and_a_double_click_opens_it(sample: Sample) -> None:
    async with opened(sample, (140, 40)) as pilot:
        await press(pilot, "W")
        await pilot.click("#wall", offset=(130, 3))
        chosen = wall(pilot).chosen
        assert chosen != "t_91bc"
        await pilot.click("#wall", offset=(130, 3), times=2)
        await settled(pilot)
        assert board(pilot).table.chosen == chosen


async def test_more_tasks_than_tiles_are_paged(sample: Sample) -> None:
    for number in range(15):
        sample.task(f"t_w{number:02}", "codex", started=5)
    async with opened(sample, (120, 30)) as pilot:
        await press(pilot, "W")
        status = pilot.app.screen.query_one("#status")
        await until(pilot, lambda: "page 1 of 2" in shown(status))
        first = wall(pilot).chosen
        await press(pilot, "pagedown")
        assert wall(pilot).chosen != first
        await press(pilot, "pageup", "escape")
        assert not isinstance(pilot.app.screen, WallScreen)


async def test_the_wall_without_tasks_says_so(empty: Sample) -> None:
    empty.task("t_1", "codex", status="succeeded")
    async with opened(empty) as pilot:
        await press(pilot, "W")
        assert "Nothing runs." in shown(pilot.app.screen.query_one("#none"))
        await press(pilot, "enter", "1", "down", "q")
        assert not isinstance(pilot.app.screen, WallScreen)


@pytest.mark.parametrize("size", [(20, 5), (36, 6), (80, 24), (400, 120)])
@pytest.mark.parametrize("count", [1, 2, 5, 12, 40])
def test_t5_tiles_are_never_smaller_than_can_be_read(count: int, size: tuple[int, int]) -> None:
    grid = grid_for(count, *size)
    assert grid.size * grid.pages >= count
    assert grid.size <= 16
    assert grid.columns == 1 or size[0] // grid.columns >= 36
    assert grid.rows == 1 or size[1] // grid.rows >= 6


async def test_a_new_question_rings_once_and_sets_the_title(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    written: list[str] = []
    app = sample.app()
    monkeypatch.setattr(app, "tell_terminal", written.append)
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        assert written[-1] == "\x1b]2;caesar: 2 need you\x07"
        before = len(written)
        sample.ask("t_7f3a", Question(id="q9", question="Go on; \x07\x1b]52;c;x\x07?"))
        await until(pilot, lambda: len(written) > before)
        assert written[-1] == (
            "\x1b]2;caesar: 3 need you\x07\x1b]9;t_7f3a asks: Go on, ␇␛]52,c,x␇?\x07\x07"
        )
        sample.say("t_7f3a", (0, Message(text="more")))
        await pilot.pause(0.3)
        assert len(written) == before + 1


def test_the_herald_tells_each_question_once() -> None:
    def asked(*names: str) -> list[QuestionView]:
        return [QuestionView(task_id="t_1", id=name, question=name) for name in names]

    herald = Herald()
    assert herald.look((), 0, complete=False) == News("caesar")
    assert herald.look(asked("a"), 1, complete=True) == News("caesar: 1 needs you")
    assert herald.look(asked("a", "b", "c"), 1, complete=True) == News(
        "caesar: 1 needs you", "2 questions wait for you"
    )
    assert herald.look(asked("a"), 1, complete=True) is None
    assert herald.look(asked("a", "b"), 1, complete=True) is None


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("foot", "\x1b]2;caesar\x07\x1b]777;notify;caesar;x\x07\x07"),
        ("tmux-256color", "\x1b]2;caesar\x07\x1b]9;x\x07\x07"),
        ("linux", "\x07"),
        ("", "\x07"),
    ],
)
def test_a_terminal_is_told_in_its_own_way(term: str, expected: str) -> None:
    assert sequences(News("caesar", "x"), {"TERM": term}) == expected
