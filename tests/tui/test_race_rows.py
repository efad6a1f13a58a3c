"""A race is one row of the board, which unfolds into its contestants."""

from __future__ import annotations

from caesar_core.protocol.event import Question
from caesar_tui.screens.race import RaceScreen
from tests.tui.drive import board, opened, press, settled, shown, until
from tests.tui.sample import Sample


def rows(table_text: str) -> list[str]:
    return [" ".join(line.split()) for line in table_text.splitlines()]


async def test_a_race_is_one_row_that_unfolds_into_its_contestants(race: Sample) -> None:
    async with opened(race) as pilot:
        table = board(pilot).table
        folded = rows(shown(table))
        assert any(row.startswith("▸ ◍ race r_1 2/3 done") for row in folded)
        assert not any("t_r0" in row for row in folded)
        table.chosen = "r_1"
        await press(pilot, "space")
        opened_rows = rows(shown(table))
        at = next(i for i, row in enumerate(opened_rows) if "race r_1" in row)
        below = " ".join(opened_rows[at + 1 : at + 4])
        assert all(name in below for name in ("t_r0", "t_r1", "t_r2"))
        await press(pilot, "down", "space")
        assert table.chosen == "r_1"
        assert rows(shown(table)) == folded


async def test_enter_on_the_row_of_a_race_shows_the_race(race: Sample) -> None:
    async with opened(race) as pilot:
        board(pilot).table.chosen = "r_1"
        await settled(pilot)
        head = board(pilot).pane.head
        assert "race r_1 · 2/3 done" in shown(head.query_one("#head-title"))
        assert "Enter shows the race" in shown(head.query_one("#head-doing"))
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, RaceScreen)


async def test_a_click_on_the_mark_of_a_race_unfolds_it(race: Sample) -> None:
    async with opened(race) as pilot:
        table = board(pilot).table
        at = next(y for y, line in enumerate(shown(table).splitlines()) if "race r_1" in line)
        x = shown(table).splitlines()[at].index("▸")
        await pilot.click("#table", offset=(x, at))
        await until(pilot, lambda: "t_r2" in shown(table))
        assert table.chosen == "r_1"


async def test_choosing_a_contestant_unfolds_its_race(race: Sample) -> None:
    async with opened(race) as pilot:
        board(pilot).show_task("t_r1")
        await settled(pilot)
        assert "t_r1" in shown(board(pilot).table)


async def test_a_contestant_that_asks_stands_by_itself(race: Sample) -> None:
    async with opened(race) as pilot:
        race.task("t_r3", "shell", race_id="r_1", started=5)
        race.ask("t_r3", Question(id="q9", question="which?"))
        await until(pilot, lambda: "t_r3" in shown(board(pilot).table))
        lines = rows(shown(board(pilot).table))
        title = next(i for i, line in enumerate(lines) if line.startswith("Running"))
        assert any("t_r3" in line for line in lines[:title])


async def test_a_race_that_is_named_is_what_is_shown_first(race: Sample) -> None:
    app = race.app(only="race:r_1", race="r_1")
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, RaceScreen))
        await pilot.press("escape")
        assert "race r_1" in shown(board(pilot).table)
        assert "t_7f3a" not in shown(board(pilot).table)
