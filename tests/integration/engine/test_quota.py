"""A provider whose quota is used up, and budgets: with real supervisors and a scripted CLI."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar

CODEX = """#!/bin/sh
cat >/dev/null
echo '{"type":"thread.started","thread_id":"x"}'
if [ -e "$0.limited" ]; then
  echo "{\\"type\\":\\"turn.failed\\",\\"error\\":{\\"message\\":\\"$(cat "$0.limited")\\"}}"
  exit 1
fi
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":900,"output_tokens":100}}'
cat > "$CAESAR_REPORT_PATH" <<END
{"protocol": "caesar.report/v1", "status": "success", "summary": "done"}
END
[ -z "$SLOW" ] || sleep 30
"""
ROLE = '[[role]]\nname = "r"\nagents = ["codex", "shell"]\nmode = "write"\n'


@pytest.fixture
def codex(caesar: Caesar, tmp_path: Path) -> Path:
    """Put a scripted `codex` on PATH; while the file beside it exists, it is refused."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "codex"
    script.write_text(CODEX)
    script.chmod(0o755)
    caesar.env["PATH"] = f"{folder}{os.pathsep}{caesar.env['PATH']}"
    (caesar.root / ".caesar").mkdir()
    (caesar.root / ".caesar" / "config.toml").write_text(ROLE)
    return Path(f"{script}.limited")


def test_m1_m2_s3_a_used_up_quota_holds_its_tasks_back_and_nobody_elses(
    caesar: Caesar, codex: Path
) -> None:
    """Cases M1, M2, S3."""
    codex.write_text(f"You have hit your usage limit.|{int(time.time()) + 3600}")
    first = caesar("run", "--agent", "codex", "x", "--json")
    assert (first.code, first.json["reason"]) == (1, "quota")

    waiting = caesar.detach("x", agent="codex")
    stopped = caesar.detach("x", agent="codex")
    for task in (waiting, stopped):
        caesar.wait(task, lambda record: record.phase == "quota")
    shown = caesar("ps")
    assert shown.out.count("waits for its quota until") == 2
    assert "codex is paused until" in shown.err
    assert "You have hit your usage limit." in shown.err
    (pause,) = caesar("ps", "--json").json["paused"]
    assert (pause["agent"], pause["reason"], pause["stated"]) == ("codex", "quota", True)
    assert caesar("run", "--agent", "codex", "x", "--dry-run").out.count("The task waits") == 1

    assert caesar("run", "--agent", "shell", "true").code == 0
    passed_over = caesar("run", "--role", "r", "true", "--json")
    assert (passed_over.code, passed_over.json["agent"]) == (0, "shell")
    assert "Passed over" in passed_over.json["warnings"][0]

    assert caesar("cancel", stopped).code == 0
    codex.unlink()
    assert caesar("agents", "resume", "codex", "--json").json == {"id": "codex", "resumed": True}
    assert caesar.wait(waiting).status == "succeeded"
    assert caesar.record(stopped).status == "cancelled"
    assert not caesar.layout.pause("codex").exists()
    assert caesar("agents", "resume", "codex", "--json").json["resumed"] is False


def test_a_budget_stops_a_task_and_says_so(caesar: Caesar, codex: Path) -> None:
    del codex
    (caesar.root / ".caesar" / "config.toml").write_text('[environment]\nset = {SLOW = "1"}\n')
    ran = caesar("run", "--agent", "codex", "x", "--budget", "999tok", "--json")
    assert ran.code == 1
    assert (ran.json["status"], ran.json["reason"]) == ("failed", "budget")
    assert "1000 of 999 tokens" in caesar("logs", ran.json["task_id"]).out


def test_a_budget_that_could_not_be_held_is_told(caesar: Caesar, codex: Path) -> None:
    del codex
    titles = {
        budget: [
            finding["title"]
            for finding in caesar.run("x", "--budget", budget, agent="codex")["report"]["findings"]
        ]
        for budget in ("2usd", "2ktok")
    }
    assert titles["2usd"] == ["Whether it kept to its budget of 2 USD is not known"]
    assert titles["2ktok"] == []


def test_m4_usage_sums_up_what_was_said_and_calls_the_rest_unknown(
    caesar: Caesar, codex: Path
) -> None:
    del codex
    caesar.run("x", agent="codex")
    caesar.run("true")
    found = caesar("usage", "--json").json
    by_agent = {row["key"]: row for row in found["rows"]}
    assert by_agent["codex"]["input_tokens"] == 900
    assert by_agent["codex"]["cost_usd"] is None
    assert by_agent["shell"]["input_tokens"] is None
    assert found["total"]["tokens_unknown"] == 1
    text = caesar("usage").out
    assert "unknown" in text
    assert "900+" in text
    for by in ("day", "race", "task"):
        assert len(caesar("usage", "--by", by, "--since", "1d", "--json").json["rows"]) >= 1
    assert caesar("usage", "--since", "soon").code == 2
