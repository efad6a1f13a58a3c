"""The race screen: cards, files, aligned lines, a combined result."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from caesar_core.repo.merge import Conflict
from caesar_core.repo.patch import parse_patch
from caesar_tui.keys_file import parse_keymap
from caesar_tui.render.align import aligned
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.race import RaceScreen
from caesar_tui.widgets.compare_pane import ComparePane
from tests.tui.drive import board, opened, press, settled, shown, told, until
from tests.tui.racers import FIRST, SECOND
from tests.tui.sample import Sample


async def enter(pilot: Pilot[Any]) -> RaceScreen:
    board(pilot).table.chosen = "t_r0"
    await press(pilot, "R")
    screen = pilot.app.screen
    assert isinstance(screen, RaceScreen)
    await until(pilot, lambda: "TWO" in shown(screen.query_one("#compare")))
    return screen


async def test_cards_matrix_and_panes_show_who_did_what(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        screen = await enter(pilot)
        cards = shown(screen.query_one("#cards"))
        for said in (">1 codex  #2", " 2 claude  #1", " 3 opencode", "checks 1/1  partial, by git"):
            assert said in cards
        rows = shown(screen.query_one("#matrix")).splitlines()
        assert [row.split() for row in rows if row] == [
            ["a.py", "+3", "−1", "+1", "−1", "·"],
            ["b.py", "=", "+2", "−0", "=", "+2", "−0", "·"],
        ]
        head = shown(screen.query_one("#matrix-head")).splitlines()[-1]
        assert head.split() == ["1", "codex", "2", "claude", "3", "opencode"]
        assert head.index("codex") + len("codex") == rows[0].index("−1") + len("−1")
        lines = shown(screen.query_one("#compare")).splitlines()
        three = next(line for line in lines if " three" in line and "-three" in line)
        assert three.index(" three") < three.index("-three")
        assert "ranked by: checks passed" in shown(screen.query_one("#race-rule"))
        assert "race r_1  2/3 done" in shown(screen.query_one("#race-head"))


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (80, 24)])
async def test_a_small_terminal_keeps_cards_files_lines_and_keys(
    race: Sample, size: tuple[int, int]
) -> None:
    async with opened(race, size) as pilot:
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R")
        screen = pilot.app.screen
        await until(pilot, lambda: "codex" in shown(screen.query_one("#compare")))
        for name in ("#cards", "#matrix", "#compare", "#keys"):
            region = screen.query_one(name).region
            assert region.height > 0, name
            assert region.bottom <= size[1], name


async def test_a_line_that_is_cut_says_so(race: Sample) -> None:
    race.engine.patches = {
        f"t_r{n}": b"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+"
        + b"call(one, two)" * 9
        + b"\n"
        for n in range(3)
    }
    async with opened(race, (140, 40)) as pilot:
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R")
        pane = pilot.app.screen.query_one("#compare")
        await until(pilot, lambda: "call(" in shown(pane))
        line = next(line for line in shown(pane).splitlines() if "call(" in line)
        assert line.count("…") == 3


async def test_digits_and_clicks_focus_and_a_applies_the_focused_one(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        screen = await enter(pilot)
        await press(pilot, "2", "a")
        assert ("preflight", "t_r1") in race.engine.asked
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        await pilot.click("#cards", offset=(5, 1))
        assert screen.place == 0
        await press(pilot, "R")
        assert shown(screen.query_one("#cards")).index("claude") < shown(
            screen.query_one("#cards")
        ).index("codex")


async def test_hunks_and_files_are_picked_into_one_result(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        screen = await enter(pilot)
        await press(pilot, "p")
        assert "nothing is picked yet" in shown(screen.query_one("#status"))
        await press(pilot, "tab")
        pane = screen.query_one(ComparePane)
        assert pane.has_focus
        at = next(n for n, row in enumerate(shown(pane).splitlines()) if "after twenty" in row)
        pane.move_to(at)
        await press(pilot, "space")
        assert "1 part picked" in shown(screen.query_one("#status"))
        await press(pilot, "2", "tab", "space", "p")
        assert ("pick t_r0:a.py#2 t_r1:a.py#", None) in race.engine.asked
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        assert race.engine.asked[-1] == ("apply", "t_comb")
        assert isinstance(pilot.app.screen, RaceScreen)


async def test_o6_the_line_of_state_names_keys_of_ones_own(race: Sample) -> None:
    keys = parse_keymap("keys.toml", '[race]\ncombine = "c"\n[matrix]\npick = "b"')
    async with opened(race, (140, 40), keys=keys) as pilot:
        screen = await enter(pilot)
        await press(pilot, "c")
        assert "b picks a file" in shown(screen.query_one("#status"))
        await press(pilot, "b")
        assert "1 part picked, c previews" in shown(screen.query_one("#status"))


async def test_a_pick_is_let_go_by_the_same_key(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        screen = await enter(pilot)
        await press(pilot, "space", "tab", "down", "down", "space")
        pane = screen.query_one(ComparePane)
        assert [row[0] for row in shown(pane).splitlines() if "after" in row] == ["✓"]
        await press(pilot, "space", "tab", "space")
        assert "picked" not in shown(screen.query_one("#status"))


async def test_parts_that_collide_are_named(race: Sample) -> None:
    race.engine.collides = (Conflict("a.py", "both changed line 2"),)
    async with opened(race, (140, 40)) as pilot:
        await enter(pilot)
        await press(pilot, "space", "p", "enter")
        assert "both changed line 2" in shown(pilot.app.screen.query_one("#lines Static"))
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, RaceScreen)


async def test_equals_compares_with_the_focused_one_instead_of_the_base(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        await enter(pilot)
        await press(pilot, "equals_sign")
        assert ("diff against t_r0", "t_r1") in race.engine.asked
        await press(pilot, "equals_sign", "down", "down")
        assert race.engine.asked[-1][0] == "diff"


async def test_x_stops_who_still_runs(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        await enter(pilot)
        await press(pilot, "x", "enter")
        assert race.engine.asked[-1] == ("cancel", "t_r2")
        assert told(pilot) == []


@pytest.mark.parametrize("size", [(40, 20), (80, 24), (300, 60)])
async def test_t5_a_race_can_be_drawn_at_any_size(race: Sample, size: tuple[int, int]) -> None:
    async with opened(race, size) as pilot:
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R", "3", "1", "tab", "end", "home")
        screen = pilot.app.screen
        assert max(len(row) for row in shown(screen.query_one("#compare")).splitlines()) <= size[0]
        await press(pilot, "escape")
        await settled(pilot)


def test_the_same_place_stands_at_the_same_height() -> None:
    first, second = parse_patch(FIRST)[0], parse_patch(SECOND)[0]
    rows = aligned([first, second, None])
    shown_rows = [tuple(cell.line.text if cell.line else "" for cell in row.cells) for row in rows]
    assert shown_rows == [
        ("one", "one", "one"),
        ("two", "two", "two"),
        ("TWO", "", ""),
        ("more", "", ""),
        ("three", "three", "three"),
        ("", "THREE", ""),
        (),
        ("twenty", "twenty", "twenty"),
        ("after twenty", "", ""),
        ("last", "last", "last"),
    ]
    assert rows[8].cells[0].hunk == 2
