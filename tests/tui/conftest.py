from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import _wait
from textual.widgets import Input

from tests.tui.racers import add_race
from tests.tui.sample import Sample


@pytest.fixture(autouse=True)
def steady_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(Input, "cursor_blink", False)
    # Textual's pilot takes a process for idle after 20 ms, several times a key.
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 0.003)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", 0.001)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def empty(tmp_path: Path) -> Sample:
    root = tmp_path / "src" / "parser"
    root.mkdir(parents=True)
    return Sample(root)


@pytest.fixture
def sample(empty: Sample) -> Sample:
    return empty.fill()


@pytest.fixture
def race(sample: Sample) -> Sample:
    return add_race(sample)
