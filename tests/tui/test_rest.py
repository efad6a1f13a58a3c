"""What the dashboard does while nothing happens: nothing that costs."""

from __future__ import annotations

import sys
from typing import Any, Final

from caesar_core.protocol import event as ev
from tests.tui.drive import board, opened, shown
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


async def test_f1_f2_f8_sixty_running_tasks_at_rest_start_nothing_and_read_no_stream(
    empty: Sample,
) -> None:
    """Beside a thousand past ones; no process and no git on a timer, no listing of the store."""
    for number in range(1_000):
        empty.task(f"t_{number:05x}", "codex", status="succeeded", ended_at="2026-11-30T20:00:00Z")
    for number in range(60):
        said = (5.0, ev.Message(text=f"line {number}"))
        empty.task(f"t_live{number:02}", "claude", said, status="running")
    async with opened(empty) as pilot:
        assert "t_live" in shown(board(pilot).table)
        await pilot.pause(0.2)

        _LISTENER.is_listening = True
        await pilot.pause(1.2)
        _LISTENER.is_listening = False

    store = str(empty.root)
    assert [heard for heard in _LISTENER.heard if heard[0] in _PROGRAMS] == []
    assert [heard for heard in _LISTENER.heard if heard[1].startswith(store)] == []


async def test_the_listener_would_hear_it(empty: Sample) -> None:
    _LISTENER.heard.clear()
    _LISTENER.is_listening = True
    (empty.root / "a").write_text("")
    _LISTENER.is_listening = False
    assert ("open", str(empty.root / "a")) in _LISTENER.heard
