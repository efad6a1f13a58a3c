"""The wheel over each thing that scrolls, double clicks, and links that are only text."""

from __future__ import annotations

import webbrowser

import pytest
from textual.events import MouseScrollDown, MouseScrollUp
from textual.widget import Widget

from caesar_core.protocol.event import Message
from caesar_tui.screens.inbox import InboxScreen, QuestionList
from caesar_tui.widgets.file_matrix import FileMatrix
from caesar_tui.widgets.wall import Wall
from tests.tui.drive import board, opened, place_of, press, settled, shown, until
from tests.tui.sample import SHOWN, Sample
from tests.tui.test_mouse import wheel

LINKS = (
    "[press me](file:///etc/passwd) <https://example.org/a> https://example.org/b",
    "[@click=app.quit]leave[/] [@click='screen.apply']apply[/]",
    "[link=https://example.org/c]a link[/link] ![image](https://example.org/d.png)",
)


async def test_the_wheel_scrolls_every_tab(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "\n".join(f"- point {n}" for n in range(90))
    monkeypatch.setitem(SHOWN["report"], "details", long)
    files = sample.layout.task("t_11aa")
    files.raw_log.write_text("a line\n" * 200, encoding="utf-8")
    sample.say("t_11aa", *((n, Message(text=f"line {n}")) for n in range(90)))
    async with opened(sample, (120, 14)) as pilot:
        board(pilot).table.chosen = "t_11aa"
        pane = board(pilot).pane
        views: dict[str, Widget] = {
            "3": pane.report,
            "4": pane.order,
            "5": pane.raw,
            "6": pane.timeline,
        }
        for key, view in views.items():
            await press(pilot, key)
            await until(pilot, lambda view=view: view.max_scroll_y > 0)  # type: ignore[misc]
            view.scroll_home(animate=False)
            await wheel(pilot, view, MouseScrollDown)
            below = view.scroll_offset.y
            assert below > 0, key
            await wheel(pilot, view, MouseScrollUp)
            assert view.scroll_offset.y < below, key


async def test_the_wheel_scrolls_the_help(sample: Sample) -> None:
    async with opened(sample, (100, 24)) as pilot:
        await press(pilot, "question_mark")
        sheet = pilot.app.screen.query_one("#sheet")
        await wheel(pilot, sheet, MouseScrollDown)
        assert sheet.scroll_offset.y > 0


async def test_the_wheel_scrolls_the_files_of_a_race(race: Sample) -> None:
    cells = race.engine.matrix["a.py"]
    race.engine.matrix |= {f"file{n:02}.py": cells for n in range(60)}
    async with opened(race, (120, 24)) as pilot:
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R")
        matrix = pilot.app.screen.query_one(FileMatrix)
        await until(pilot, lambda: "a.py" in shown(matrix))
        await wheel(pilot, matrix, MouseScrollDown)
        assert matrix.scroll_offset.y > 0
        assert matrix.path == "a.py"


async def test_the_wheel_turns_the_pages_of_the_wall_and_stops_at_their_ends(
    sample: Sample,
) -> None:
    for number in range(15):
        sample.task(f"t_w{number:02}", "codex", started=5)
    async with opened(sample, (120, 30)) as pilot:
        await press(pilot, "W")
        tiles = pilot.app.screen.query_one(Wall)
        await until(pilot, lambda: tiles.grid.pages > 1)
        await wheel(pilot, tiles, MouseScrollDown)
        assert tiles.page == tiles.grid.pages - 1
        await wheel(pilot, tiles, MouseScrollUp)
        assert tiles.page == 0


async def test_a_double_click_goes_to_a_question(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await press(pilot, "Q")
        questions = pilot.app.screen.query_one(QuestionList)
        await until(pilot, lambda: questions.chosen is not None)
        assert await pilot.click("#questions", offset=(5, 0))
        assert isinstance(pilot.app.screen, InboxScreen)
        assert await pilot.click("#questions", offset=(5, 0), times=2)
        await until(pilot, lambda: board(pilot).pane.form.line.has_focus)
        assert board(pilot).table.chosen == "t_91bc"


async def test_x7_links_in_a_text_do_nothing(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address, *_, **__: went.append(address))
    monkeypatch.setitem(SHOWN["report"], "details", "\n".join(LINKS))
    sample.say("t_11aa", *((n, Message(text=text)) for n, text in enumerate(LINKS)))
    async with opened(sample, (160, 50)) as pilot:
        board(pilot).table.chosen = "t_11aa"
        for key, view in (("3", board(pilot).pane.report), ("1", board(pilot).pane.stream)):
            await press(pilot, key)
            for text in LINKS:
                line = place_of(view, text[:40])
                strip = view.render_line(line)
                styles = [part.style for part in strip if part.style]
                assert not any(style.link or "@click" in style.meta for style in styles)
                at = shown(view).splitlines()[line].index(text[:40])
                for x in range(at + 1, at + 70, 8):
                    assert await pilot.click(f"#{view.id}", offset=(x, line))
        await settled(pilot)
        assert pilot.app.is_running
        assert went == []
        assert {what for what, _ in sample.engine.asked} <= {"show"}
