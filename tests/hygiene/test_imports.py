"""What starting the product costs, held on facts: which libraries an import brings along."""

from __future__ import annotations

import json
import subprocess
import sys
from pkgutil import walk_packages

import pytest

from tests.hygiene.source import ROOT

HEAVY = ("asyncio", "git", "mcp", "pydantic", "rich", "textual", "watchdog")
PROBE = """
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
"""


def loaded_by(*modules: str) -> set[str]:
    """Return the top packages that a fresh interpreter holds after importing `modules`."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *modules], check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout))


def modules_of(room: str) -> list[str]:
    path = ROOT.joinpath(*room.split("."))
    return [found.name for found in walk_packages([str(path)], f"{room}.")]


def test_the_probe_can_fail() -> None:
    assert "pydantic" in loaded_by("caesar_core.protocol.document")


def test_the_command_line_starts_without_anything_heavy() -> None:
    assert not loaded_by("caesar_core.cli.main").intersection(HEAVY)


def test_the_front_door_answers_the_version_without_click() -> None:
    assert not loaded_by("caesar_core.__main__").intersection((*HEAVY, "click"))


def test_a_supervisor_is_light() -> None:
    heavy = ("click", "mcp", "pydantic", "rich", "textual", "tomlkit", "watchdog")
    assert not loaded_by("caesar_core.engine.run").intersection(heavy)


def test_the_engine_loads_pydantic_for_orders_and_reports_only() -> None:
    """`ps` beside running tasks, `watch --once` and `logs` need neither."""
    assert not loaded_by("caesar_core.engine.service").intersection((*HEAVY, "click"))


@pytest.mark.parametrize("room", ["caesar_core.store", "caesar_core.process"])
def test_files_and_processes_need_no_library_but_psutil(room: str) -> None:
    assert not loaded_by(*modules_of(room)).intersection((*HEAVY, "click", "tomlkit"))


@pytest.mark.parametrize("room", ["caesar_core.board", "caesar_core.agents"])
def test_the_board_and_the_agents_need_no_library(room: str) -> None:
    assert not loaded_by(*modules_of(room)).intersection((*HEAVY, "click", "tomlkit"))


def test_git_python_is_imported_by_the_first_git_call_only() -> None:
    assert "git" not in loaded_by(*modules_of("caesar_core.repo"))


def test_no_room_of_the_core_loads_the_dashboard() -> None:
    rooms = ("agents", "board", "config", "engine", "process", "protocol", "repo", "store", "watch")
    modules = [name for room in rooms for name in modules_of(f"caesar_core.{room}")]
    assert not loaded_by(*modules).intersection(("caesar_tui", "mcp", "textual"))
