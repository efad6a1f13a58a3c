"""On every screen the footer offers the keys of the table that apply there, and no others."""

from __future__ import annotations

import re

from caesar_tui.keymap import KEYS, keys_of
from caesar_tui.widgets.status_bar import KeyBar
from tests.tui.drive import board, footer, opened, press, settled, shown, until
from tests.tui.sample import Sample
from tests.tui.test_every_key import TO, go, go_back

WIDE = (400, 40)


async def test_every_footer_agrees_with_the_table(race: Sample) -> None:
    async with opened(race, WIDE) as pilot:
        for scope in TO:
            await go(pilot, scope)
            await settled(pilot)
            bar = pilot.app.screen.query(KeyBar)
            line = shown(bar.first() if bar else pilot.app.screen.query_one("#sheet-keys"))
            told = {text.replace("\xa0", " ") for text in re.split(r"  +", line.strip())}
            assert told <= {f"{key.shown} {key.label}" for key in KEYS}, scope
            own = {f"{key.shown} {key.label}" for key in keys_of(scope) if key.label}
            held_back = {"timeline": {"Esc live"}, "stream": {"n next"}, "board": own}
            missing = own - told - held_back.get(scope, set())
            assert not missing, scope
            await go_back(pilot)


async def test_follow_is_offered_only_where_the_end_is_not_followed(sample: Sample) -> None:
    async with opened(sample) as pilot:
        board(pilot).table.chosen = "t_7f3a"
        await press(pilot, "enter")
        assert "f follow" not in footer(pilot)
        await press(pilot, "up")
        await until(pilot, lambda: "f follow" in footer(pilot))
        await press(pilot, "f")
        await until(pilot, lambda: "f follow" not in footer(pilot))
