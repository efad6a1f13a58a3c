from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from caesar_core.board.glyphs import ASCII
from tests.tui.drive import press, settled
from tests.tui.sample import Sample

Compare = Callable[..., bool]


def keys(*pressed: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    async def run(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, *pressed)

    return run


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    "size", [(80, 24), (120, 40), (200, 60), (40, 20)], ids=lambda size: f"{size[0]}"
)
def test_board(snap_compare: Compare, sample: Sample, size: tuple[int, int], theme: str) -> None:
    assert snap_compare(sample.app(theme), terminal_size=size, run_before=keys("end", "k", "k"))


def test_diff_side_by_side(snap_compare: Compare, sample: Sample) -> None:
    assert snap_compare(sample.app(), terminal_size=(140, 30), run_before=keys("j", "2"))


def test_diff_in_one_column(snap_compare: Compare, sample: Sample) -> None:
    assert snap_compare(sample.app(), terminal_size=(90, 30), run_before=keys("j", "2", "v"))


def test_apply_sheet(snap_compare: Compare, sample: Sample) -> None:
    assert snap_compare(sample.app(), terminal_size=(100, 30), run_before=keys("end", "a"))


def test_help(snap_compare: Compare, sample: Sample) -> None:
    assert snap_compare(sample.app(), terminal_size=(100, 30), run_before=keys("question_mark"))


def test_empty_state(snap_compare: Compare, empty: Sample) -> None:
    assert snap_compare(empty.app(), terminal_size=(100, 24), run_before=keys())


def test_t4_ascii_marks(snap_compare: Compare, sample: Sample) -> None:
    app = sample.app(glyphs=ASCII)
    assert snap_compare(app, terminal_size=(100, 24), run_before=keys("end", "a"))


@pytest.mark.parametrize("tab", ["2", "3", "4", "6"])
def test_tabs(snap_compare: Compare, sample: Sample, tab: str) -> None:
    run = keys("end", tab, "enter")
    assert snap_compare(sample.app(), terminal_size=(120, 40), run_before=run)


SCREENS = {
    "question": ("tab", "2"),
    "inbox": ("Q",),
    "wall": ("W", "right"),
    "palette": ("ctrl+p", *"diff"),
    "search": ("j", "j", "enter", "slash", *"events"),
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screens(snap_compare: Compare, sample: Sample, name: str, size: tuple[int, int]) -> None:
    theme = "dark" if size[0] > 100 else "light"
    run = keys(*SCREENS[name])
    assert snap_compare(sample.app(theme), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=lambda size: f"{size[0]}")
def test_race(snap_compare: Compare, race: Sample, size: tuple[int, int]) -> None:
    run = keys(*"jjjjjj", "R", "tab", "down", "down", "space")
    assert snap_compare(race.app(), terminal_size=size, run_before=run)


def test_t9_without_colours(
    snap_compare: Compare, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(sample.app(), terminal_size=(100, 30), run_before=keys("end", "2"))


def test_t4_ascii_tiles(snap_compare: Compare, sample: Sample) -> None:
    app = sample.app(glyphs=ASCII)
    assert snap_compare(app, terminal_size=(100, 24), run_before=keys("W", "down"))
