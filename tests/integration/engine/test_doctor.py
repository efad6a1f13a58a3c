"""`caesar doctor` and `caesar agents test` with programs that behave well and badly."""

from __future__ import annotations

import os
from pathlib import Path

from tests.integration.engine.conftest import Caesar


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_doctor_asks_every_cli_at_once_and_proves_a_task(caesar: Caesar, tmp_path: Path) -> None:
    """Case O1: what is missing comes with the way to get it."""
    tools = tmp_path / "tools"
    program(tools, "codex", "echo codex-cli 0.169.0")
    program(tools, "agy", "echo 1.2.17")
    program(tools, "copilot", "echo GitHub Copilot CLI 2.0.1.")
    program(tools, "gemini", "sleep 60")
    program(tools, "opencode", "sleep 60")
    path = f"{tools}:{os.environ['PATH']}"
    caesar("agents", "disable", "copilot")

    ran = caesar("doctor", "--json", env={"PATH": path, "OPENAI_API_KEY": "sk-secret-value"})

    assert ran.code == 0, ran.out
    found = ran.json
    agents = {agent["id"]: agent for agent in found["agents"]}
    assert agents["codex"]["version"] == "codex-cli 0.169.0"
    assert agents["codex"]["version_doubt"] is None
    assert agents["codex"]["tested"] == {"from": "0.169.0", "before": "0.170.0"}
    assert agents["copilot"]["version_doubt"].startswith("newer than 1.0.102")
    assert "tested" not in agents["antigravity"]
    assert agents["codex"]["login"] == {"state": "found", "evidence": "$OPENAI_API_KEY"}
    assert "sk-secret-value" not in ran.out
    assert (agents["gemini"]["installed"], agents["gemini"]["version"]) == (True, None)
    assert found["denied"] == ["claude", "copilot"]
    if not agents["claude"]["installed"]:
        assert "npm install -g @anthropic-ai/claude-code" in agents["claude"]["remedy"]
    assert found["proof"]["ok"] is True
    parts = {part["name"]: part["state"] for part in found["parts"]}
    assert parts["git"] == "ok"
    assert {"python", "watcher", "terminal", "configuration"} <= set(parts)


def test_doctor_starts_nothing_that_only_the_repository_names(caesar: Caesar) -> None:
    program(caesar.root, "tool.sh", f"touch {caesar.root}/started; echo 1.0")
    config = caesar.root / ".caesar" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text('[[agent]]\nid = "mine"\nbin = "./tool.sh"\nprompt = "none"\n')

    unasked = {"CAESAR_TRUST": ""}
    found = caesar("doctor", "--no-proof", "--json", env=unasked).json

    assert not (caesar.root / "started").exists()
    assert {p["name"]: p["state"] for p in found["parts"]}["trust"] == "warn"
    caesar("trust")
    again = caesar("doctor", "--no-proof", "--json", env=unasked).json
    agents = {a["id"]: a for a in again["agents"]}
    assert agents["mine"]["version"] == "1.0"


def test_doctor_tells_the_evidence_of_each_agent_in_lines_of_its_own(caesar: Caesar) -> None:
    told = caesar("doctor", "--no-proof", "--verbose").out

    assert "\n\nshell: " in told
    assert "\n  login: -\n  can: jsonEvents\n" in told
    assert "\u240a" not in told


def test_what_is_piped_is_not_cut_to_the_width_of_a_terminal(caesar: Caesar) -> None:
    caesar("config", "set", "policy.denied", *(f"agent-number-{n}" for n in range(9)))
    commands = (("agents", "list"), ("role", "list"), ("doctor", "--no-proof"), ("policy", "show"))

    told = [caesar(*command).out for command in commands]

    assert [text for text in told if "…" in text] == []
    assert all("read-only" in text or "agent-number-8" in text for text in told)


def test_doctor_fails_when_something_essential_is_broken(caesar: Caesar, tmp_path: Path) -> None:
    program(tmp_path / "old", "git", "echo git version 2.20.1")
    ran = caesar("doctor", "--no-proof", env={"PATH": f"{tmp_path}/old:{os.environ['PATH']}"})
    assert (ran.code, "Install git 2.38" in ran.out) == (1, True)

    config = caesar.root / ".caesar" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("[polcy]\n")
    bad = caesar("doctor", "--no-proof")
    assert (bad.code, f"{config}:1" in bad.out) == (1, True)


def test_agent_is_tried_with_a_real_task(caesar: Caesar) -> None:
    assert caesar("agents", "test", "shell").code == 2
    good = caesar("agents", "test", "shell", "--yes", "--json")
    caesar("agents", "add", "mute", "--bin", "sh", "--args", "-c 'exit 3' {{promptFile}}")
    mute = caesar("agents", "test", "mute", "--yes", "--json")

    assert (good.code, good.json["responded"], good.json["status"]) == (0, True, "succeeded")
    assert good.json["duration_ms"] >= 0
    assert (mute.code, mute.json["responded"]) == (1, False)
    assert mute.json["report_source"] == "synthesized"
    assert caesar("agents", "test", "codx", "--yes", "--json").json["error"]["code"] == (
        "unknown_agent"
    )
