"""A small project in which tasks end and run, for pictures: real runs of the embedded agents."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from random import Random
from typing import Final
from unittest import mock

from caesar_core.agents.demo import OBJECTIVE, PROJECT
from caesar_core.engine.race import RaceOrder
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.repo.create import create_repository

NOON: Final = 12 * 3600 + 4 * 60
PATIENCE: Final = 60.0
EXAMPLE: Final = "printf '\\n    slugify(\"Hello big World\")  # hello-big-world\\n' >> README.md"
UNTIL_GREEN: Final = "until python -m unittest -q; do sleep 5; done"


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
        self._configure(pace)
        fixed = fixed_uuid(name)
        with mock.patch("caesar_core.ids.uuid.uuid4", side_effect=chain([fixed], others(name))):
            record, _ = self.service.delegate(Request(objective=objective, agent=agent))
        self.ids[name] = record.id

    def race(self, *names: str) -> None:
        """Let the two demonstration agents race, and wait for their ends."""
        self._configure(0.02)
        known = [
            uuid.UUID(int=Random(name).getrandbits(128), version=4) for name in ("race", *names)
        ]
        with mock.patch("caesar_core.ids.uuid.uuid4", side_effect=chain(known, others("race"))):
            order = RaceOrder(
                Request(objective=OBJECTIVE, checks=("python -m unittest -q",)),
                ("demo-quick", "demo-careful"),
            )
            race, _ = self.service.start_race(order)
        self.ids |= dict(zip(names, race.file.task_ids, strict=True))
        for name in names:
            self.end(name)

    def _configure(self, pace: float) -> None:
        settings = f'CAESAR_DEMO_PACE = "{pace}"\nPATH = "{os.environ["PATH"]}"\n'
        self._config.write_text(f"[policy]\nmax_parallel = 3\n[environment.set]\n{settings}")

    @property
    def service(self) -> Service:
        """The engine, which reads the configuration once."""
        return Service(self.root)

    def end(self, name: str) -> None:
        """Wait until a task is over."""
        wait(lambda: not self.service.record(self.ids[name]).is_active)

    def set(self) -> None:
        """Let some tasks end, apply one, and start those that go on."""
        for name, agent, objective in (
            ("tests", "shell", "python -m unittest -q"),
            ("example", "shell", EXAMPLE),
        ):
            self.delegate(name, agent, objective)
            self.end(name)
        self.race("quick", "careful")
        self.service.apply(self.ids["example"])
        self.delegate("soak", "shell", UNTIL_GREEN)
        self.delegate("slow", "demo-quick", OBJECTIVE, pace=9)
        self.delegate("asking", "demo-careful", OBJECTIVE, pace=5)
        wait(lambda: any((self.root / ".caesar/tasks" / self.ids["asking"]).glob("questions/*")))
        self.delegate("queued", "demo-quick", "Say in the README what a slug is")

    def strike(self) -> None:
        """Stop what still runs."""
        for task_id in reversed(self.ids.values()):
            self.service.cancel(task_id)


def fixed_uuid(name: str) -> uuid.UUID:
    """Return the same one for the same name."""
    return uuid.UUID(int=Random(name).getrandbits(128), version=4)


def wait(done: Callable[[], bool]) -> None:
    """Wait until something holds."""
    last = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > last:
            raise SystemExit("the tasks did not get there")
        time.sleep(0.05)


def others(name: str) -> Iterator[uuid.UUID]:
    """Yield the same ones for the same name, without end."""
    random = Random(f"{name}, temporary files")
    while True:
        yield uuid.UUID(int=random.getrandbits(128), version=4)


@contextmanager
def another_home() -> Iterator[Path]:
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
