"""No test sees the machine it runs on: not its home, its git configuration or its settings."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

_GIT_CONFIG = """\
[user]
    name = Test Person
    email = test@example.org
[init]
    defaultBranch = main
"""
_REMOVED = ("GIT_", "CAESAR_", "XDG_")
_REMOVED_NAMES = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TEXTUAL_THEME", "COLUMNS", "LINES")

# A shell lets what it runs in the background ignore these, and all our processes would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def scrubbed_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give the test an empty home with a known git configuration, and return it."""
    for name in list(os.environ):
        if name.startswith(_REMOVED) or name in _REMOVED_NAMES:
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    git_config = home / ".gitconfig"
    git_config.write_text(_GIT_CONFIG)
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(git_config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture(autouse=True)
def kept_signals() -> Iterator[None]:
    """Leave no handler behind: what a supervisor in this process ignores, later children would."""
    kept = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
    before = [(number, signal.getsignal(number)) for number in kept]
    yield
    for number, handler in before:
        signal.signal(number, handler)
