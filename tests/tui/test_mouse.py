"""Everything that keys do to the list and the pane, done with the mouse."""

from __future__ import annotations

from typing import Any

from textual.events import MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot
from textual.widget import Widget

from caesar_core.protocol.event import Message
from caesar_tui.screens.help import HelpScreen
from caesar_tui.widgets.compare_pane import ComparePane
from caesar_tui.widgets.file_matrix import FileMatrix
from tests.tui.drive import board, opened, place_of, press, settled, shown, until
from tests.tui.sample import Sample


async def wheel(
    pilot: Pilot[Any], widget: Widget, kind: type[MouseScrollDown | MouseScrollUp]
) -> None:
    await pilot._post_mouse_events([kind], widget=widget, offset=(3, 2), times=5)
    await settled(pilot)


async def test_a_click_chooses_a_row_and_a_double_click_opens_it(sample: Sample) -> None:
    async with opened(sample) as pilot:
        table = board(pilot).table
        at = (5, place_of(table, "t_88d1"))
        assert await pilot.click("#table", offset=at)
        assert table.chosen == "t_88d1"
        await settled(pilot)
        assert "Reading the adapters." in shown(board(pilot).pane.stream)
        assert await pilot.click("#table", offset=at, times=2)
        await until(pilot, lambda: board(pilot).pane.stream.has_focus)


async def test_a_click_on_a_heading_or_on_air_chooses_nothing(sample: Sample) -> None:
    async with opened(sample) as pilot:
        table = board(pilot).table
        for y in (0, place_of(table, "Running"), table.size.height - 1):
            await pilot.click("#table", offset=(5, y))
            assert table.chosen == "t_91bc"


async def test_a_click_on_a_tab_switches(sample: Sample) -> None:
    async with opened(sample) as pilot:
        assert await pilot.click("#tab-diff")
        await settled(pilot)
        assert "modified  src/parser.py" in shown(board(pilot).pane.diff)
        assert await pilot.click("#tab-stream")
        assert board(pilot).pane.tab == "stream"


async def test_the_wheel_scrolls_what_is_under_the_pointer(sample: Sample) -> None:
    for number in range(40):
        sample.task(f"t_old{number}", "codex", status="succeeded", ended_at="2026-01-01T00:00:00Z")
    sample.say("t_91bc", *((0, Message(text=f"line {n}")) for n in range(90)))
    async with opened(sample, (120, 24)) as pilot:
        table, stream = board(pilot).table, board(pilot).pane.stream
        await wheel(pilot, table, MouseScrollDown)
        assert table.scroll_offset.y > 0
        assert stream.max_scroll_y == stream.scroll_offset.y
        below = table.scroll_offset.y
        await wheel(pilot, stream, MouseScrollUp)
        assert not stream.following
        assert table.scroll_offset.y == below
        assert table.chosen == "t_91bc"


async def test_the_wheel_scrolls_the_diff(sample: Sample) -> None:
    async with opened(sample, (120, 16)) as pilot:
        await press(pilot, "end", "2")
        diff = board(pilot).pane.diff
        await wheel(pilot, diff, MouseScrollDown)
        assert diff.scroll_offset.y > 0


async def test_a_click_in_a_race_chooses_contestant_file_and_line(race: Sample) -> None:
    async with opened(race, (140, 40)) as pilot:
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R")
        screen = pilot.app.screen
        matrix, pane = screen.query_one(FileMatrix), screen.query_one(ComparePane)
        await until(pilot, lambda: "TWO" in shown(pane))
        assert await pilot.click("#matrix", offset=(3, place_of(matrix, "b.py")))
        assert matrix.path == "b.py"
        assert matrix.has_focus
        assert await pilot.click("#matrix", offset=(3, place_of(matrix, "a.py")))
        await until(pilot, lambda: "TWO" in shown(pane))
        line = place_of(pane, "TWO")
        assert await pilot.click("#compare", offset=(20, line))
        assert pane.has_focus
        assert pane.cursor == line + pane.scroll_offset.y
        assert await pilot.click("#cards", offset=(70, 1))
        assert screen.place == 1  # type: ignore[attr-defined]
        await wheel(pilot, pane, MouseScrollDown)
        assert pane.scroll_offset.y == pane.max_scroll_y


async def test_a_click_on_the_timeline_places_its_cursor(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await press(pilot, "6")
        timeline = board(pilot).pane.timeline
        await until(pilot, lambda: "shell" in shown(timeline))
        line = place_of(timeline, "shell")
        assert await pilot.click("#timeline", offset=(3, line))
        assert timeline.has_focus
        assert timeline.cursor == line


async def test_the_keys_in_the_footer_can_be_clicked(sample: Sample) -> None:
    async with opened(sample) as pilot:
        bar = board(pilot).query_one("#keys")
        assert await pilot.click("#keys", offset=(shown(bar).index("help") + 1, 0))
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))


async def test_a_click_into_the_question_and_on_an_option(sample: Sample) -> None:
    async with opened(sample) as pilot:
        form = board(pilot).pane.form
        assert await pilot.click("#form-line")
        assert form.line.has_focus
        options = board(pilot).query_one("#form-options")
        assert await pilot.click("#form-options", offset=(shown(options).index("no"), 0))
        await until(pilot, lambda: "Enter sends: no" in shown(form.line))
        bar = board(pilot).query_one("#keys")
        assert await pilot.click("#keys", offset=(shown(bar).index("send"), 0))
        await until(pilot, lambda: len(sample.engine.asked) == 1)
        assert sample.engine.asked == [("answer q1 no (caesar watch)", "t_91bc")]
