from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.sandbox import Sandbox

LINES = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    files: dict[str, str | bytes] = {
        "f.txt": LINES,
        "g.txt": LINES,
        "sub/x.py": "x = 1\n",
        "logo.png": b"\x89PNG\0\1\2\3" * 8,
        ".gitignore": "*.log\n.env\nbuild/\n.caesar/\n",
    }
    return Sandbox.make(tmp_path / "repo", files)
