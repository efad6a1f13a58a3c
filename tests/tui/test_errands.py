"""New delegations, retries, comparing, the palette, and the smaller errands."""

from __future__ import annotations

import shlex
from typing import Any

import click
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from caesar_core.cli.main import cli
from caesar_tui.draft import Draft
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.new_task import NewTaskScreen
from caesar_tui.screens.palette import PaletteScreen
from tests.tui.drive import board, opened, press, settled, shown, status, told, until
from tests.tui.sample import Sample, change


def plan_text(pilot: Pilot[Any]) -> str:
    return shown(pilot.app.screen.query_one("#plan"))


async def fill(pilot: Pilot[Any], field: str, text: str) -> None:
    box = pilot.app.screen.query_one(f"#new-{field}", Input)
    box.focus()
    await press(pilot, *text)


async def test_the_form_says_what_would_come_of_it_and_starts_it(sample: Sample) -> None:
    async with opened(sample, (120, 44)) as pilot:
        await press(pilot, "n", *"mend it")
        await until(pilot, lambda: "policy default" in plan_text(pilot))
        await fill(pilot, "agents", "open")
        await until(pilot, lambda: "it cannot be cut" in plan_text(pilot))
        assert "10m00s" in plan_text(pilot)
        same = shown(pilot.app.screen.query_one("#same"))
        assert "caesar run 'mend it' --agent open --detach" in same
        await press(pilot, "ctrl+s")
        assert ("delegate open mend it", None) in sample.engine.asked
        await until(pilot, lambda: not isinstance(pilot.app.screen, NewTaskScreen))
        assert "started t_7f3a" in status(pilot)
        assert board(pilot).table.chosen == "t_7f3a"


async def test_several_agents_are_a_race(sample: Sample) -> None:
    async with opened(sample, (120, 44)) as pilot:
        await press(pilot, "n", *"go")
        await fill(pilot, "agents", "codex,claude:opus")
        await until(pilot, lambda: "contestant 2" in plan_text(pilot))
        await press(pilot, "ctrl+s")
        assert ("race codex claude:opus go", None) in sample.engine.asked


async def test_a_refusal_is_shown_and_the_draft_stays(sample: Sample) -> None:
    sample.engine.failure = "codex is not installed. [/b]"
    async with opened(sample, (120, 44)) as pilot:
        await press(pilot, "n", *"abc")
        await until(pilot, lambda: "codex is not installed. [/b]" in plan_text(pilot))
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, NewTaskScreen)
        await press(pilot, "escape", "n")
        assert isinstance(pilot.app.screen, NewTaskScreen)
        assert pilot.app.screen.draft.objective == "abc"


async def test_choices_are_turned_and_the_command_is_copied(sample: Sample) -> None:
    async with opened(sample, (120, 44)) as pilot:
        await press(pilot, "n", *"x")
        pilot.app.screen.query_one("#new-mode").focus()
        await press(pilot, "right", "right", "left", "space")
        await pilot.click("#new-channel")
        await press(pilot, "ctrl+o")
        assert pilot.app.clipboard == "caesar run x --mode read-only --channel --detach"


@pytest.mark.parametrize("agents", ["", "codex", "codex, claude:opus"])
def test_the_command_is_one_that_exists(agents: str) -> None:
    values = dict.fromkeys(("constraints", "criteria", "checks"), "a;b")
    draft = Draft(objective="it's", agents=agents, mode="write", network="off", **values)
    words = shlex.split(draft.command)
    assert isinstance(cli, click.Group)
    found = cli.get_command(click.Context(cli), words[1])
    assert found is not None
    if isinstance(found, click.Group):
        return  # a race takes its objective beside its sub-commands
    known = {name for option in found.params for name in option.opts}
    assert {word for word in words if word.startswith("--")} <= known
    assert words[2] == "it's"


async def test_r_hands_the_order_out_again(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        assert sample.engine.asked[0] == ("retry {'depth': 1}", "t_11aa")
        assert sample.engine.asked[1] == ("delegate None again", None)
        assert "started t_7f3a" in status(pilot)


async def test_upper_a_applies_at_once_only_what_needs_no_look(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "A")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "look twice: binary" in shown(pilot.app.screen.query_one("#lines Static"))
        await press(pilot, "escape")
        sample.engine.changes = (change("src/parser.py", "modified", 1, 1),)
        await press(pilot, "A")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        sample.engine.merged = ()
        await press(pilot, "A")
        assert sample.engine.asked[-1] == ("apply", "t_11aa")
        assert "applied 2 files" in status(pilot)


async def test_c_compares_with_another_task(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "c", *"copilot", "enter")
        assert sample.engine.asked[-1] == ("diff against t_4d20", "t_11aa")
        assert "Compared with t_4d20" in shown(board(pilot).pane.diff)


async def test_o_copies_the_command_of_a_task(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "o")
        assert pilot.app.clipboard.startswith("caesar run 'Guard the parser against empty input'")
        assert "copied: caesar run" in status(pilot)


async def test_g_shows_what_it_would_remove_and_enter_does_it(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "g")
        assert "t_old  clean" in shown(pilot.app.screen.query_one("#lines Static"))
        await press(pilot, "enter")
        assert sample.engine.asked == [("collect dry=True", None), ("collect dry=False", None)]
        assert "removed 1 worktree" in status(pilot)
        sample.engine.tidies = False
        await press(pilot, "g")
        assert "Nothing to clean up." in status(pilot)


async def test_the_palette_finds_actions_and_tasks(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "ctrl+p", *"wall", "escape", "ctrl+p", *"opencode", "enter")
        assert board(pilot).table.chosen == "t_88d1"
        await press(pilot, "ctrl+p", *"show the report", "enter")
        assert board(pilot).pane.tab == "report"
        await press(pilot, "colon", "down", "up")
        await pilot.click("#offers", offset=(3, 0))
        await settled(pilot)
        assert len(pilot.app.screen_stack) <= 2


async def test_f7_e_needs_a_terminal_of_its_own(sample: Sample) -> None:
    sample.engine.workspace = sample.root
    async with opened(sample) as pilot:
        await press(pilot, "e")
        assert told(pilot) == ["This needs a terminal of its own."]


async def test_an_empty_project_offers_the_form(empty: Sample) -> None:
    async with opened(empty) as pilot:
        assert "n  " in shown(board(pilot).query_one("#empty"))
        await press(pilot, "n")
        assert isinstance(pilot.app.screen, NewTaskScreen)


async def test_a_palette_in_which_nothing_fits_says_so(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "ctrl+p", *"xyzzy")
        assert "nothing fits" in shown(pilot.app.screen.query_one("#offers"))
        await press(pilot, "enter", "down", "enter")
        assert isinstance(pilot.app.screen, PaletteScreen)
