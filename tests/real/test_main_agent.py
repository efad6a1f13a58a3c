"""Real main agents drive a delegation through the server that `caesar mcp install` registered."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Final

import pytest

from tests.integration.engine.conftest import Caesar
from tests.real.clis import Cli
from tests.real.project import RealProject

pytestmark = pytest.mark.timeout(120)
# A scripted model answers in milliseconds, before servers that start in the background are there.
PATIENT_CODEX: Final = ("-c", "mcp_servers.caesar.required=true")
PATIENT_CLAUDE: Final = {"MCP_CONNECTION_NONBLOCKING": "false"}
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "codex": ("exec", "--json", "--dangerously-bypass-approvals-and-sandbox", *PATIENT_CODEX),
    "claude": ("--allowedTools=mcp__caesar", "--output-format=stream-json", "--verbose", "-p"),
    "opencode": ("run", "--auto"),
    "copilot": ("--no-ask-user", "--allow-all-tools", "-p"),
    "gemini": ("--skip-trust", "--approval-mode", "yolo", "-p"),
}
SETTINGS: Final = {
    **PATIENT_CLAUDE,
    "ENABLE_TOOL_SEARCH": "false",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}


def ask(cli: Cli, caesar: Caesar) -> subprocess.CompletedProcess[str]:
    """Give the CLI a task of its own, as a person does."""
    return subprocess.run(
        [str(cli.bin_folder / cli.bin), *COMMANDS[cli.id], "Delegate it."],
        cwd=caesar.root,
        env={**caesar.env, **SETTINGS},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_m1_a_main_agent_delegates_awaits_reads_and_applies(real: RealProject) -> None:
    real.scenario("delegate")
    caesar = real.caesar
    registered = caesar("mcp", "install", real.cli.id)
    assert registered.code == 0, registered.err
    done = ask(real.cli, caesar)
    assert done.returncode == 0, done.stderr
    assert (caesar.root / "sub.txt").read_text() == "by-sub\n", done.stdout + done.stderr
    [task] = caesar("ps", "--all", "--json").json["tasks"]
    assert (task["agent"], task["status"], task["depth"]) == ("shell", "succeeded", 1)
    assert task["applied_at"]
    assert caesar("mcp", "uninstall", real.cli.id, "--json").json["done"] == "removed"
