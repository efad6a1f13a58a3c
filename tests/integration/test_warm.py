"""The forked command line behaves as one that was started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import plain_environment, run_caesar


def _env(home: Path) -> dict[str, str]:
    return plain_environment() | {"HOME": str(home)}


@pytest.mark.parametrize(
    "args",
    [
        ("--version",),
        ("ps", "--json"),
        ("help", "run"),
        ("no-such-command",),
        ("run", "--agent", "shell", "--dry-run", "echo \N{SNOWMAN}", "--json"),
        ("show", "t_none", "--json"),
    ],
)
def test_it_says_and_returns_what_a_started_one_does(tmp_path: Path, args: tuple[str, ...]) -> None:
    started = subprocess.run(
        [sys.executable, "-m", "caesar_core", *args],
        cwd=tmp_path,
        env=_env(tmp_path),
        input=b"",
        capture_output=True,
        check=False,
    )

    warm = run_caesar(args, cwd=tmp_path, env=_env(tmp_path))

    assert (warm.returncode, warm.stdout, warm.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_it_reads_what_it_is_given(tmp_path: Path) -> None:
    long = b"# " + b"x" * 100_000
    args = ("run", "--agent", "shell", "--dry-run", "--json", "-")

    ran = run_caesar(args, cwd=tmp_path, env=_env(tmp_path), stdin=long)

    assert ran.returncode == 0, ran.stderr


def test_it_is_killed_when_it_takes_too_long(tmp_path: Path) -> None:
    args = ("questions", "--follow")

    with pytest.raises(subprocess.TimeoutExpired):
        run_caesar(args, cwd=tmp_path, env=_env(tmp_path), timeout=0.3)
