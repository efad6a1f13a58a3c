"""Each key of the table, pressed where it is offered, reaches its action and no other.

What an action does is proved where its screen is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from caesar_tui.app import CaesarApp
from caesar_tui.keymap import KEYS, Key, Scope
from caesar_tui.screens.board import BoardScreen
from caesar_tui.screens.race import RaceScreen
from caesar_tui.widgets.choice import Choice
from caesar_tui.widgets.event_log import EventLog
from tests.tui.drive import board, opened, press, until
from tests.tui.sample import Sample
from tests.tui.test_keymap import OWNERS

TO: dict[Scope, tuple[str, ...]] = {
    "list": (),
    "board": (),
    "pane": ("jjjj", "1", "enter"),
    "stream": ("jjjj", "1", "enter"),
    "find": ("jjjj", "1", "enter", "slash"),
    "diff": ("end", "2", "enter"),
    "files": ("end", "2", "enter"),
    "timeline": ("jjjj", "6", "enter"),
    "answer": ("tab",),
    "sheet": ("x",),
    "inbox": ("Q",),
    "tiles": ("W",),
    "wall": ("W",),
    "form": ("n",),
    "choice": ("n", "tab", "tab"),
    "palette": ("ctrl+p",),
    "race": ("R",),
    "matrix": ("R",),
    "compare": ("R", "tab"),
}


def owner_of(key: Key) -> tuple[type[Any], str]:
    """Return the class whose action the key means, and the action's name."""
    place, _, name = key.action.partition("(")[0].rpartition(".")
    above = RaceScreen if key.scope in {"race", "matrix", "compare"} else BoardScreen
    owner = {"screen": above, "app": CaesarApp}.get(place, OWNERS[key.scope])
    if not hasattr(owner, f"action_{name}"):
        owner = EventLog
    return owner, name


@contextmanager
def listening(scope: Scope) -> Iterator[list[str]]:
    """Let the actions of a scope be noted and not done, also those that do not apply now."""
    noted: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for key in (key for key in KEYS if key.scope == scope):
            owner, name = owner_of(key)

            def note(_: object, *args: object, name: str = name) -> None:
                noted.append(name)

            patch.setattr(owner, f"action_{name}", note)
            patch.setattr(owner, "check_action", lambda *_: True)
        yield noted


async def go(pilot: Pilot[Any], scope: Scope) -> None:
    if scope in {"race", "matrix", "compare"}:
        found = next(t for t in board(pilot).board_model.tasks.values() if t.facts.race_id)
        board(pilot).table.chosen = found.id
    for step in TO[scope]:
        await press(pilot, *(step if set(step) == {"j"} else (step,)))
    if scope == "files":
        pilot.app.screen.set_focus(board(pilot).pane.changes.files)
    if scope == "choice":
        pilot.app.screen.set_focus(pilot.app.screen.query(Choice).first())
    await until(pilot, lambda: pilot.app.screen.focused is not None or scope == "sheet")


async def go_back(pilot: Pilot[Any]) -> None:
    while len(pilot.app.screen_stack) > 1 or not board(pilot).table.has_focus:
        await press(pilot, "escape")
    await press(pilot, "home")


@pytest.mark.parametrize("part", [0, 1])
async def test_every_key_reaches_its_action(race: Sample, part: int) -> None:
    async with opened(race) as pilot:
        for scope in list(TO)[part::2]:
            await go(pilot, scope)
            with listening(scope) as noted:
                for key in (key for key in KEYS if key.scope == scope):
                    for name in key.keys.split(","):
                        if scope == "answer" and name in "3456789":
                            continue  # the question has two options
                        noted.clear()
                        await pilot.press(name)
                        assert noted == [owner_of(key)[1]], (scope, name)
            await go_back(pilot)


def test_no_screen_is_left_out() -> None:
    assert set(TO) == {key.scope for key in KEYS}
