from __future__ import annotations

import re

from textual.binding import Binding

from caesar_tui.keymap import KEYS, keys_of
from caesar_tui.screens.board import BoardScreen
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.themes import THEMES, contrast
from tests.tui.drive import board, press, settled, shown
from tests.tui.sample import Sample


def test_every_key_has_an_action_of_its_screen() -> None:
    for scope, screen in (("board", BoardScreen), ("sheet", ConfirmScreen)):
        for key in (found for found in KEYS if found.scope == scope):
            name = key.action.partition("(")[0]
            assert hasattr(screen, f"action_{name}"), key


def test_the_bindings_of_the_screens_are_those_of_the_table() -> None:
    bound = [b for b in BoardScreen.BINDINGS if isinstance(b, Binding)]
    assert [(b.key, b.action) for b in bound] == [(k.keys, k.action) for k in keys_of("board")]


def test_no_key_means_two_things_on_one_screen() -> None:
    for scope in ("board", "sheet"):
        names = [name for key in KEYS if key.scope == scope for name in key.keys.split(",")]
        assert len(names) == len(set(names))


async def test_footer_and_help_show_the_keys_of_the_table(sample: Sample) -> None:
    async with sample.app().run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "end", "2")
        footer = shown(board(pilot).query_one("#keys")).replace("\xa0", " ")
        expected = [k for k in keys_of("board") if k.label and k.action not in {"cancel", "follow"}]
        assert re.split(r"  +", footer.strip()) == [f"{k.shown} {k.label}" for k in expected]
        await press(pilot, "question_mark")
        text = " ".join(shown(pilot.app.screen.query_one("#sheet Static")).split())
        assert all(f"{k.shown} {k.help}" in text for k in keys_of("board"))


def test_t9_every_text_reaches_a_contrast_of_4_5() -> None:
    for theme in THEMES.values():
        variables = theme.variables
        grounds = [theme.background, theme.panel, variables["chosen"], variables["chosen-blurred"]]
        inks = [theme.foreground, theme.accent, theme.success, theme.warning, theme.error]
        pairs = [(ink, ground) for ink in (*inks, variables["dim"]) for ground in grounds]
        pairs += [(theme.foreground, variables[name]) for name in ("added", "removed")]
        pairs += [(theme.success, variables["added"]), (theme.error, variables["removed"])]
        poor = {
            (theme.name, ink, ground): round(contrast(str(ink), str(ground)), 2)
            for ink, ground in pairs
            if contrast(str(ink), str(ground)) < 4.5
        }
        assert poor == {}
