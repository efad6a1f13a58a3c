"""What a person has under the hands stays, however much happens on the screen."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from textual.geometry import Region
from textual.widget import Widget

from caesar_core.protocol.event import Message
from tests.tui.drive import board, opened, press, settled, shown, until
from tests.tui.sample import Sample


async def test_q5_f3_draft_choice_and_focus_survive_a_thousand_events_and_resizes(
    sample: Sample,
) -> None:
    random = Random(7)
    text = "keep the old behaviour, please"
    async with opened(sample) as pilot:
        await press(pilot, "tab")
        for number, letter in enumerate(text):
            for task_id in ("t_7f3a", "t_88d1", "t_91bc"):
                said = [(0.0, Message(text=f"event {number}.{n}")) for n in range(12)]
                sample.say(task_id, *said)
            if number % 10 == 5:
                sample.task(f"t_more{number}", "codex", started=1)
                await pilot.resize_terminal(random.randint(60, 200), random.randint(16, 60))
            await pilot.press({" ": "space", ",": "comma"}.get(letter, letter))
        form = board(pilot).pane.form
        assert form.line.value == text
        assert form.line.has_focus
        await until(pilot, lambda: "event 29.11" in shown(board(pilot).pane.stream))
        assert board(pilot).table.chosen == "t_91bc"
        await press(pilot, "enter")
        assert sample.engine.asked == [(f"answer q1 {text} (caesar watch)", "t_91bc")]


async def test_what_is_read_stays_in_place_while_thousands_of_events_arrive(
    sample: Sample,
) -> None:
    sample.say("t_7f3a", *((0, Message(text=f"early {n}")) for n in range(300)))
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        await press(pilot, "enter", "pageup", "pageup")
        log = board(pilot).pane.stream
        before = (shown(log), log.cursor)
        for number in range(25):
            sample.say("t_7f3a", *((0, Message(text=f"late {number}.{n}")) for n in range(1_000)))
            await pilot.pause(0.02)
        await until(pilot, lambda: log.unseen > 10_000)
        assert (shown(log), log.cursor) == before
        await press(pilot, "f")
        await until(pilot, lambda: "late 24.999" in shown(log))
        assert len(log.window) <= 20_000


async def test_f10_the_engine_is_asked_off_the_screens_thread_only(race: Sample) -> None:
    """The fake engine refuses the main thread; every tab and screen that asks it is opened."""
    async with opened(race) as pilot:
        await press(pilot, "end", *"23a", "escape", "A", "escape", "g", "escape", "c", "escape")
        await press(pilot, "o", "u", "escape", "n", "x", "escape")
        board(pilot).table.chosen = "t_r0"
        await press(pilot, "R", "space", "p", "escape", "escape", "r", "escape")
        asked = {what.partition(" ")[0] for what, _ in race.engine.asked}
    assert asked >= {"diff", "show", "preflight", "collect", "plan", "compare", "pick"}


async def test_a_stream_that_grows_moves_its_bar_and_lays_nothing_out(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.say("t_7f3a", *((0.0, Message(text=f"line {n}")) for n in range(90)))
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        stream = board(pilot).pane.stream
        await until(pilot, lambda: "line 89" in shown(stream))
        await settled(pilot)
        laid_out: list[object] = []
        refresh = stream.refresh

        def listen(*regions: Region, layout: bool = False, **options: Any) -> Widget:
            if layout:
                laid_out.append(stream)
            return refresh(*regions, layout=layout, **options)

        monkeypatch.setattr(stream, "refresh", listen)
        bar = stream.vertical_scrollbar.window_virtual_size
        sample.say("t_7f3a", *((0.0, Message(text=f"more {n}")) for n in range(30)))
        await until(pilot, lambda: "more 29" in shown(stream))
        assert laid_out == []
        assert stream.vertical_scrollbar.window_virtual_size == bar + 30
