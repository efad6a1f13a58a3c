"""Work that takes long: it is said, and given up where it only looks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from caesar_core.board.glyphs import ASCII
from caesar_tui.busy import PATIENCE, Busy, work_of
from caesar_tui.messages import ApplyWanted, DiffWanted, PageWanted, Plan
from tests.tui.drive import board, opened, press, shown, status, until
from tests.tui.sample import Sample


def plan(action: str) -> Plan:
    return Plan(action, "t_1", "title", ready=True)  # type: ignore[arg-type]


def test_nothing_is_said_of_what_is_quick_and_of_what_nobody_waits_for() -> None:
    busy: Busy[str] = Busy()
    busy.begin("a", work_of(DiffWanted("t_1")), 10.0)
    assert busy.line(10.0 + PATIENCE / 2) == ""
    busy.end("a")
    assert busy.is_idle
    busy.begin("b", work_of(PageWanted("t_1", "end")), 10.0)
    assert busy.is_idle


def test_a_mark_turns_and_the_oldest_work_is_named_with_its_age() -> None:
    busy: Busy[str] = Busy()
    busy.begin("a", work_of(ApplyWanted("t_1")), 10.0)
    busy.begin("b", work_of(DiffWanted("t_1")), 11.0)
    first, second = busy.line(14.2), busy.line(14.3)
    assert first[0] != second[0]
    assert first[1:] == " looking what applying would do and 1 more 4s, Esc gives up"
    busy.end("a")
    assert "reading the changes 3s" in busy.line(14.2)


def test_what_was_not_told_yet_cannot_be_given_up() -> None:
    busy: Busy[str] = Busy()
    busy.begin("a", work_of(plan("apply")), 0.0)
    busy.begin("b", work_of(DiffWanted("t_1")), 2.0)
    assert busy.stoppable(2.1) == []
    assert "cannot be stopped" in busy.line(2.1)
    assert busy.stoppable(3.0) == ["b"]


@pytest.mark.parametrize("action", ["apply", "undo", "gc", "cancel", "retry"])
def test_what_changes_something_cannot_be_given_up(action: str) -> None:
    busy: Busy[str] = Busy(ASCII)
    busy.begin("a", work_of(plan(action)), 0.0)
    assert busy.stoppable(2.0) == []
    assert busy.line(2.0).isascii()
    assert busy.line(2.0).endswith("this cannot be stopped half done")


@pytest.fixture
def held(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the engine's reading and applying wait until the event is set."""
    gate = threading.Event()
    for name in ("diff", "show", "apply", "compare"):
        real = getattr(sample.engine, name)

        def wait(*args: Any, real: Any = real, **options: Any) -> Any:
            assert gate.wait(20)
            return real(*args, **options)

        monkeypatch.setattr(sample.engine, name, wait)
    yield gate
    gate.set()


@pytest.mark.parametrize(
    ("key", "tab", "text"), [("2", "diff", "parser.py"), ("3", "report", "callers")]
)
async def test_f10_what_takes_long_to_read_is_given_up_and_asked_for_again(
    sample: Sample, held: threading.Event, key: str, tab: str, text: str
) -> None:
    async with opened(sample) as pilot:
        page = board(pilot).query_one(f"#{tab}")
        await pilot.press("end", key)
        await until(pilot, lambda: "reading the" in status(pilot))
        await pilot.press("k", "end")
        await until(pilot, lambda: "Esc gives up" in status(pilot))

        await pilot.press("escape")

        await until(pilot, lambda: "Reading was given up" in shown(page))
        assert "given up" in status(pilot)
        held.set()
        await press(pilot)
        assert text not in shown(page)
        await press(pilot, key)
        await until(pilot, lambda: text in shown(page))


async def test_giving_up_one_thing_leaves_what_was_read_before(
    sample: Sample, held: threading.Event
) -> None:
    """A diff without a file is as read as any other."""
    sample.engine.patch = b""
    held.set()
    async with opened(sample) as pilot:
        await press(pilot, "end", "2")
        before = shown(board(pilot).pane.diff)
        held.clear()
        await pilot.press("3")
        await until(pilot, lambda: "Esc gives up" in status(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "given up" in shown(board(pilot).pane.report))
        await pilot.press("2")
        assert shown(board(pilot).pane.diff) == before


async def test_what_was_begun_below_a_race_is_not_told_for_ever(
    race: Sample, held: threading.Event
) -> None:
    async with opened(race) as pilot:
        await pilot.press("end", "2")
        await until(pilot, lambda: "Esc gives up" in status(pilot))
        board(pilot).table.chosen = "t_r0"
        await pilot.press("R")
        screen = pilot.app.screen
        said = screen.query_one("#status")
        await until(pilot, lambda: "and 2 more" in shown(said))  # two diffs and the comparison
        await pilot.press("escape")
        await until(pilot, lambda: "given up" in shown(said))
        assert pilot.app.screen is screen
        await until(pilot, lambda: "Esc gives up" not in shown(said))
        held.set()
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is board(pilot))
        await press(pilot, "z", "escape")
        assert "Esc gives up" not in status(pilot)
        assert not board(pilot).is_zoomed


async def test_an_apply_that_takes_long_says_so_and_the_keys_go_on(
    sample: Sample, held: threading.Event
) -> None:
    held.set()
    async with opened(sample) as pilot:
        await press(pilot, "end", "a")
        held.clear()
        await pilot.press("enter")
        await until(pilot, lambda: "applying" in status(pilot))
        assert "cannot be stopped" in status(pilot)
        chosen = board(pilot).table.chosen
        await pilot.press("escape", "k")
        assert board(pilot).table.chosen != chosen
        assert "applying" in status(pilot)
        held.set()
        await until(pilot, lambda: "applied" in status(pilot))
