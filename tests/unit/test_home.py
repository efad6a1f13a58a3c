"""A container may run us as a user that nobody knows, without HOME."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.engine.doctor import diagnose
from caesar_core.engine.machine import Part
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError
from caesar_core.home import expand_home, home_folder, known_home


def nobody() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", nobody)


def test_home_is_the_variable_then_the_systems() -> None:
    assert home_folder({"HOME": "/h"}) == Path("/h")
    assert home_folder({"HOME": "h"}) == home_folder({}) == Path.home()


def test_i3_without_a_home_nothing_fails_that_only_reads(homeless: None, tmp_path: Path) -> None:
    assert home_folder() == Path("/")
    assert expand_home("a/~b") == Path("a/~b")
    assert expand_home("~no-such-user/x") == Path("~no-such-user/x")
    diagnosis = diagnose(Project(tmp_path), Part("terminal", "ok", ""), with_proof=False)
    assert diagnosis.ok


def test_i3_without_a_home_nothing_is_written_to_the_root_folder(homeless: None) -> None:
    with pytest.raises(CaesarError, match="home"):
        known_home()
