"""Signs of a login: a variable or a file, never its content."""

from __future__ import annotations

from pathlib import Path

from caesar_core.agents.login import Login, login_of


def test_variable_or_file_is_named_as_evidence(tmp_path: Path) -> None:
    assert login_of("codex", {}, tmp_path) == Login("none")
    assert login_of("codex", {"OPENAI_API_KEY": "sk-x"}, tmp_path) == Login(
        "found", "$OPENAI_API_KEY"
    )
    assert login_of("codex", {"OPENAI_API_KEY": ""}, tmp_path).state == "none"
    file = tmp_path / ".codex" / "auth.json"
    file.parent.mkdir()
    file.write_text("{}")
    assert login_of("codex", {}, tmp_path) == Login("found", str(file))


def test_moved_home_of_a_cli_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / ".credentials.json").write_text("{}")
    found = login_of("claude", {"CLAUDE_CONFIG_DIR": str(tmp_path)}, tmp_path / "home")

    assert found == Login("found", str(tmp_path / ".credentials.json"))


def test_nothing_cheap_would_tell(tmp_path: Path) -> None:
    assert login_of("antigravity", {}, tmp_path).state == "unknown"
    assert login_of("copilot", {}, tmp_path).state == "unknown"
    assert login_of("copilot", {"GH_TOKEN": "x"}, tmp_path).state == "found"
    assert login_of("mine", {}, tmp_path).state == "unknown"
