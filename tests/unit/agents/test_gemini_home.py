"""The settings that a run of Gemini CLI gets: the user's, and what of ours is added."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caesar_core.agents.base import ChannelServer, Invocation, Job
from caesar_core.agents.gemini import GeminiAgent
from tests.unit.agents.jobs import make_job

PRIVATE = Path("/project/.caesar/state/plans/t_1.private")
CHANNEL = ChannelServer(("/py", "-m", "channel"), {"KEY": "v"})
READ = make_job(mode="read-only", private_dir=PRIVATE)
TALK = replace(READ, channel=CHANNEL)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the user's settings would be."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GEMINI_CLI_HOME", raising=False)
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    return path


def invoked(job: Job) -> tuple[Invocation, dict[str, Any]]:
    """Return the process for a job, and the settings that it gets."""
    invocation = GeminiAgent().invoke(job)
    path = PRIVATE / ".gemini" / "settings.json"
    [text] = [file.text for file in invocation.files if file.path == path]
    document: dict[str, Any] = json.loads(text)
    return invocation, document


def test_a_private_home_shows_the_users_own(settings: Path) -> None:
    invocation, _ = invoked(READ)
    assert invocation.env["GEMINI_CLI_HOME"] == str(PRIVATE)
    shown = {mirror.folder: (mirror.source, mirror.only) for mirror in invocation.mirrors}
    assert shown == {
        PRIVATE / ".gemini": (settings.parent, ()),
        PRIVATE: (settings.parent.parent, (".agents", ".env")),
    }


def test_the_channel_joins_the_users_servers_and_is_trusted(settings: Path) -> None:
    settings.write_text('{"mcpServers": {"mine": {"command": "x"}}, "mcp": {"allowed": ["mine"]}}')
    invocation, found = invoked(TALK)
    assert found["mcpServers"] == {
        "mine": {"command": "x"},
        "caesar": {"command": "/py", "args": ["-m", "channel"], "env": {"KEY": "v"}, "trust": True},
    }
    assert found["mcp"] == {"allowed": ["mine", "caesar"]}
    [policy] = [file.text for file in invocation.files if file.path.suffix == ".toml"]
    assert 'mcpName = "caesar"' in policy


def test_without_the_channel_no_server_is_added_or_allowed(settings: Path) -> None:
    invocation, found = invoked(READ)
    assert set(found) == {"general"}
    assert not any("mcpName" in file.text for file in invocation.files)


@pytest.mark.parametrize(
    ("asked", "got"), [(None, 5), (2, 2), (10, 5), ("many", 5), (True, 5)], ids=str
)
def test_it_tries_again_five_times_at_most(settings: Path, asked: object, got: int) -> None:
    settings.write_text(json.dumps({"general": {"maxAttempts": asked, "vimMode": True}}))
    assert invoked(READ)[1]["general"] == {"maxAttempts": got, "vimMode": True}


def test_comments_in_settings_are_understood(settings: Path) -> None:
    settings.write_text('{ // mine\n "a": "http://x/*y*/", /* "b": 1,\n */ "c": "\\"//"}')
    _, found = invoked(READ)
    assert (found["a"], found["c"]) == ("http://x/*y*/", '"//')
    assert "b" not in found


@pytest.mark.parametrize("text", ["{", "[]", "\xff", "[" * 20_000])
def test_settings_that_cannot_be_read_are_left_alone(settings: Path, text: str) -> None:
    settings.write_bytes(text.encode("latin-1"))
    able = GeminiAgent().capabilities
    assert able.mcp_injection == "none"
    assert str(settings) in able.not_injected
    invocation = GeminiAgent().invoke(TALK)
    assert (invocation.mirrors, "GEMINI_CLI_HOME" in invocation.env) == ((), False)


def test_a_home_that_the_user_chose_is_the_one_that_is_shown(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "elsewhere"
    monkeypatch.setenv("GEMINI_CLI_HOME", str(chosen))
    invocation, found = invoked(TALK)
    assert {mirror.source for mirror in invocation.mirrors} == {chosen, chosen / ".gemini"}
    assert found["mcpServers"]
    assert not os.path.lexists(chosen)
