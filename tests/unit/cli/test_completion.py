"""Completion of ids looks at the project that the command line names."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from caesar_core.cli.main import cli
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record


def _offered(words: list[str], start: str = "t_") -> list[str]:
    shell = BashComplete(cli, {}, "caesar", "_CAESAR_COMPLETE")
    return [item.value for item in shell.get_completions(words, start)]


def test_ids_are_those_of_the_root_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        RecordStore(Layout(tmp_path / name)).create(Record(id=f"t_{name}", agent="x"))
    monkeypatch.chdir(tmp_path / "here")
    there = str(tmp_path / "there")

    assert _offered(["show"]) == ["t_here"]
    assert _offered(["--root", there, "show"]) == ["t_there"]
    assert _offered(["show", "--root", there]) == ["t_there"]
    assert _offered(["show", f"--root={there}"]) == ["t_there"]


def test_where_there_is_no_project_nothing_is_offered_and_nothing_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert _offered(["show"]) == []
    assert _offered(["--root", str(gone), "show"]) == []
