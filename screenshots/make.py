"""Redraw the screenshots: real runs of the embedded agents, shown by the real dashboard.

    python screenshots/make.py [NAME ...]

A small project is made under a home of its own, tasks end and tasks run in it, and the dashboard
is driven without a terminal by the keys that a person would press. Each picture is an SVG, and a
PNG where `rsvg-convert` is installed. Ids and the clock are held, so that a new picture differs
only where the dashboard does.
"""

from __future__ import annotations

import asyncio
import html
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from browser import DRIVER, browser
from film import film
from stage import PATIENCE, Stage, another_home
from textual.pilot import Pilot

from caesar_core.clock import SystemClock
from caesar_core.text import cell_width
from caesar_tui.app import CaesarApp
from caesar_tui.screens.board import BoardScreen

HERE: Final = Path(__file__).resolve().parent
BROWSER_SECONDS: Final = 6.0
_FONT_FACE: Final = re.compile(r"\s*@font-face \{[^}]*\}")
_TEXT: Final = re.compile(
    r'(<text[^>]*)x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"([^>]*)>([^<]*)</text>'
)
_RUN: Final = re.compile("[\u2500-\u257f]|[^\\s\u2500-\u257f]{1,12}")
_RULE_FONT: Final = ' font-family="Fira Code"'  # its rules fill a line's height


@dataclass(frozen=True)
class Shot:
    """One picture.

    Attributes:
        task: which task is chosen, by the name that the stage gave it.
        keys: what is pressed then.
        until: text that has to be on the screen before the picture is taken.
    """

    name: str
    task: str
    size: tuple[int, int] = (120, 36)
    keys: tuple[str, ...] = ()
    until: str = "live"
    theme: str = "dark"


SHOTS: Final = (
    Shot("board", "asking", until="waits, "),
    Shot("light", "asking", until="waits, ", theme="light"),
    Shot("80x24", "asking", (80, 24), until="needs you"),
    Shot("question", "asking", (120, 36), keys=("tab", "1"), until="Enter sends"),
    Shot("wall", "asking", (140, 36), keys=("W",), until="unittest"),
    Shot("stream", "careful", (120, 30), keys=("enter",), until="success"),
    Shot("diff", "careful", (140, 30), keys=("2", "enter"), until="re.findall"),
    Shot("report", "careful", (120, 36), keys=("3",), until="Commands"),
    Shot("timeline", "careful", (120, 30), keys=("6", "enter", "left", "left"), until="at 1."),
    Shot("race", "careful", (140, 40), keys=("R", "space"), until="part picked"),
    Shot("apply", "careful", (110, 30), keys=("a",), until="would be applied"),
    Shot(
        "new",
        "quick",
        (120, 40),
        keys=("n", *"mend", "space", *"it", "tab", *"demo-quick,demo-careful"),
        until="contestant 2",
    ),
    Shot("help", "careful", (110, 44), keys=("question_mark",), until="Choose the task above"),
    Shot("40x20", "quick", (40, 20), until="check failed"),
)


# What the film shows: whose task, keys, and the text that has to be there then.
SCENES: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    ("asking", (), "waits"),
    ("", ("tab",), "Answer: 1"),
    ("", ("1",), "Enter sends"),
    ("soak", ("escape",), "▼"),
    ("careful", ("enter",), "success"),
    ("", ("2",), "import re"),
    ("", ("right_square_bracket",), "fold"),
    ("", ("3",), "Commands"),
    ("", ("6",), "read slugs.py"),
    ("", ("enter", *["left"] * 9), "at "),
    ("", ("escape", "escape", "R"), "ranked by"),
    ("", ("space", "2", "tab"), "part picked"),
    ("", ("escape", "W"), "unittest"),
    ("", ("escape", "a"), "would be applied"),
)


async def record(stage: Stage) -> str:
    """Walk through the dashboard and return what was seen as a film."""
    app = CaesarApp(stage.service.layout, engine=lambda: stage.service, clock=SystemClock())
    frames = []
    async with app.run_test(size=(110, 30)) as pilot:
        await _until(pilot, "live")
        for task, keys, until in SCENES:
            if task:
                await pilot.press("escape")
                await _choose(pilot, stage.ids[task])
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.05)
            await _until(pilot, until)
            frames.append(_FONT_FACE.sub("", _export(app)))
    return film(frames)


