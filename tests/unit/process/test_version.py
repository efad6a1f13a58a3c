"""Asking a program for its version never hangs and never trusts what it prints."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pytest

from caesar_core.process.version import program_version


def script(folder: Path, text: str) -> Path:
    path = folder / "tool"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo; echo '  tool 1.2 '; echo more", "tool 1.2"),
        ("echo on stderr >&2", "on stderr"),
        ("printf 'caf\\351'", "caf\ufffd"),
        ("echo 3; exit 1", None),
        ("exit 0", None),
        ("yes | head -c 100000", "y"),
        ("cat; ls; echo end", "end"),
    ],
)
def test_first_line_is_the_version(tmp_path: Path, text: str, version: str | None) -> None:
    assert program_version(script(tmp_path, text), {"PATH": "/usr/bin:/bin"}) == version


def test_program_that_hangs_is_killed_with_all_it_started(tmp_path: Path) -> None:
    tool = script(tmp_path, f"sleep 600 & echo $! > {tmp_path}/pid; wait")
    begin = time.monotonic()

    assert program_version(tool, {"PATH": "/usr/bin:/bin"}, timeout=0.5) is None

    assert time.monotonic() - begin < 5
    pid = int((tmp_path / "pid").read_text())
    limit = time.monotonic() + 5
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < limit


def test_what_cannot_be_started_has_no_version(tmp_path: Path) -> None:
    assert program_version(tmp_path / "nothing", {}) is None
