"""Which program opens the folder of a task, and what is said when it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.engine.visit import visit_of
from caesar_core.errors import OperationError
from caesar_core.store.records import Record


def record(folder: Path) -> Record:
    return Record(id="t_1", agent="shell", status="running", workspace=str(folder))


def test_an_editor_is_preferred_to_a_shell(tmp_path: Path) -> None:
    known = record(tmp_path)
    both = {"VISUAL": "code -w", "EDITOR": "vi"}
    assert visit_of(known, both).command == ("code", "-w", ".")
    assert visit_of(known, {"EDITOR": " ", "SHELL": "/bin/zsh"}).command == ("/bin/zsh",)
    assert visit_of(known, {}).command == ("/bin/sh",)
    assert visit_of(known, {}).folder == str(tmp_path)


def test_the_program_runs_in_the_folder(tmp_path: Path) -> None:
    assert visit_of(record(tmp_path), {"EDITOR": "cp -r ../from"}).begin() != 0
    assert visit_of(record(tmp_path), {"EDITOR": "touch here"}).begin() == 0
    assert (tmp_path / "here").exists()


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match="could not be opened"):
        visit_of(record(tmp_path), {"EDITOR": "./no-such"}).begin()
    with pytest.raises(OperationError, match="cannot be read"):
        visit_of(record(tmp_path), {"EDITOR": "vi 'open"})
    with pytest.raises(OperationError, match="folder is gone"):
        visit_of(record(tmp_path / "gone"), {})
