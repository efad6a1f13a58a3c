"""Where things stand, and that nothing covers anything at any width."""

from __future__ import annotations

import re

import pytest
from textual.pilot import Pilot

from caesar_core.board.glyphs import UNICODE
from caesar_core.board.order import arrange
from caesar_core.protocol.event import Message, ToolUse
from caesar_tui.keymap import keys_of
from caesar_tui.render.columns import columns
from caesar_tui.widgets.task_head import Tab
from tests.tui.drive import board, footer, opened, press, settled, shown, until
from tests.tui.sample import Sample
from tests.unit.board.build import now, running


def header(pilot: Pilot[int]) -> str:
    return shown(board(pilot).query_one("#header"))


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 20), (120, 30)])
async def test_t5_the_scrollbar_covers_no_cell(sample: Sample, size: tuple[int, int]) -> None:
    call = ToolUse(tool="shell", id="c9", input_summary="x" * 300, status="started")
    done = ToolUse(tool="shell", id="c9", status="succeeded")
    texts = (Message(text="y" * 300) for _ in range(60))
    sample.say("t_91bc", *((0, text) for text in texts), (5.1, call), (0, done))
    async with opened(sample, size) as pilot:
        stream = board(pilot).pane.stream
        assert stream.show_vertical_scrollbar
        assert stream.vertical_scrollbar.region.x == stream.region.x + stream.row_width
        rows = shown(stream).splitlines()
        assert rows[-1].endswith("… 5.1s")
        assert rows[-2].endswith("y…")


@pytest.mark.parametrize("width", [40, 46, 60, 80])
async def test_t5_a_hint_is_never_broken(sample: Sample, width: int) -> None:
    async with opened(sample, (width, 20)) as pilot:
        await press(pilot, "2")
        lines = footer(pilot).splitlines()
        hints = {hint for line in lines for hint in re.split(r"  +", line.strip())}
        assert len(lines) <= 2
        assert hints <= {f"{key.shown} {key.label}" for key in keys_of("board")}
        assert hints >= {"? help", "q quit"}


@pytest.mark.parametrize("width", [20, 26, 30])
async def test_t5_help_and_quit_stay_however_narrow_it_is(sample: Sample, width: int) -> None:
    async with opened(sample, (width, 20)) as pilot:
        assert "? help" in footer(pilot)
        assert "q quit" in footer(pilot)


async def test_only_hints_that_apply_are_shown(sample: Sample) -> None:
    nothing = {"status": "succeeded", "ended_at": "2026-01-01T00:00:00Z"}
    sample.task("t_none", "codex", stat={"files": 0, "insertions": 0, "deletions": 0}, **nothing)
    async with opened(sample) as pilot:
        for task_id, expected in (("t_7f3a", "x"), ("t_11aa", "a"), ("t_none", "")):
            board(pilot).table.chosen = task_id
            await settled(pilot)
            keys = {hint[0] for hint in re.split(r"  +", footer(pilot).strip())}
            assert keys & {"a", "x"} == set(expected)


async def test_undo_is_offered_when_something_was_applied(empty: Sample) -> None:
    empty.task("t_1", "codex")
    async with opened(empty) as pilot:
        assert "undo" not in footer(pilot)
        await press(pilot, "u")
        assert empty.engine.asked == [("undo_preview", None)]


async def test_who_waits_for_a_slot_does_not_count_as_running(sample: Sample) -> None:
    async with opened(sample) as pilot:
        assert "2 need you  ·  2 running  ·  1 waiting for a slot (3/4)  ·  2 done" in header(pilot)
        assert header(pilot).endswith("21:04")
        assert len(header(pilot)) == board(pilot).query_one("#header").size.width


async def test_there_is_air_above_the_groups_where_there_is_room(sample: Sample) -> None:
    async with opened(sample, (120, 30)) as pilot:
        rows = [row.strip() for row in shown(board(pilot).table).splitlines()]
        assert [rows[rows.index(f"{title}") - 1] for title in ("Needs you 2", "Finished 2")] == [
            "",
            "",
        ]
        await pilot.resize_terminal(120, 14)
        await settled(pilot)
        assert shown(board(pilot).table).splitlines()[0].strip() == "Needs you 2"


async def test_the_objective_stands_above_the_tabs(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        rows = [row.strip() for row in shown_of(pilot, "#head-objective", "#head-tabs")]
        assert rows == ["Guard the parser against empty input"]


def shown_of(pilot: Pilot[int], upper: str, lower: str) -> list[str]:
    """Return the upper widget's text; it has to end above the lower one."""
    above, below = board(pilot).query_one(upper), board(pilot).query_one(lower)
    assert above.region.bottom <= below.region.y
    return shown(above).splitlines()


@pytest.mark.parametrize(("width", "agent"), [(38, 9), (47, 11), (53, 12), (80, 12), (140, 12)])
def test_an_agent_gets_what_its_name_needs(width: int, agent: int) -> None:
    rows = arrange([running(agent="demo-careful"), running(id="t_2", agent="shell")], now(50))
    assert columns(rows, width, UNICODE).agent == agent


async def test_size_and_time_of_ended_tasks_are_shown_at_120_columns(sample: Sample) -> None:
    async with opened(sample, (120, 36)) as pilot:
        row = next(r for r in shown(board(pilot).table).splitlines() if "t_11aa" in r)
        assert row.strip().startswith("3m ✓")
        assert row.endswith("+3 −1")


@pytest.mark.parametrize("width", [120, 160])
async def test_all_tabs_show_their_titles_where_there_is_room(sample: Sample, width: int) -> None:
    titles = ["1 Stream", "2 Diff", "3 Report", "4 Task", "5 Raw", "6 Timeline"]
    async with opened(sample, (width, 30)) as pilot:
        tabs = board(pilot).query(Tab)
        assert [shown(tab).strip() for tab in tabs] == titles
        follow = board(pilot).query_one("#head-follow")
        assert shown(follow).strip().startswith("▼")
        assert tabs.last().region.right <= follow.region.x


async def test_z_gives_the_pane_the_screen_and_the_list_its_place_back(sample: Sample) -> None:
    async with opened(sample, (140, 30)) as pilot:
        await press(pilot, "2", "z")
        pane = board(pilot).pane
        assert not board(pilot).table.display
        assert pane.size.width >= 138
        assert pane.diff.has_focus
        await press(pilot, "tab")
        assert pane.form.line.has_focus
        await press(pilot, "tab", "z")
        assert board(pilot).table.display
        await press(pilot, "z", "escape")
        assert board(pilot).table.display
        assert board(pilot).table.has_focus


async def test_new_rows_are_never_wider_than_the_list(sample: Sample) -> None:
    async with opened(sample, (100, 24)) as pilot:
        for number in range(30):
            sample.task(f"t_new{number}", "an-agent-with-a-long-name", started=3)
        table = board(pilot).table
        await until(pilot, lambda: table.row_count() > 30)
        assert max(len(row) for row in shown(table).splitlines()) <= table.row_width


async def test_the_titles_of_the_tabs_come_back_with_the_room_for_them(sample: Sample) -> None:
    async with opened(sample, (40, 20)) as pilot:
        head = board(pilot).pane.head
        assert "2 Diff" not in shown(head.query_one("#tab-diff"))
        await pilot.resize_terminal(140, 30)
        await until(pilot, lambda: "2 Diff" in shown(head.query_one("#tab-diff")))
        await pilot.resize_terminal(40, 20)
        await until(pilot, lambda: shown(head.query_one("#tab-diff")).strip() == "2")
