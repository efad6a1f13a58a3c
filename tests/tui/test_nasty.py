"""What a store does to the dashboard that no agent should: it goes on, and keys go on working."""

from __future__ import annotations

import re
import shutil
from random import Random

import click
import pytest
from rich.cells import cell_len

from caesar_core.cli.main import cli
from caesar_core.protocol.event import Message
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.widgets.task_head import FIRST_COMMANDS
from tests.tui.drive import board, opened, press, shown, status, until
from tests.tui.sample import Sample, ago

FAMILY = "👩\u200d👩\u200d👧 日本語エージェント ❤\ufe0f 🇩🇪 e\u0301\u0301\u0301 ﷽ \u202e"


async def test_t3_wide_and_joined_characters_break_no_border(empty: Sample) -> None:
    empty.task("t_wide", FAMILY, (5, Message(text=FAMILY * 20)), objective=FAMILY * 99, role=FAMILY)
    async with opened(empty) as pilot:
        strips = board(pilot)._compositor.render_strips(board(pilot).size)
        lines = ["".join(segment.text for segment in strip) for strip in strips]
        assert {cell_len(line) for line in lines} == {120}
        borders = {cell_len(line[: line.index("│")]) for line in lines if "│" in line}
        assert len(borders) == 1


async def test_t5_a_storm_of_resizes_loses_neither_choice_nor_keys(sample: Sample) -> None:
    random = Random(5)
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_88d1"
        for _ in range(20):
            await pilot.resize_terminal(random.randint(1, 220), random.randint(1, 60))
            await pilot.press(random.choice(["1", "2", "v", "z", "tab", "enter", "escape"]))
        await pilot.resize_terminal(120, 36)
        await press(pilot, "escape", "escape")
        assert board(pilot).table.chosen == "t_88d1"
        await press(pilot, "down")
        assert board(pilot).table.chosen == "t_a0a0"


async def test_tasks_come_and_go_behind_a_sheet(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "end", "a")
        for number in range(6):
            sample.task(f"t_new{number}", "codex", started=1)
        sample.layout.record("t_4d20").unlink()
        table = board(pilot).table
        await until(pilot, lambda: table.row_count() > 12)
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert table.chosen == "t_11aa"
        sample.layout.record("t_11aa").unlink()
        await until(pilot, lambda: table.chosen != "t_11aa")
        await press(pilot, "enter")
        assert sample.engine.asked[-1] == ("apply", "t_11aa")


async def test_records_and_streams_damaged_while_it_watches_are_counted(sample: Sample) -> None:
    async with opened(sample) as pilot:
        sample.layout.record("t_88d1").write_bytes(b"{not a record")
        await until(pilot, lambda: "1 damaged records" in status(pilot))
        with sample.layout.task("t_91bc").events.open("ab") as file:
            file.write(b"\x00\xff garbage\n[1, 2]\n")
        await until(pilot, lambda: "2 bad lines" in status(pilot))
        assert board(pilot).table.chosen == "t_91bc"


async def test_the_first_task_can_be_chosen_at_once(empty: Sample) -> None:
    async with opened(empty) as pilot:
        table = board(pilot).table
        empty.task("t_a", "codex", started=5)
        empty.task("t_b", "codex", started=3)
        await until(pilot, lambda: "t_a" in shown(table) and "t_b" in shown(table))
        await until(pilot, lambda: table.has_focus)
        for key, task_id in (("home", "t_b"), ("down", "t_a"), ("up", "t_b")):
            await press(pilot, key)
            assert table.chosen == task_id


async def test_git_clean_takes_everything_away_and_it_can_come_back(sample: Sample) -> None:
    async with opened(sample) as pilot:
        screen = board(pilot)
        shutil.rmtree(sample.root / ".caesar")
        await until(pilot, lambda: screen.has_class("-empty"))
        Sample(sample.root).task("t_back", "codex", started=3)
        await until(pilot, lambda: "t_back" in shown(screen.table))
        await until(pilot, lambda: screen.table.has_focus)
        assert screen.table.chosen == "t_back"


async def test_q5_git_clean_under_a_half_typed_answer_takes_no_key_away(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", *"per")
        shutil.rmtree(sample.root / ".caesar")
        await until(pilot, lambda: not board(pilot).board_model.tasks)
        await press(pilot, *"haps", "q")
        assert board(pilot).pane.form.line.value == "perhapsq"
        await pilot.press("escape")
        await until(pilot, lambda: board(pilot).has_class("-empty"))


async def test_f9_an_objective_of_100_kilobytes_is_one_line(empty: Sample) -> None:
    empty.task("t_1", "codex", objective="word " * 20_000)
    async with opened(empty) as pilot:
        assert board(pilot).query_one("#head-objective").region.height == 1
        await press(pilot, "x")
        assert isinstance(pilot.app.screen, ConfirmScreen)


async def test_f5_thousands_of_tasks_are_shown_and_filtered(empty: Sample) -> None:
    for number in range(2_200):
        done = {"status": "succeeded", "ended_at": ago(number)}
        empty.task(f"t_{number:05x}", f"agent-{number % 9}", **done)
    async with opened(empty) as pilot:
        table = board(pilot).table
        await press(pilot, "h", "end")
        assert table.row_count() > 2_000
        await press(pilot, "slash", *"id:t_00007")
        assert "t_00007" in shown(table)
        assert table.row_count() <= 3


@pytest.mark.parametrize("command", [command for command, _ in FIRST_COMMANDS])
def test_the_empty_state_names_only_commands_that_exist(command: str) -> None:
    words = re.findall(r'"[^"]*"|\S+', command)
    assert words[0] == "caesar"
    assert isinstance(cli, click.Group)
    assert cli.get_command(click.Context(cli), words[1]) is not None
