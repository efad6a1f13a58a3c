"""Registering with main agents: their own command, else one key of their file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from caesar_core.engine.clients import (
    CLIENTS,
    UnknownClientError,
    install,
    own_argv,
    uninstall,
)
from caesar_core.engine.json_file import BadJsonFileError
from caesar_core.errors import OperationError

FAKE = """#!/bin/sh
echo "$PWD: $0 $*" >>"$HOME/calls"
case "$*" in
  *" remove "*) [ -e "$HOME/there" ] && rm "$HOME/there" ;;
  *) if [ -e "$HOME/there" ]; then echo "already exists" >&2; exit 1; fi; touch "$HOME/there" ;;
esac
"""
FILES = {
    "copilot": (".copilot/mcp-config.json", "mcpServers"),
    "opencode": (".config/opencode/opencode.json", "mcp"),
    "antigravity": (".gemini/config/mcp_config.json", "mcpServers"),
}


class Person:
    """A home with fake programs, and a project."""

    def __init__(self, home: Path) -> None:
        self.home, self.root = home, home / "project"
        self.root.mkdir()
        self.environment = {"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin"}

    def program(self, name: str, script: str = FAKE) -> None:
        path = self.home / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def calls(self) -> list[str]:
        lines = (self.home / "calls").read_text().splitlines()
        return [line.replace(f"{self.home}/bin/", "") for line in lines]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_m1_by_the_clients_own_command_again_and_again(person: Person, client: str) -> None:
    person.program(client)
    for _ in range(2):
        change = install(client, person.root, environment=person.environment)
    assert change.done == "registered"
    assert change.command[-4:] == ("mcp", "serve", "--root", str(person.root))
    assert " -- " in f" {' '.join(change.command)} "
    first, again, forget, anew = person.calls()
    assert first == again == anew == f"{person.root}: {' '.join(change.command)}"
    assert " mcp remove " in forget
    assert uninstall(client, person.root, environment=person.environment).done == "removed"
    assert uninstall(client, person.root, environment=person.environment).done == "unchanged"


def test_a_client_that_is_not_there_or_refuses_is_named(person: Person) -> None:
    with pytest.raises(OperationError, match="claude is not installed"):
        install("claude", person.root, environment=person.environment)
    person.program("claude", "#!/bin/sh\necho 'no login' >&2; exit 3\n")
    with pytest.raises(OperationError, match="exited with 3: no login"):
        install("claude", person.root, environment=person.environment)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_needs_and_changes_nothing(person: Person, client: str) -> None:
    change = install(client, person.root, dry_run=True, environment=person.environment)
    document = json.loads(json.dumps(change.to_json()))
    assert (document["dry_run"], document["client"]) == (True, client)
    assert str(person.root) in json.dumps(document)
    assert document["action"] == ("write-file" if client in FILES else "run-command")
    assert [path.name for path in person.home.iterdir()] == ["project"]


@pytest.mark.parametrize("client", FILES)
def test_by_an_edit_that_keeps_everything_else(person: Person, client: str) -> None:
    """Case 185."""
    name, key = FILES[client]
    path = person.home / name
    path.parent.mkdir(parents=True)
    other = {"z": 1, key: {"other": {"command": "x", "ünï": [1.5, None]}}, "a": {"b": True}}
    path.write_text(json.dumps(other, indent=4, ensure_ascii=False))
    path.chmod(0o640)
    assert install(client, person.root, environment=person.environment).done == "registered"
    found = json.loads(path.read_text())
    entry = found[key].pop("caesar")
    assert found == other
    assert list(found) == list(other)
    assert str(person.root) in json.dumps(entry)
    assert path.stat().st_mode & 0o777 == 0o640
    assert '\n    "z": 1' in path.read_text()
    assert install(client, person.root, environment=person.environment).done == "unchanged"
    assert uninstall(client, person.root, environment=person.environment).done == "removed"
    assert json.loads(path.read_text()) == other
    assert uninstall(client, person.root, environment=person.environment).done == "unchanged"


@pytest.mark.parametrize("client", FILES)
def test_a_missing_file_is_made_for_the_person_alone(person: Person, client: str) -> None:
    assert uninstall(client, person.root, environment=person.environment).done == "unchanged"
    assert not (person.home / FILES[client][0]).exists()
    install(client, person.root, environment=person.environment)
    assert (person.home / FILES[client][0]).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ['{"a": 1, // mine\n}', "[]", '{"mcp": [], "mcpServers": 1}'])
def test_what_cannot_be_edited_safely_is_refused_and_left(person: Person, text: str) -> None:
    for client, (name, _) in FILES.items():
        path = person.home / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        with pytest.raises(BadJsonFileError, match=path.name):
            install(client, person.root, environment=person.environment)
        assert path.read_text() == text


def test_a_file_with_comments_is_not_passed_over(person: Person) -> None:
    path = person.home / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text("{} // mine")
    with pytest.raises(BadJsonFileError, match="comments"):
        install("opencode", person.root, environment=person.environment)


def test_a_linked_file_is_edited_where_it_is(person: Person) -> None:
    real = person.home / "dotfiles.json"
    real.write_text("{}")
    path = person.home / FILES["copilot"][0]
    path.parent.mkdir()
    path.symlink_to(real)
    install("copilot", person.root, environment=person.environment)
    assert path.is_symlink()
    assert "caesar" in json.loads(real.read_text())["mcpServers"]


def test_an_unknown_client_gets_a_suggestion(person: Person) -> None:
    with pytest.raises(UnknownClientError, match="'claud'") as caught:
        install("claud", person.root)
    assert "claude" in caught.value.hint


def test_it_is_called_by_a_path() -> None:
    program = own_argv()[0]
    assert Path(program).is_absolute()
    assert os.access(program, os.X_OK)
