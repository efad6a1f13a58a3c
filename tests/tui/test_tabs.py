"""Diff, report, order, raw log and timeline of the chosen task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from caesar_core.protocol import event as ev
from caesar_core.store.record_store import RecordStore
from tests.tui.drive import board, opened, place_of, press, settled, shown, until
from tests.tui.sample import SHOWN, Sample

BIG = (
    b"diff --git a/uv.lock b/uv.lock\n--- a/uv.lock\n+++ b/uv.lock\n@@ -0,0 +1,6000 @@\n"
    + b"".join(b"+line %d\n" % n for n in range(6_000))
)


def open_tab(pilot: Pilot[Any], task_id: str) -> Any:
    board(pilot).table.chosen = task_id
    return board(pilot).pane


async def test_the_list_of_files_shows_flags_and_leads_to_the_lines(sample: Sample) -> None:
    async with opened(sample, (120, 24)) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "2")
        rows = shown(pane.changes.files).splitlines()
        assert rows[0].split() == ["M", "src/parser.py", "+6", "−3"]
        assert rows[2].split() == ["M", "logo.png", "binary"]
        pane.changes.files.focus()
        await press(pilot, "down")
        assert pane.diff.place == "created  tests/test_parser.py  +2 −0"
        await press(pilot, "down", "enter")
        assert pane.diff.place == "modified  logo.png"
        assert pane.diff.has_focus
        assert await pilot.click("#files", offset=(4, 0))
        await settled(pilot)
        assert pane.diff.place == "modified  src/parser.py  +6 −3"


async def test_a_big_file_is_folded_and_a_small_one_can_be(sample: Sample) -> None:
    sample.engine.patch += BIG
    async with opened(sample, (120, 40)) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "2", "enter", "end")
        assert "6000 changed lines, folded" in shown(pane.diff)
        await press(pilot, "enter")
        assert pane.diff.row_count() > 6_000
        await press(pilot, "enter", "home", "enter")
        assert "9 changed lines, folded" in shown(pane.diff)
        assert pane.diff.row_count() < 20


async def test_w_breaks_long_lines_and_i_ignores_white_space(sample: Sample) -> None:
    line = b"x = '" + b"wide " * 60 + b"end'"
    sample.engine.patch = sample.engine.patch.replace(b"import sys", line)
    async with opened(sample, (120, 40)) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "2", "w")
        assert "wide end'" in shown(pane.diff).replace("\n", "")
        rows = pane.diff.row_count()
        await press(pilot, "v", "v", "w")
        assert pane.diff.row_count() < rows
        assert "wide end'" not in shown(pane.diff)
        await press(pilot, "i")
        assert "White space is ignored." in shown(pane.diff)
        await press(pilot, "i")
        assert "White space is ignored." not in shown(pane.diff)


async def test_the_report_says_where_it_came_from_and_what_was_seen(sample: Sample) -> None:
    async with opened(sample, (140, 60)) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "3")
        text = shown(pane.report)
        for said in (
            "partial",
            "written by the agent",
            "Two of three callers are moved.",
            "What is left",
            "· main() still splits by hand",
            "high     No test for tabs",
            "low      An unused import  src/a.py:3",
            "seen     pnpm test  (exit 0)",
            "not seen pnpm lint  (exit 0)",
            "src/parser.py  (not declared)  the guard",
            "src/b.py  (declared, not seen in git)",
            "passed   make test",
            "Move the third caller",
            "bench.txt  timings",
            "input tokens  90000",
        ):
            assert said in text
        assert text.index("high ") < text.index("low ")


async def test_the_order_shows_brief_rules_and_limits(sample: Sample) -> None:
    async with opened(sample, (140, 50)) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "4")
        text = shown(pane.order)
        for said in (
            "Guard the parser",
            "No new dependency",
            "pnpm test passes",
            "10m00s",
            "wt/t_11aa",
        ):
            assert said in text


async def test_a_task_that_ends_while_its_report_is_looked_at_is_read_again(sample: Sample) -> None:
    sample.engine.shown = {"status": "running"}
    async with opened(sample) as pilot:
        pane = open_tab(pilot, "t_7f3a")
        await press(pilot, "3")
        assert "No report yet" in shown(pane.report)
        sample.engine.shown = SHOWN
        RecordStore(sample.layout).update("t_7f3a", status="succeeded", report_status="partial")
        await until(pilot, lambda: "Two of three callers" in shown(pane.report))


async def test_a_report_that_cannot_be_read_says_why(sample: Sample) -> None:
    sample.engine.failure = "No such task [/b]."
    async with opened(sample) as pilot:
        pane = open_tab(pilot, "t_11aa")
        await press(pilot, "3")
        assert "No such task [/b]." in shown(pane.report)


async def test_the_raw_log_is_followed_and_made_visible(sample: Sample) -> None:
    raw = sample.layout.task("t_7f3a").raw_log
    raw.write_bytes(b"".join(b"line %d\n" % n for n in range(60_000)) + b"\x1b[31mred\xff half")
    async with opened(sample) as pilot:
        pane = open_tab(pilot, "t_7f3a")
        await press(pilot, "5")
        assert "␛[31mred� half" in shown(pane.raw)
        with raw.open("ab") as file:
            file.write(b" whole\nlast line\n")
        sample.say("t_7f3a", (0, ev.Message(text="more")))
        await until(pilot, lambda: "last line" in shown(pane.raw))
        assert "half whole" in shown(pane.raw)
        held = pane.raw.row_count()
        await press(pilot, "enter", "home")
        await until(pilot, lambda: pane.raw.row_count() > held)
        await press(pilot, "slash", *"line 52001", "enter")
        await until(pilot, lambda: "line 52001" in shown(pane.raw))


async def test_the_timeline_shows_bars_and_replays_a_moment(sample: Sample) -> None:
    async with opened(sample, (140, 30)) as pilot:
        pane = open_tab(pilot, "t_7f3a")
        await press(pilot, "6")
        pane.timeline.tick(sample.clock.now())
        await until(pilot, lambda: "pnpm test" in shown(pane.timeline))
        text = shown(pane.timeline)
        assert "╵0s" in text
        assert "━" in text.splitlines()[place_of(pane.timeline, "pnpm test")]
        await press(pilot, "enter", "left", "shift+left")
        assert "running: nothing" in shown(pane.timeline) or "said" in shown(pane.timeline)
        pane.timeline.move_to(place_of(pane.timeline, 'rg "empty input"'))
        await press(pilot, "enter")
        assert 'running: shell rg "empty input"' in shown(pane.timeline)
        assert pane.timeline.moment is not None
        await press(pilot, "right", "escape")
        assert pane.timeline.moment is None
        assert pane.timeline.has_focus


async def test_the_contestants_of_a_race_share_one_axis(sample: Sample) -> None:
    for name, ago in (("t_r1", 100.0), ("t_r2", 60.0)):
        tool = ev.ToolUse(tool="shell", id="c", input_summary="make", status="started")
        sample.task(name, "codex", (ago, tool), race_id="r_1", started=100)
    async with opened(sample, (140, 30)) as pilot:
        pane = open_tab(pilot, "t_r1")
        await press(pilot, "6")
        pane.timeline.tick(sample.clock.now())
        await until(pilot, lambda: shown(pane.timeline).count("━") > 20)
        first, second = (
            next(row for row in shown(pane.timeline).splitlines() if name in row)
            for name in ("t_r1", "t_r2")
        )
        assert first.index("━") < second.index("━")


def sizes() -> Iterator[tuple[int, int]]:
    yield from ((20, 5), (40, 20), (80, 24), (200, 60))


@pytest.mark.parametrize("size", sizes())
async def test_t5_every_tab_can_be_drawn_at_any_size(sample: Sample, size: tuple[int, int]) -> None:
    async with opened(sample, size) as pilot:
        open_tab(pilot, "t_7f3a")
        for key in "123456":
            await press(pilot, key)
            widths = {len(row) for row in shown(board(pilot).pane.head).splitlines()}
            assert max(widths, default=0) <= size[0]
        assert board(pilot).pane.tab == "timeline"
