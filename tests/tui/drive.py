"""Ways to drive the dashboard without sleeping for luck."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widget import Widget

from caesar_tui.screens.board import BoardScreen
from tests.tui.sample import Sample

_TRIES = 1_000


def board(pilot: Pilot[Any]) -> BoardScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BoardScreen)
    return screen


async def until(pilot: Pilot[Any], done: Callable[[], bool]) -> None:
    for _ in range(_TRIES):
        await pilot.pause()
        if done():
            return
        await pilot.pause(0.01)
    raise AssertionError("the dashboard did not get there")


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until the store was read, the follower is live and no worker is at work."""

    def is_settled() -> bool:
        model = board(pilot).board_model
        working = {worker.group for worker in pilot.app.workers} - {"follower"}
        quiet = not working and not board(pilot).pane.stream.is_reading
        return quiet and model.complete and bool(model.health.mode == "live" or not model.tasks)

    await until(pilot, is_settled)
    await pilot.pause()


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def shown(widget: Widget) -> str:
    """Return what a widget shows, as text."""
    lines = [widget.render_line(y) for y in range(widget.size.height)]
    return "\n".join(line.text.rstrip() for line in lines)


def place_of(widget: Widget, text: str) -> int:
    """Return the line of a widget that shows `text`."""
    return next(y for y, line in enumerate(shown(widget).splitlines()) if text in line)


@asynccontextmanager
async def opened(
    sample: Sample, size: tuple[int, int] = (120, 36), **options: Any
) -> AsyncIterator[Pilot[Any]]:
    """Open the dashboard and wait until it shows the project."""
    async with sample.app(**options).run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot


def told(pilot: Pilot[Any]) -> list[str]:
    """Return the notices that stand over the screen."""
    return [notice.message for notice in pilot.app._notifications]


def status(pilot: Pilot[Any]) -> str:
    """Return the line of state."""
    return shown(board(pilot).query_one("#status"))


def footer(pilot: Pilot[Any]) -> str:
    """Return the lines of keys."""
    return shown(board(pilot).query_one("#keys"))
