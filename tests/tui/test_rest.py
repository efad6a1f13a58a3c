"""What the dashboard does while nothing happens: nothing that costs."""

from __future__ import annotations

import sys
from typing import Any, Final

import pytest
from rich.segment import Segment

from caesar_core.protocol import event as ev
from tests.tui.drive import board, opened, press, shown
from tests.tui.sample import Sample

_PROGRAMS: Final = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec")


class Listener:
    """Hears what the interpreter announces; a hook stays for good, so there is one."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.is_listening = False
        sys.addaudithook(self._hear)

    def _hear(self, name: str, args: tuple[Any, ...]) -> None:
        if self.is_listening and name in {"open", "os.listdir", "os.scandir", *_PROGRAMS}:
            self.heard.append((name, str(args[0])))


_LISTENER: Final = Listener()


def _fill(empty: Sample) -> None:
    """Write sixty running tasks beside a thousand past ones."""
    for number in range(1_000):
        empty.task(f"t_{number:05x}", "codex", status="succeeded", ended_at="2026-11-30T20:00:00Z")
    for number in range(60):
        said = (5.0, ev.Message(text=f"line {number}"))
        empty.task(f"t_live{number:02}", "claude", said, status="running")


async def test_f2_f8_sixty_running_tasks_at_rest_start_nothing_and_read_no_stream(
    empty: Sample,
) -> None:
    """Beside a thousand past ones; no process and no git on a timer, no listing of the store."""
    _fill(empty)
    async with opened(empty) as pilot:
        assert "t_live" in shown(board(pilot).table)
        await pilot.pause(0.2)

        _LISTENER.is_listening = True
        await pilot.pause(1.2)
        _LISTENER.is_listening = False

    store = str(empty.root)
    assert [heard for heard in _LISTENER.heard if heard[0] in _PROGRAMS] == []
    assert [heard for heard in _LISTENER.heard if heard[1].startswith(store)] == []


async def test_f1_a_key_among_a_thousand_tasks_draws_what_is_visible_only(
    empty: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(empty)
    async with opened(empty) as pilot:
        table = board(pilot).table
        drawn: list[int] = []
        draw = table.row_segments

        def count(index: int, width: int) -> list[Segment]:
            drawn.append(index)
            return draw(index, width)

        monkeypatch.setattr(table, "row_segments", count)
        before = table.chosen
        await press(pilot, "j")
        assert table.chosen != before
        assert 0 < len(drawn) <= 2 * table.size.height


async def test_the_listener_would_hear_it(empty: Sample) -> None:
    _LISTENER.heard.clear()
    _LISTENER.is_listening = True
    (empty.root / "a").write_text("")
    _LISTENER.is_listening = False
    assert ("open", str(empty.root / "a")) in _LISTENER.heard
