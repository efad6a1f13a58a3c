"""A program in a home of links: nothing of the user's is lost, nothing of ours stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar
from tests.integration.engine.test_clis import install, says

WORKS = f"""
cd "$GEMINI_CLI_HOME/.gemini" || exit 9
cp settings.json "$HOME/../seen.json"
echo token-2 > oauth_creds.json.tmp && touch -d '+1 hour' oauth_creds.json.tmp
mv oauth_creds.json.tmp oauth_creds.json
echo two >> accounts.json
mkdir -p tmp/project/chats && echo hello > tmp/project/chats/session-1.json
echo '{{"changed": true}}' > settings.json
{
    says(
        {"type": "init", "session_id": "s-1"},
        {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
        {"type": "result", "status": "success", "stats": {}},
    )
}
"""


@pytest.fixture
def home(caesar: Caesar) -> Path:
    """Return the user's `.gemini`."""
    folder = Path(caesar.env["HOME"]) / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"ui": {"theme": "mine"}} // mine\n')
    (folder / "oauth_creds.json").write_text("token-1\n")
    (folder / "accounts.json").write_text("one\n")
    (folder / "oauth_creds.json").chmod(0o600)
    return folder


def test_what_the_program_renews_stays_and_what_is_ours_goes(caesar: Caesar, home: Path) -> None:
    install(caesar, "gemini", WORKS)
    result = caesar.run("say hi", "--channel", agent="gemini")
    assert result["status"] == "succeeded", result
    seen = json.loads((home.parent.parent / "seen.json").read_text())
    assert seen["ui"] == {"theme": "mine"}
    assert "--task-dir" in seen["mcpServers"]["caesar"]["args"]
    assert (home / "settings.json").read_text() == '{"ui": {"theme": "mine"}} // mine\n'
    assert (home / "oauth_creds.json").read_text() == "token-2\n"
    assert (home / "accounts.json").read_text() == "one\ntwo\n"
    assert (home / "tmp" / "project" / "chats" / "session-1.json").read_text() == "hello\n"
    assert not any(path.is_symlink() for path in home.rglob("*"))
    assert list(caesar.layout.plans.iterdir()) == []


def test_sessions_of_a_home_without_a_folder_are_found_again(caesar: Caesar) -> None:
    install(caesar, "gemini", WORKS)
    assert caesar.run("say hi", agent="gemini")["status"] == "succeeded"
    home = Path(caesar.env["HOME"]) / ".gemini"
    assert (home / "tmp" / "project" / "chats" / "session-1.json").exists()
    assert not (home / "settings.json").exists()


def test_settings_that_cannot_be_read_cost_the_channel_and_nothing_else(
    caesar: Caesar, home: Path
) -> None:
    (home / "settings.json").write_text("{ broken")
    script = says(
        {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
        {"type": "result", "status": "success", "stats": {}},
    )
    install(caesar, "gemini", f'[ -z "$GEMINI_CLI_HOME" ] || exit 9\n{script}')
    result = caesar.run("say hi", "--channel", agent="gemini")
    assert result["status"] == "succeeded"
    [finding] = [one for one in result["report"]["findings"] if "Channel" in one["title"]]
    assert "settings.json is not JSON" in finding["detail"]
    assert (home / "settings.json").read_text() == "{ broken"
