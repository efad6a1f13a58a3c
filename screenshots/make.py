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
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest import mock

from textual.pilot import Pilot

from caesar_core.agents.demo import OBJECTIVE, PROJECT
from caesar_core.clock import SystemClock
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.repo.create import create_repository
from caesar_core.text import cell_width
from caesar_tui.app import CaesarApp
from caesar_tui.screens.board import BoardScreen

HERE: Final = Path(__file__).resolve().parent
NOON: Final = 12 * 3600 + 4 * 60
PATIENCE: Final = 60.0
EXAMPLE: Final = "printf '\\n    slugify(\"Hello big World\")  # hello-big-world\\n' >> README.md"
UNTIL_GREEN: Final = "until python -m unittest -q; do sleep 5; done"
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
    Shot("board", "asking", until="waits for a slot"),
    Shot("stream", "careful", (120, 30), keys=("enter",), until="success"),
    Shot("diff", "careful", (140, 30), keys=("2", "enter"), until="re.findall"),
    Shot("apply", "careful", (110, 30), keys=("a",), until="would be applied"),
    Shot("help", "careful", (110, 44), keys=("question_mark",), until="Give the pane"),
    Shot("light", "asking", until="waits for a slot", theme="light"),
    Shot("80x24", "asking", (80, 24), until="waits for a slot"),
    Shot("40x20", "quick", (40, 20), until="partial"),
)


class Stage:
    """A project with tasks in most states; `ids` names them."""

    def __init__(self, home: Path) -> None:
        self.root = home / "slugs"
        self.ids: dict[str, str] = {}
        self._config = home / ".config" / "caesar" / "config.toml"
        self._config.parent.mkdir(parents=True)
        create_repository(self.root, PROJECT, "A function with two defects, and its tests")

    def delegate(self, name: str, agent: str, objective: str, *, pace: float = 0.02) -> None:
        """Start a task; a scripted agent pauses `pace` seconds between its moves."""
        settings = f'CAESAR_DEMO_PACE = "{pace}"\nPATH = "{os.environ["PATH"]}"\n'
        self._config.write_text(f"[policy]\nmax_parallel = 3\n[environment.set]\n{settings}")
        fixed = uuid.UUID(int=Random(name).getrandbits(128), version=4)
        with mock.patch("caesar_core.ids.uuid.uuid4", side_effect=chain([fixed], _others(name))):
            record, _ = self.service.delegate(Request(objective=objective, agent=agent))
        self.ids[name] = record.id

    @property
    def service(self) -> Service:
        """The engine, which reads the configuration once."""
        return Service(self.root)

    def end(self, name: str) -> None:
        """Wait until a task is over."""
        _wait(lambda: not self.service.record(self.ids[name]).is_active)

    def set(self) -> None:
        """Let some tasks end, apply one, and start those that go on."""
        for name, agent, objective in (
            ("tests", "shell", "python -m unittest -q"),
            ("example", "shell", EXAMPLE),
            ("quick", "demo-quick", OBJECTIVE),
            ("careful", "demo-careful", OBJECTIVE),
        ):
            self.delegate(name, agent, objective)
            self.end(name)
        self.service.apply(self.ids["example"])
        self.delegate("soak", "shell", UNTIL_GREEN)
        self.delegate("slow", "demo-quick", OBJECTIVE, pace=9)
        self.delegate("asking", "demo-careful", OBJECTIVE, pace=2.5)
        _wait(lambda: any((self.root / ".caesar/tasks" / self.ids["asking"]).glob("questions/*")))
        self.delegate("queued", "demo-quick", "Say in the README what a slug is")

    def strike(self) -> None:
        """Stop what still runs."""
        for task_id in reversed(self.ids.values()):
            self.service.cancel(task_id)


async def take(shot: Shot, stage: Stage) -> str:
    """Draw one picture and return it as SVG."""
    app = CaesarApp(
        stage.service.layout, engine=lambda: stage.service, clock=SystemClock(), theme=shot.theme
    )
    async with app.run_test(size=shot.size) as pilot:
        await _until(pilot, "live")
        await _choose(pilot, stage.ids[shot.task])
        await pilot.press(*shot.keys)
        await _until(pilot, shot.until)
        return _FONT_FACE.sub("", _export(app))  # no server is asked for a font


async def _choose(pilot: Pilot[Any], task_id: str) -> None:
    board = pilot.app.screen_stack[0]
    assert isinstance(board, BoardScreen)
    await pilot.press("home")
    for _ in range(50):
        if board.table.chosen == task_id:
            return
        await pilot.press("j")
    raise SystemExit(f"{task_id} is not in the list")


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


def _wait(done: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > last:
            raise SystemExit("the tasks did not get there")
        time.sleep(0.05)


def _others(name: str) -> Iterator[uuid.UUID]:
    random = Random(f"{name}, temporary files")
    while True:
        yield uuid.UUID(int=random.getrandbits(128), version=4)


@contextmanager
def _another_home() -> Iterator[Path]:
    """Yield a home with nothing in it, in a time zone where it is noon."""
    now = datetime.now(UTC)
    ahead = NOON - (now.hour * 3600 + now.minute * 60 + now.second)
    sign, (minutes, seconds) = "-" if ahead > 0 else "", divmod(abs(ahead), 60)
    zone = f"CAESAR{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    with tempfile.TemporaryDirectory(prefix="caesar-screenshots-") as folder:
        home = Path(folder).resolve()
        unset = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "NO_COLOR", "TEXTUAL_THEME")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        with mock.patch.dict(os.environ, {"HOME": folder, "TZ": zone, "PATH": path}):
            for name in unset:
                os.environ.pop(name, None)
            time.tzset()
            yield home


def main(names: list[str]) -> int:
    """Draw the pictures that are named, else all."""
    rsvg = shutil.which("rsvg-convert")
    if rsvg is None:
        print("rsvg-convert is not installed: SVG only.")
    with _another_home() as home:
        stage = Stage(home)
        try:
            stage.set()
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
        finally:
            stage.strike()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
