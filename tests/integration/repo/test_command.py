from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesar_core.errors import OperationError
from caesar_core.repo.command import Git, GitError
from tests.fakes.sandbox import Sandbox


def test_output_comes_byte_for_byte(sandbox: Sandbox) -> None:
    content = bytes(range(256)) * 10 + b"\n\n"
    sandbox.write({"raw": content})
    sandbox.commit()
    git = sandbox.repository().git()
    assert git.run("cat-file", "blob", "HEAD:raw").stdout == content
    git.stream("cat-file", "blob", "HEAD:raw", out=(out := io.BytesIO()))
    assert out.getvalue() == content


def test_d15_there_is_no_limit_on_output(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.write({"big": os.urandom(1 << 20).hex() * 8})
    sandbox.commit()
    with (tmp_path / "out").open("wb") as out:
        sandbox.repository().git().stream("cat-file", "blob", "HEAD:big", out=out)
    assert (tmp_path / "out").stat().st_size == 16 << 20


def test_a_failure_carries_what_git_said_made_harmless(sandbox: Sandbox) -> None:
    with pytest.raises(GitError) as caught:
        sandbox.repository().git().run("cat-file", "blob", "no\x1b]52such")
    assert caught.value.returncode == 128
    assert caught.value.command == ("cat-file", "blob", "no\x1b]52such")
    assert "\x1b" not in caught.value.message + caught.value.stderr
    with pytest.raises(GitError, match="rev-parse"):
        sandbox.repository().git().stream("rev-parse", "--verify", "nope", out=io.BytesIO())


def test_a_folder_that_is_gone_is_an_operation_error(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match="Cannot run git in"):
        Git(tmp_path / "gone").run("version")


def test_a_missing_git_is_said_so(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from caesar_core.repo.command import Git\n"
        "try:\n    Git(Path('.')).run('version')\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout == "GitMissingError\n"


def test_importing_the_room_does_not_import_gitpython() -> None:
    program = (
        "import sys, pkgutil, importlib, caesar_core.repo as room\n"
        "for found in pkgutil.iter_modules(room.__path__):\n"
        "    importlib.import_module('caesar_core.repo.' + found.name)\n"
        "print([m for m in ('git', 'pydantic', 'subprocess') if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert "git" not in done.stdout
    assert "pydantic" not in done.stdout


def test_nothing_is_asked_on_a_terminal_or_taken_from_the_environment(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Stranger")
    monkeypatch.setenv("GIT_TRACE", "1")
    git = sandbox.repository().git()
    assert git.text("config", "user.name") == "Dev"
    assert git.run("version").stderr == b""
    assert git.text("config", "core.hooksPath") == os.devnull


def test_names_are_never_patterns(sandbox: Sandbox) -> None:
    sandbox.write({"*": "star", "other": "o", ":(top)x": "magic"})
    sandbox.commit()
    git = sandbox.repository().git()
    assert git.items("ls-files", "-z", "--", "*") == [b"*"]
    assert git.items("ls-files", "-z", "--", ":(top)x") == [b":(top)x"]
