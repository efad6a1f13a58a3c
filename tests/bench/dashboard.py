"""The rows of the dashboard, measured inside of the program, without a terminal."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rich.segment import Segment
from textual.events import Key
from textual.pilot import Pilot

from caesar_core.clock import SystemClock, iso
from caesar_core.engine.service import Service
from caesar_core.protocol.event import Event, Message
from caesar_core.protocol.wire import encode_event
from caesar_core.repo.patch import parse_patch
from caesar_core.store.layout import Layout
from caesar_core.store.records import Record
from caesar_tui.app import CaesarApp
from caesar_tui.screens.board import BoardScreen
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.wall import Wall
from tests.bench.measure import CLOCK, Bench

TOP = Path(__file__).parents[2]
SIZE = (160, 45)
LINES = 50_000
PANELS = 12
RATE = 1_000
KEYS = 120


def key_to_paint(bench: Bench) -> str:
    """Press keys on the wall while its tiles get 1,000 events a second."""
    layout = project(bench.folder / "keys", running=PANELS)

    async def measure(pilot: Pilot[Any]) -> str:
        await pilot.press("W")
        await pilot.pause(0.5)
        times = []
        with fed(layout):
            for number in range(KEYS):
                began = CLOCK.monotonic()
                await painted(pilot, "right" if number % 6 < 3 else "left")
                times.append(CLOCK.monotonic() - began)
                await asyncio.sleep(0.02)
        p95 = statistics.quantiles(times, n=20)[-1]
        return f"{p95 * 1000:.0f} ms (median {statistics.median(times) * 1000:.0f} ms)"

    return run(layout, measure)


def event_to_screen(bench: Bench) -> str:
    """Write an event and wait until the pane holds it."""
    layout = project(bench.folder / "event", running=1)

    async def measure(pilot: Pilot[Any]) -> str:
        stream = board(pilot).pane.stream
        times = []
        for number in range(1, 31):
            began = CLOCK.monotonic()
            say(layout, "t_00000", [f"event {number}"])
            await until(partial(_holds, stream, number + 1))
            times.append(CLOCK.monotonic() - began)
        return f"{statistics.quantiles(times, n=20)[-1] * 1000:.0f} ms"

    return run(layout, measure)


def first_paint(bench: Bench) -> str:
    """Open a project with 10,000 past tasks and wait for the first rows."""
    layout = project(bench.folder / "past", past=10_000)
    began = CLOCK.monotonic()

    async def measure(pilot: Pilot[Any]) -> str:
        await until(lambda: board(pilot).table.row_count() > 0)
        return f"{CLOCK.monotonic() - began:.2f} s"

    return run(layout, measure, settle=False)


def big_diff(bench: Bench) -> str:
    """Show a lock file of 50,000 changed lines, folded first, then all of it."""
    body = b"".join(b"+line %d of a lock file\n" % n for n in range(LINES))
    head = b"diff --git a/uv.lock b/uv.lock\n--- a/uv.lock\n+++ b/uv.lock\n"
    files = parse_patch(head + b"@@ -0,0 +1,%d @@\n" % LINES + body)
    layout = project(bench.folder / "diff", running=1)

    async def measure(pilot: Pilot[Any]) -> str:
        pane = board(pilot).pane
        pane.show_tab("diff")
        await pilot.pause(0.2)
        times = []
        changes: tuple[Callable[[], None], ...] = (
            lambda: pane.diff.show(files),
            pane.diff.action_turn,
        )
        for change in changes:
            began = CLOCK.monotonic()
            change()
            await asyncio.sleep(0)
            await until(lambda: not pilot.app.screen._dirty_widgets)
            times.append(f"{(CLOCK.monotonic() - began) * 1000:.0f} ms")
        return f"{times[0]}, unfolded {times[1]}"

    return run(layout, measure)


async def painted(pilot: Pilot[Any], key: str) -> None:
    """Press a key on the wall and wait for the frame that shows what it did."""
    app = pilot.app
    wall = app.screen.query_one(Wall)
    before, display, segments = wall.chosen, app._display, wall.row_segments
    drawn: list[int] = []
    frames: list[Any] = []

    def draw(index: int, width: int) -> list[Segment]:
        if wall.chosen != before:
            drawn.append(index)
        return segments(index, width)

    def see(*frame: Any) -> None:
        display(*frame)
        frames.extend(drawn and frame)

    with patch.object(wall, "row_segments", draw), patch.object(app, "_display", see):
        app.post_message(Key(key, None))
        await until(lambda: bool(frames))


async def until(done: Callable[[], bool]) -> None:
    """Let the dashboard work until something holds."""
    while not done():  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0)


def _holds(stream: EventLog, rows: int) -> bool:
    return stream.row_total() >= rows


def run(
    layout: Layout, measure: Callable[[Pilot[Any]], Awaitable[str]], *, settle: bool = True
) -> str:
    """Run the dashboard without a terminal."""

    async def inside() -> str:
        app = CaesarApp(layout, engine=lambda: Service(layout.root), clock=SystemClock())
        async with app.run_test(size=SIZE) as pilot:
            if settle:
                await pilot.pause(1.0)
            return await measure(pilot)

    return asyncio.run(inside())


def board(pilot: Pilot[Any]) -> BoardScreen:
    """Return the home screen."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BoardScreen)
    return screen


def project(root: Path, *, running: int = 0, past: int = 0) -> Layout:
    """Write a project with so many tasks."""
    layout = Layout(root)
    layout.records.mkdir(parents=True)
    now = iso(SystemClock().now())
    for number in range(running + past):
        task_id = f"t_{number:05x}"
        over: dict[str, Any] = {"status": "succeeded", "ended_at": now} if number >= running else {}
        known = {"status": "running", "created_at": now, "started_at": now, "phase": "agent"}
        record = Record(id=task_id, agent="codex", **{**known, **over})
        layout.record(task_id).write_text(json.dumps(record.to_json()))
        if number < running:
            layout.task(task_id).dir.mkdir(parents=True)
            say(layout, task_id, ["begins"])
    return layout


def say(layout: Layout, task_id: str, texts: list[str]) -> None:
    """Append messages to a stream."""
    at = iso(SystemClock().now())
    lines = (
        encode_event(Event(seq=0, at=at, task_id=task_id, body=Message(text=text)))
        for text in texts
    )
    with layout.task(task_id).events.open("ab") as file:
        file.write(b"".join(lines))


@contextmanager
def fed(layout: Layout) -> Iterator[None]:
    """Let another process write 1,000 events a second, over all panels."""
    code = "import sys; from tests.bench.dashboard import feed; feed(sys.argv[1])"
    with subprocess.Popen([sys.executable, "-c", code, str(layout.root)], cwd=TOP) as feeder:
        try:
            yield
        finally:
            feeder.kill()


def feed(root: str) -> None:
    """Write events until killed."""
    layout = Layout(Path(root))
    each = RATE // PANELS // 10
    number = 0
    while True:
        began = time.monotonic()
        for panel in range(PANELS):
            say(layout, f"t_{panel:05x}", [f"event {number} {n}" for n in range(each)])
        number += 1
        time.sleep(max(0.0, 0.1 - (time.monotonic() - began)))
