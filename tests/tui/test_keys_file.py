"""Keys of a person's own: what the file may say, and that screen, footer and help follow it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caesar_core.board.race import ForecastView
from caesar_core.errors import CaesarError
from caesar_tui.keyed import Keymap, written
from caesar_tui.keymap import KEYS
from caesar_tui.keys_file import keys_path, parse_keymap, read_keymap
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.help import HelpScreen
from caesar_tui.screens.wall import WallScreen
from tests.tui.drive import board, opened, press, shown, status
from tests.tui.sample import Sample

SWAPPED = '[board]\napply = "x"\ncancel = "a"\nundo = ["ctrl+z", "U"]\n\n[list]\nup = "alt+up"\n'


def test_o6_no_file_gives_the_keys_of_the_table(tmp_path: Path) -> None:
    assert read_keymap(tmp_path / "keys.toml").bindings == {}


def test_o6_the_file_lies_beside_the_configuration() -> None:
    assert keys_path({"XDG_CONFIG_HOME": "/etc/mine"}) == Path("/etc/mine/caesar/keys.toml")


def test_o6_two_keys_may_change_places() -> None:
    keys = parse_keymap("keys.toml", SWAPPED)
    assert keys.bindings["board.undo"] == "ctrl+z,U"
    assert [keys.shown(name) for name in ("board.apply", "board.undo", "list.up")] == [
        "x",
        "Ctrl Z U",
        "Alt ↑",
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("?", "question_mark"),
        ("G", "G"),
        ("é", "é"),
        ("Ctrl+A", "ctrl+a"),
        ("Ctrl+PgUp", "ctrl+pageup"),
        ("F5", "f5"),
        ("shift+ALT+up", "alt+shift+up"),
    ],
)
def test_o6_keys_are_written_as_people_write_them(given: str, name: str) -> None:
    keys = parse_keymap("keys.toml", f'[board]\ntidy = "{given}"\nhelp = "f12"')
    assert keys.bindings["board.tidy"] == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[board", "keys.toml is not valid TOML"),
        ('[bord]\napply = "b"', "keys.toml:1: bord: there is no such place. Did you mean 'board'?"),
        ("board = 1", "keys.toml:1: board: not a table."),
        ('[board]\naply = "b"', "keys.toml:2: board.aply: there is no such key. Did you mean"),
        ('[board]\nopen = "b"', "board.open: this key cannot be changed."),
        ('[answer]\nnewline = "b"', "answer.newline: this key cannot be changed."),
        ("[wall]\nanswer = '0'", "wall.answer: this key cannot be changed."),
        ("[board]\napply = 1", "board.apply: not a key."),
        ("[board]\napply = []", "board.apply: not a key."),
        ('[board]\napply = ""', "board.apply: there is no key ''."),
        ('[board]\napply = "ctrl+nothing"', "there is no key 'ctrl+nothing'."),
        ('[board]\napply = "shift+a"', "there is no key 'shift+a'."),
        ('[board]\napply = "ctrl+ctrl+a"', "there is no key 'ctrl+ctrl+a'."),
        ('[board]\napply = "+"\nundo = "\\u001b"', "board.undo: there is no key '\\x1b'."),
        ('[board]\napply = ["b", 2]', "board.apply: there is no key 2."),
        ('[board]\napply = "esc"', "board.apply: Esc keeps its meaning."),
        ('[board]\napply = "ctrl+I"', "board.apply: Ctrl I keeps its meaning."),
        ('[race]\napply = "k"', "keys.toml:2: race.apply: k is pane.up already."),
        ('[race]\nstop = "space"', "race.stop: Space is matrix.pick already."),
        ('[choice]\nprevious = "ctrl+s"', "keys.toml:2: choice.previous: "),
        ('[board]\n\napply = "q"', "keys.toml:3: board.apply: q is board.quit already."),
        ('[list]\nup = "q"', "keys.toml:2: list.up: q is board.quit already."),
        ('[board]\napply = "b"\nundo = "b"', "board.undo: b is board.apply already."),
    ],
)
def test_o6_what_is_wrong_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(CaesarError) as caught:
        parse_keymap("keys.toml", text)
    assert said in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("key", [key for key in KEYS if not key.is_fixed], ids=lambda key: key.id)
def test_o6_every_key_that_is_not_fixed_can_be_changed(key: object) -> None:
    name = getattr(key, "id", "")
    scope, _, what = name.partition(".")
    assert parse_keymap("keys.toml", f'[{scope}]\n{what} = "ctrl+y"').shown(name) == "Ctrl Y"


def test_keys_are_shown_as_the_table_shows_them() -> None:
    odd = {"ctrl+p,colon": "Ctrl P", "right,space,enter": "→"}
    for key in KEYS:
        if len(key.keys.split(",")) < 3 and key.keys not in odd and "q" not in key.keys:
            names = (Keymap({key.id: tuple(key.keys.split(","))}).shown(key.id),)
            assert names == (key.shown,), key


def test_a_sign_is_written_as_itself() -> None:
    assert [written(key) for key in ("question_mark", "slash", "b", "ctrl+b")] == [
        "?",
        "/",
        "b",
        "Ctrl B",
    ]


async def test_o6_changed_keys_do_what_footer_and_help_say(sample: Sample) -> None:
    sample.engine.ahead = (ForecastView(task_id="t_02ff", paths=(("a", "x"),)),)
    keys = parse_keymap("keys.toml", f'{SWAPPED}[tiles]\nleft = "b"\n[stream]\ncopy = "ctrl+k"')
    async with opened(sample, (160, 60), keys=keys) as pilot:
        screen = board(pilot)
        screen.table.chosen = "t_02ff"
        await press(pilot, "home", "end")
        footer = shown(screen.query_one("#keys")).replace("\xa0", " ")
        assert "x apply" in footer
        assert "Ctrl Z U undo" in footer
        screen.table.chosen = "t_02ff"
        await press(pilot, "a")
        assert not isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "x")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        assert "Ctrl Z U undoes" in status(pilot)
        await press(pilot, "ctrl+z")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape", "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        told = " ".join(shown(pilot.app.screen.query_one("#sheet Static")).split())
        assert "x Apply the task's result" in told
        assert "b Choose the tile on the left" in told
        await press(pilot, "escape", "W")
        assert isinstance(pilot.app.screen, WallScreen)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        path = keys_path()
        path.parent.mkdir()
        path.write_text(text, "utf-8")
        return path

    return write


def test_o6_a_wrong_file_keeps_the_dashboard_from_starting_and_says_why(
    config: Callable[[str], Path], sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    from caesar_tui.app import show

    path = config('[board]\napply = "q"')
    code = show(sample.layout, ids=None, theme=None, race=None, until_over=False, lifeline=None)
    assert code == 2
    assert f"{path}:2: board.apply: q is board.quit already." in capsys.readouterr().err