def in_browser(stage: Stage, folder: Path) -> bytes:
    """Open the dashboard in a headless browser and return a PNG of it."""
    command = [sys.executable, "-m", "caesar_core", "watch", "--web", "--root", str(stage.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            with browser((1180, 640), folder) as page:
                page.open(server.stdout.readline().strip())
                time.sleep(BROWSER_SECONDS)
                return page.picture()
        finally:
            server.send_signal(signal.SIGINT)


async def take(shot: Shot, stage: Stage) -> str:
    """Draw one picture and return it as SVG."""
    app = CaesarApp(
        stage.service.layout, engine=lambda: stage.service, clock=SystemClock(), theme=shot.theme
    )
    async with app.run_test(size=shot.size) as pilot:
        await _until(pilot, "live")
        await _choose(pilot, stage.ids[shot.task])
        for key in shot.keys:
            await pilot.press(key)
            await pilot.pause(1.5 if key == "R" else 0.05)  # what it shows is read by a worker
        await _until(pilot, shot.until)
        return _FONT_FACE.sub("", _export(app))  # no server is asked for a font


async def _choose(pilot: Pilot[Any], task_id: str) -> None:
    board = pilot.app.screen_stack[0]
    assert isinstance(board, BoardScreen)
    last = time.monotonic() + PATIENCE
    while task_id not in board.board_model.tasks:  # the list is still being read
        if time.monotonic() > last:
            raise SystemExit(f"{task_id} is not in the list")
        await pilot.pause(0.05)
    board.show_task(task_id)  # unfolds its race


async def _until(pilot: Pilot[Any], text: str) -> None:
    last = time.monotonic() + PATIENCE
    while text not in _text(_export(pilot.app)):
        if time.monotonic() > last:
            raise SystemExit(f"{text!r} did not appear")
        await pilot.pause(0.05)


def _export(app: Any) -> str:
    return str(app.export_screenshot(title="caesar watch", simplify=True))


def _write_png(svg: str, target: Path, rsvg: str) -> None:
    """Convert a picture; librsvg knows no `textLength`, so every few letters get their place."""
    placed = _TEXT.sub(_placed, svg).replace("Fira Code", "DejaVu Sans Mono")
    subprocess.run([rsvg, "--output", target], input=placed.encode(), check=True)


def _placed(match: re.Match[str]) -> str:
    start, x, y, length, end, content = match.groups()
    text = html.unescape(content).replace("\xa0", " ")
    cell = float(length) / max(1, cell_width(text))
    pieces = []
    for run in _RUN.finditer(text):
        at = float(x) + cell_width(text[: run.start()]) * cell
        font = _RULE_FONT if _is_rule(run[0]) else ""
        letters = html.escape(run[0], quote=False)
        pieces.append(f'{start}x="{at:.1f}" y="{y}"{end}{font}>{letters}</text>')
    return "".join(pieces)


def _is_rule(text: str) -> bool:
    return "\u2500" <= text <= "\u257f"


def _text(svg: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", svg)).replace("\xa0", " ")


def main(names: list[str]) -> int:
    """Draw the pictures that are named, else all."""
    rsvg = shutil.which("rsvg-convert")
    if rsvg is None:
        print("rsvg-convert is not installed: SVG only.")
    with another_home() as home:
        stage = Stage(home)
        try:
            stage.set()
            if not names or "tour" in names:
                (HERE / "tour.svg").write_text(asyncio.run(record(stage)), encoding="utf-8")
                print("screenshots/tour.svg", flush=True)
            for shot in SHOTS:
                if names and shot.name not in names:
                    continue
                svg = asyncio.run(take(shot, stage))
                target = HERE / f"{shot.name}.svg"
                target.write_text(svg, encoding="utf-8")
                if rsvg is not None:
                    _write_png(svg, target.with_suffix(".png"), rsvg)
                print(
                    f"{target.relative_to(HERE.parent)}  {shot.size[0]}x{shot.size[1]}", flush=True
                )
            if (not names or "browser" in names) and DRIVER is not None:
                picture = in_browser(stage, home / "profile")
                (HERE / "browser.png").write_bytes(picture)
                print("screenshots/browser.png", flush=True)
        finally:
            stage.strike()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
