"""The commands that read and change the configuration, as real processes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tests.integration.engine.conftest import Caesar


def snapshot(*roots: Path) -> dict[str, str]:
    """Return every file and folder with its content's digest and the time of its change."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = f"{hashlib.sha256(content).hexdigest()} {os.lstat(path).st_mtime_ns}"
    return found


def test_case_71_two_scopes_are_refused_and_nothing_is_written(caesar: Caesar) -> None:
    before = snapshot(caesar.root)
    for command in (
        ("config", "set", "policy.max_parallel", "3"),
        ("agents", "disable", "codex"),
        ("role", "add", "r", "--agents", "shell", "--mode", "write"),
    ):
        ran = caesar(*command, "--global", "--local", "--json")
        assert (ran.code, ran.json["error"]["code"]) == (2, "usage")
    assert snapshot(caesar.root) == before


def test_one_setting_through_its_life(caesar: Caesar) -> None:
    assert caesar("config", "get", "policy.max_parallel").out == "4\n"
    wrote = caesar("config", "set", "policy.max_parallel", "3", "--json").json
    assert (wrote["scope"], wrote["changed"], wrote["effective"][0]["value"]) == (
        "project",
        True,
        3,
    )
    over = caesar("config", "set", "policy.max_parallel", "2", "--local")
    assert over.code == 0
    weaker = caesar("config", "set", "policy.max_parallel", "5", "--global")
    assert "The local file says something else, which wins here." in weaker.err
    shown = caesar("config", "get", "policy.max_parallel", "--json").json
    assert (shown["value"], shown["layer"]) == (2, "local")
    assert shown["file"].endswith("config.local.toml")
    assert caesar("config", "unset", "policy.max_parallel", "--local").code == 0
    values = {v["path"]: v for v in caesar("config", "show", "--json").json["values"]}
    assert values["policy.max_parallel"]["layer"] == "project"
    assert values["role.reviewer"]["layer"] == "default"


def test_case_81_lists_of_agents_and_their_warnings(caesar: Caesar) -> None:
    off = caesar("agents", "disable", "codex", "--json").json
    assert (off["enabled"], off["denied"], off["materialized"]) == (False, ["codex"], True)
    refused = caesar("run", "--agent", "codex", "x", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "policy_refused")
    assert caesar("agents", "enable", "codex", "--json").json["denied"] == []
    allowed = caesar("policy", "allow", "shell")
    assert "every other agent is refused" in allowed.err
    verdicts = {a["id"]: a["policy"] for a in caesar("agents", "list", "--json").json["agents"]}
    assert (verdicts["shell"]["allowed"], verdicts["gemini"]["rule"]) == (True, "allowed")
    policy = caesar("policy", "show", "--json").json
    assert policy["policy"]["allowed"] == ["shell"]
    assert policy["provenance"]["allowed"] == "project"
    assert [s["layer"] for s in policy["sources"]] == ["global", "project", "local"]


def test_declared_agent_and_role_work_at_once(caesar: Caesar) -> None:
    """What our own commands write needs no further consent."""
    added = caesar(
        "agents", "add", "mine", "--bin", "sh", "--args", "-c 'echo hi' {{promptFile}}", "--json"
    ).json
    assert added["overrides_native"] is False
    assert caesar("role", "add", "r", "--agents", "nobody,mine", "--mode", "write").code == 0
    roles = {r["name"]: r for r in caesar("role", "list", "--json").json["roles"]}
    assert roles["r"]["picked"] == "mine"
    shown = caesar("role", "show", "r")
    assert (shown.code, "nobody, mine" in shown.out) == (0, True)
    assert caesar("role", "--json").json == caesar("role", "list", "--json").json
    assert roles["r"]["skipped"] == [{"agentId": "nobody", "reason": "there is no such agent"}]
    planned = caesar("run", "--role", "r", "x", "--dry-run", "--json").json
    decisions = {d["field"]: d for d in planned["decisions"]}
    assert decisions["agent"]["reason"] == "role r; skipped nobody: there is no such agent"
    assert caesar("trust", "--show", "--json").json["trusted"] is True
    assert caesar("run", "--role", "r", "x", "--json").json["agent"] == "mine"


def test_dry_run_says_that_consent_would_be_asked_for(caesar: Caesar) -> None:
    config = caesar.root / ".caesar" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("[worktree]\nsetup = ['make deps']\n")

    asked = caesar("run", "--agent", "shell", "true", "--dry-run", env={"CAESAR_TRUST": ""})

    assert asked.code == 0
    assert "note: 1 command of this repository would need your consent first" in asked.out


def test_validate_names_what_is_wrong(caesar: Caesar) -> None:
    config = caesar.root / ".caesar" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("[policy]\nmax_paralel = 1\n")

    ran = caesar("config", "validate", "--json")

    files = {file["layer"]: file for file in ran.json["files"]}
    assert (ran.code, ran.json["valid"], files["project"]["valid"]) == (2, False, False)
    assert files["project"]["message"].startswith(f"{config}:2:")
    assert "'max_parallel'" in files["project"]["hint"]
    assert caesar("config", "path", "--local").out.strip().endswith("config.local.toml")


def test_edit_needs_an_editor_and_a_terminal(caesar: Caesar) -> None:
    without = caesar("config", "edit", env={"EDITOR": "", "VISUAL": ""})
    piped = caesar("config", "edit", env={"EDITOR": "true"})

    assert (without.code, piped.code) == (2, 2)
    assert "No editor is set" in without.err
    assert "terminal" in piped.err
    assert not (caesar.root / ".caesar" / "config.toml").exists()


def test_dry_run_tells_every_decision_and_touches_nothing(caesar: Caesar) -> None:
    home = Path(caesar.env["HOME"])
    before = snapshot(caesar.root, home)

    planned = caesar("run", "--agent", "shell", "true", "--dry-run", "--json").json
    text = caesar("run", "--agent", "shell", "true", "--dry-run").out
    refused = caesar("run", "--agent", "shell", "true", "--dry-run", env={"CAESAR_DEPTH": "1"})
    garbage = caesar("run", "--agent", "shell", "true", "--dry-run", env={"CAESAR_DEPTH": "-7"})

    fields = [d["field"] for d in planned["decisions"]]
    assert fields[:4] == ["role", "agent", "policy", "depth"]
    assert {"mode", "isolation", "network", "model", "deadline_ms"} <= set(fields)
    assert all(d["reason"] for d in planned["decisions"])
    assert all(field in text for field in fields)
    rows = {line.split()[0]: line.split()[1] for line in text.splitlines()}
    assert (rows["depth"], rows["network"], rows["model"]) == ("1", "on", "-")
    assert (refused.code, garbage.code) == (2, 0)
    assert "depth 2 reaches the limit" in refused.err.lower()
    assert snapshot(caesar.root, home) == before
