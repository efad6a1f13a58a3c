"""The stream of the chosen task: cursor, whole events, search, kinds, copies."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from caesar_core.protocol.event import Message, Thinking, ToolUse
from caesar_tui.messages import PageRead
from caesar_tui.widgets import folded_pages
from tests.tui.drive import board, footer, opened, press, settled, shown, status, until
from tests.tui.sample import Sample

LONG = "The guard belongs in tokenize(): parse() must not see an empty list. " * 5


async def test_enter_shows_a_whole_event_and_its_line_again(empty: Sample) -> None:
    empty.task(
        "t_1", "codex", (9, Message(text=f"{LONG}\n[/b] \x1b[2J end")), (5, Message(text="x"))
    )
    async with opened(empty) as pilot:
        log = board(pilot).pane.stream
        await press(pilot, "enter", "up", "enter")
        assert "␛[2J end" in shown(log)
        assert log.row_count() > 6
        await press(pilot, "enter")
        assert log.row_count() == 2
        assert await pilot.click("#stream", offset=(20, 0), times=2)
        await settled(pilot)
        assert log.row_count() > 6
        await pilot.resize_terminal(200, 36)
        await settled(pilot)
        assert "␛[2J end" in shown(log)


async def test_a_whole_event_stays_open_while_events_arrive(empty: Sample) -> None:
    empty.task("t_1", "codex", (9, Message(text=LONG)), (5, Message(text="x")))
    async with opened(empty) as pilot:
        log = board(pilot).pane.stream
        await press(pilot, "enter", "home", "enter")
        before = shown(log).splitlines()[:4]
        empty.say("t_1", *((0, Message(text=f"line {n}")) for n in range(40)))
        await until(pilot, lambda: "40 new" in shown(board(pilot).query_one("#head-follow")))
        assert shown(log).splitlines()[:4] == before
        assert log.cursor == 0


async def test_thinking_is_folded_into_one_line(empty: Sample) -> None:
    thoughts = [(9.0, Thinking(text=f"thought {n}")) for n in range(3)]
    empty.task("t_1", "codex", *thoughts, (5, Message(text="said")))
    async with opened(empty) as pilot:
        log = board(pilot).pane.stream
        assert log.row_count() == 2
        assert "thought 0 (+2)" in shown(log)
        await press(pilot, "enter", "home", "enter")
        assert "thought 2" in shown(log)


async def test_a_search_marks_and_goes_from_match_to_match(empty: Sample) -> None:
    lines = [(9.0, Message(text=f"line {n} {'needle' if n % 10 == 0 else ''}")) for n in range(100)]
    empty.task("t_1", "codex", *lines)
    async with opened(empty) as pilot:
        log = board(pilot).pane.stream
        await press(pilot, "enter", "slash", *"NEEDLE")
        assert footer(pilot) == "Enter find  Esc leave"
        await press(pilot, "enter")
        assert log.cursor == 90
        await press(pilot, "N", "N")
        assert log.cursor == 70
        await press(pilot, "n")
        assert log.cursor == 80
        assert "/needle" in shown(board(pilot).query_one("#head-follow"))
        await press(pilot, "escape")
        assert "/needle" not in shown(board(pilot).query_one("#head-follow"))
        assert log.has_focus
        await press(pilot, "slash", "x", "escape")
        assert log.needle == ""


async def test_a_search_reads_further_back(empty: Sample) -> None:
    texts = ["the first", *(f"line {n} {'x' * 200}" for n in range(3_000))]
    empty.task("t_1", "codex", *((9, Message(text=text)) for text in texts))
    async with opened(empty) as pilot:
        log = board(pilot).pane.stream
        await press(pilot, "enter", "slash", *"the first", "enter", "N")
        await until(pilot, lambda: "the first" in shown(log))
        assert log.cursor == 0


async def test_t_shows_one_kind_after_the_other(sample: Sample) -> None:
    async with opened(sample) as pilot:
        log = board(pilot).pane.stream
        board(pilot).table.chosen = "t_7f3a"
        await settled(pilot)
        everything = shown(log)
        await press(pilot, "enter", "t")
        await until(pilot, lambda: "pnpm test" not in shown(log))
        assert "The guard" in shown(log)
        await press(pilot, "t")
        first = "21:03:32 ✓ shell"
        await until(pilot, lambda: shown(log).splitlines()[0].strip().startswith(first))
        assert "only tools" in shown(board(pilot).query_one("#head-follow"))
        await press(pilot, "t", "t", "t")
        await until(pilot, lambda: shown(log).rstrip() == everything.rstrip())


async def test_t7_y_copies_the_whole_event(empty: Sample) -> None:
    empty.task("t_1", "codex", (9, Message(text=f"{LONG}\x1b]52;c;x\x07")))
    async with opened(empty) as pilot:
        await press(pilot, "enter", "y")
        assert pilot.app.clipboard == f"{LONG}␛]52;c;x␇"
        assert "copied" in status(pilot)


async def test_calls_without_an_id_are_paired_by_what_they_say(empty: Sample) -> None:
    calls = [
        (9.0, ToolUse(tool="shell", input_summary="make a", status="started")),
        (8.0, ToolUse(tool="shell", input_summary="make b", status="started")),
        (6.0, ToolUse(tool="shell", input_summary="make b", status="failed")),
        (5.0, ToolUse(tool="shell", status="succeeded")),
        (4.0, ToolUse(tool="other", status="succeeded")),
    ]
    empty.task("t_1", "codex", *calls)
    async with opened(empty) as pilot:
        rows = [row.split() for row in shown(board(pilot).pane.stream).splitlines() if row]
        assert [row[1:] for row in rows] == [
            ["✓", "shell", "make", "a", "4.0s"],
            ["✗", "shell", "make", "b", "2.0s"],
            ["✓", "other"],
        ]


async def test_f10_a_search_over_many_rows_lets_keys_come_between(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest stretch without a pause is counted in rows, not in time."""
    monkeypatch.setattr(folded_pages, "ROWS_AT_ONCE", 50)
    count = 400
    said = [(100 - n / count, Message(text=f"row {n}")) for n in range(count)]
    sample.task("t_long", "codex", (101, Message(text="the needle")), *said)
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_long"
        await press(pilot, "enter")
        stream = board(pilot).pane.stream
        await until(pilot, lambda: stream.row_total() == count + 1)
        looked, longest, real = [0], [0], stream.row_text

        def read(row: int) -> str:
            looked[0] += 1
            longest[0] = max(longest[0], looked[0])
            return real(row)

        async def pause(_: float) -> None:
            looked[0] = 0
            await asyncio.sleep(0.001)

        monkeypatch.setattr(stream, "row_text", read)
        monkeypatch.setattr(folded_pages, "asyncio", SimpleNamespace(sleep=pause))
        stream.search("needle", jump=True)
        await until(pilot, lambda: stream.cursor == 0)
        assert 50 <= longest[0] <= 50 + 2 * stream.size.height


async def test_a_search_goes_on_when_what_lies_before_comes_in_the_middle_of_it(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folded_pages, "ROWS_AT_ONCE", 50)
    texts = ["the needle", *(f"line {n} {'x' * 200}" for n in range(3_000))]
    empty.task("t_1", "codex", *((9, Message(text=text)) for text in texts))
    data = empty.layout.task("t_1").events.read_bytes()
    async with opened(empty) as pilot:
        stream = board(pilot).pane.stream
        start = stream.window.start
        assert start

        async def pause(_: float) -> None:
            if stream.window.start == start:
                stream.take(PageRead("t_1", "before", 0, data[:start], len(data), "stream"))
            await asyncio.sleep(0)

        monkeypatch.setattr(folded_pages, "asyncio", SimpleNamespace(sleep=pause))
        stream.search("needle", jump=True)
        await until(pilot, lambda: "the needle" in shown(stream))
        assert stream.cursor == 0
