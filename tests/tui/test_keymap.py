from __future__ import annotations

import re
from typing import get_args

from textual.binding import Binding
from textual.dom import DOMNode

from caesar_tui.app import CaesarApp
from caesar_tui.keymap import KEYS, TOGETHER, Scope, keys_of
from caesar_tui.screens.board import BoardScreen
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.help import SECTIONS
from caesar_tui.screens.inbox import InboxScreen
from caesar_tui.screens.new_task import NewTaskScreen
from caesar_tui.screens.palette import Offer, PaletteScreen
from caesar_tui.screens.race import RaceScreen
from caesar_tui.screens.wall import WallScreen
from caesar_tui.themes import THEMES, contrast
from caesar_tui.widgets.answer_line import AnswerLine
from caesar_tui.widgets.choice import Choice
from caesar_tui.widgets.compare_pane import ComparePane
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.file_list import FileList
from caesar_tui.widgets.file_matrix import FileMatrix
from caesar_tui.widgets.find_line import FindLine
from caesar_tui.widgets.folded_pages import FoldedPages
from caesar_tui.widgets.task_table import TaskTable
from caesar_tui.widgets.timeline import Timeline
from caesar_tui.widgets.wall import Wall
from tests.hygiene.source import ROOT
from tests.tui.drive import board, press, settled, shown
from tests.tui.sample import Sample

OWNERS: dict[Scope, type[DOMNode]] = {
    "list": TaskTable,
    "board": BoardScreen,
    "pane": CursorView,
    "stream": FoldedPages,
    "find": FindLine,
    "diff": DiffPane,
    "files": FileList,
    "timeline": Timeline,
    "answer": AnswerLine,
    "sheet": ConfirmScreen,
    "inbox": InboxScreen,
    "tiles": Wall,
    "wall": WallScreen,
    "choice": Choice,
    "race": RaceScreen,
    "matrix": FileMatrix,
    "compare": ComparePane,
    "form": NewTaskScreen,
    "palette": PaletteScreen,
}


def test_the_palette_finds_each_tab_by_its_name() -> None:
    for key in keys_of("board"):
        if key.action.startswith("tab("):
            name = key.action.split("'")[1]
            assert Offer(key.help, key.shown).fits([name]), name


def test_every_key_has_an_action_of_its_screen() -> None:
    for key in KEYS:
        screen, _, name = key.action.partition("(")[0].rpartition(".")
        above = RaceScreen if key.scope == "matrix" else BoardScreen
        owner = {"screen": above, "app": CaesarApp}.get(screen, OWNERS[key.scope])
        known = hasattr(owner, f"action_{name}") or hasattr(EventLog, f"action_{name}")
        assert known, key


def test_the_bindings_of_the_screens_are_those_of_the_table() -> None:
    for scope, owner in OWNERS.items():
        bound = [b for b in owner.BINDINGS if isinstance(b, Binding)]
        known = [(name, k) for k in keys_of(scope) for name in k.keys.split(",")]
        assert [b.key for b in bound] == [name for name, _ in known]
        assert [b.action for b in bound] == [k.action.format(key=name) for name, k in known]


def test_no_scope_is_left_out_of_what_may_clash() -> None:
    assert frozenset().union(*TOGETHER) == set(get_args(Scope))


def test_no_key_means_two_things_on_one_screen() -> None:
    for scopes in TOGETHER:
        names = [name for key in KEYS if key.scope in scopes for name in key.keys.split(",")]
        assert len(names) == len(set(names))


def test_the_help_leaves_no_screen_out() -> None:
    assert {scope for scope, _ in SECTIONS} == set(get_args(Scope)) == {key.scope for key in KEYS}


def test_the_page_of_keys_names_every_key() -> None:
    page = (ROOT / "docs" / "keys.md").read_text("utf-8")
    for scope in get_args(Scope):
        _, _, rest = page.partition(f"<!-- generated: keys {scope} -->")
        told = rest.partition("<!-- end -->")[0].splitlines()
        assert [line for line in told if line.startswith("| `")] == [
            f"| `{key.shown}` | {key.help} | {'' if key.is_fixed else f'`{key.id}`'} |"
            for key in keys_of(scope)
        ]


async def test_footer_and_help_show_the_keys_of_the_table(sample: Sample) -> None:
    async with sample.app().run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "end", "2")
        footer = shown(board(pilot).query_one("#keys")).replace("\xa0", " ")
        hidden = {"cancel", "follow", "race"}
        expected = [k for k in keys_of("board") if k.label and k.action not in hidden]
        assert re.split(r"  +", footer.strip()) == [f"{k.shown} {k.label}" for k in expected]
        await press(pilot, "question_mark")
        text = " ".join(shown(pilot.app.screen.query_one("#sheet Static")).split())
        told = [key for scope, _ in SECTIONS for key in keys_of(scope)]
        assert all(f"{k.shown} {k.help}" in text for k in told)


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
