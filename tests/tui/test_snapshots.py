"""What every screen looks like. One dashboard is drawn at three sizes, then in the light theme.

A theme changes colours and no place, so that the light one is compared at one size only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from caesar_core.board.glyphs import ASCII
from caesar_core.repo.collisions import Collision
from caesar_core.repo.merge import Conflict
from tests.tui.drive import opened, press, settled, until
from tests.tui.racers import add_race
from tests.tui.sample import Sample

SIZES = ((120, 40), (80, 24), (200, 60))
RAW = b"\x1b[31mred\x1b[0m plain\n\xff\x00\ttab\r\n" * 3


def _conflict(sample: Sample) -> None:
    places = (Collision(12, ("def one():", "    return 1"), ()), Collision(40, ("x",), ("y",)))
    sample.engine.conflicts = (Conflict("src/a.py", "both sides changed the same lines", places),)


def _raw(sample: Sample) -> None:
    sample.layout.task("t_11aa").raw_log.write_bytes(RAW)


def _race(sample: Sample) -> None:
    add_race(sample)


@dataclass(frozen=True)
class Look:
    """One state of the dashboard: the keys that lead there, and a text that is there then."""

    keys: tuple[str, ...]
    text: str
    before: Callable[[Sample], None] = lambda sample: None


_FORM = ("n", *"mend", "space", *"it", "tab", *"shell")
LOOKS = {
    "board": Look(("end", "k", "k"), "t_11aa"),
    "filter": Look(("slash", *"agent:codex"), "agent:codex"),
    "zoom": Look((*"jjjj", "z"), "The guard"),
    "stream": Look((*"jjjj", "enter", "home", "down", "enter"), "The tokenizer"),
    "search": Look((*"jjjj", "enter", "slash", *"guard"), "guard"),
    "diff": Look(("end", "2", "enter"), "parser.py"),
    "diff-one-column": Look(("end", "2", "v", "right_square_bracket"), "parser.py"),
    "report": Look(("end", "3", "enter"), "callers"),
    "task": Look(("end", "4", "enter"), "Guard the parser"),
    "raw": Look(("end", "5", "enter"), "plain", _raw),
    "timeline": Look((*"jjjj", "6", "enter", "left", "left"), "at "),
    "question": Look(("tab", "2"), "Enter sends: no"),
    "draft": Look(("tab", *"maybe"), "maybe"),
    "inbox": Look(("Q",), "Should the old"),
    "wall": Look(("W", "right"), "t_91bc"),
    "race": Look((*"jj", "R", "tab", "down", "down", "space"), "picked", _race),
    "new": Look(_FORM, "caesar run 'mend it' --agent shell"),
    "palette": Look(("ctrl+p", *"diff"), "diff"),
    "apply": Look(("end", "a"), "merged"),
    "apply-conflict": Look(("end", "a"), "both sides changed", _conflict),
    "undo": Look(("u",), "src/a.py"),
    "cancel": Look(("x",), "ancel"),
    "help": Look(("question_mark",), "Choose the task above"),
}


def text_of(pilot: Pilot[Any]) -> str:
    """Return everything that is on the screen."""
    screen = pilot.app.screen
    strips = screen._compositor.render_strips(screen.size)
    return "\n".join(strip.text for strip in strips)


def picture(pilot: Pilot[Any]) -> str:
    """Return what is on the screen as an SVG."""
    return pilot.app.export_screenshot(simplify=True)


async def still(pilot: Pilot[Any]) -> None:
    """Wait until nothing moves any more, below a sheet neither: for longer than a frame."""
    await settled(pilot)
    before = ""
    while before != (before := text_of(pilot)):
        await pilot.pause(0.04)


async def resize(pilot: Pilot[Any], size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    await still(pilot)


async def show(pilot: Pilot[Any], look: Look) -> None:
    await press(pilot, *look.keys)
    await until(pilot, lambda: look.text in text_of(pilot))
    await still(pilot)


@pytest.fixture
def same(snapshot: SnapshotAssertion) -> Callable[[Pilot[Any], str], bool]:
    """Compare what is shown with the picture of that name."""
    pictures = snapshot.use_extension(SVGImageExtension)

    def compare(pilot: Pilot[Any], name: str) -> bool:
        return bool(pictures(name=name) == picture(pilot))

    return compare


Same = Callable[[Pilot[Any], str], bool]


@pytest.mark.parametrize("name", LOOKS)
async def test_looks(same: Same, sample: Sample, name: str) -> None:
    look = LOOKS[name]
    look.before(sample)
    differ: list[str] = []
    async with opened(sample, SIZES[0]) as pilot:
        await show(pilot, look)
        for size in SIZES:
            await resize(pilot, size)
            differ += [] if same(pilot, f"{size[0]}") else [f"{size}"]
        await resize(pilot, SIZES[0])
        pilot.app.theme = "caesar-light"
        await still(pilot)
        differ += [] if same(pilot, "light") else ["light"]
    assert differ == []


async def test_empty_state(same: Same, empty: Sample) -> None:
    async with opened(empty, SIZES[0]) as pilot:
        await until(pilot, lambda: "no task yet" in text_of(pilot))
        for size in (*SIZES, (40, 20)):
            await resize(pilot, size)
            assert same(pilot, f"{size[0]}")


async def test_t5_the_narrow_board(same: Same, sample: Sample) -> None:
    async with opened(sample, (40, 20)) as pilot:
        await still(pilot)
        assert same(pilot, "list")
        await press(pilot, "enter")
        await still(pilot)
        assert same(pilot, "pane")


# One dashboard walks from screen to screen.
WALK = {
    "board": Look(("end",), "t_11aa"),
    "diff": Look(("2",), "parser.py"),
    "report": Look(("3",), "callers"),
    "timeline": Look(("6",), "2m00s"),
    "sheet": Look(("a",), "merged"),
    "wall": Look(("escape", "W"), "t_91bc"),
    "question": Look(("escape", "home", "tab", "1"), "Enter sends: yes"),
    "race": Look(("escape", "home", *"jj", "R"), "a.py"),
}


async def test_t4_ascii_marks(same: Same, race: Sample) -> None:
    await walk(same, race, glyphs=ASCII)


async def test_t9_without_colours(
    same: Same, race: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    await walk(same, race)


async def walk(same: Same, sample: Sample, **options: Any) -> None:
    async with sample.app(**options).run_test(size=(100, 30), notifications=True) as pilot:
        await settled(pilot)
        for name, look in WALK.items():
            await show(pilot, look)
            assert same(pilot, name)
