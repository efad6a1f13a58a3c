"""The GitHub action and the GitLab job of docs/ci: their shell steps, run as the services do."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hygiene.source import ROOT
from tests.integration.engine.conftest import Caesar, Ran
from tests.integration.engine.launch import command_on_path

CI = ROOT / "docs" / "ci"
RESULTS = ("changes.patch", "findings.sarif", "junit.xml", "result.json", "summary.md")
EXPRESSION = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


@dataclass
class Runner:
    """A job in a shallow clone on a detached HEAD, without terminal and without a home."""

    clone: Path
    env: dict[str, str]

    def step(self, script: str, shell: tuple[str, ...], env: dict[str, str]) -> Ran:
        done = subprocess.run(
            [*shell, script],
            cwd=self.clone,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=50,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def runner(caesar: Caesar, tmp_path: Path) -> Runner:
    clone = tmp_path / "checkout"
    caesar.git("clone", "--quiet", "--depth", "1", f"file://{caesar.root}", str(clone))
    caesar.git("checkout", "--quiet", "--detach", cwd=clone)
    kept = {n: v for n, v in caesar.env.items() if n not in ("HOME", "CAESAR_TRUST")}
    path = f"{command_on_path(tmp_path / 'bin')}{os.pathsep}{kept['PATH']}"
    return Runner(clone, {**kept, "CI": "true", "TERM": "dumb", "PATH": path})


def action_step(name: str, given: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return script and environment of a step, expressions filled in as the runner does."""
    action: dict[str, Any] = yaml.safe_load((CI / "action.yml").read_text("utf-8"))
    values = {key: spec.get("default", "") for key, spec in action["inputs"].items()} | given
    (step,) = (step for step in action["runs"]["steps"] if step["name"] == name)
    assert step["shell"] == "bash"
    assert "${{" not in step["run"], "an input in the script itself would be run"
    env = {k: EXPRESSION.sub(lambda m: values[m[1]], v) for k, v in step["env"].items()}
    return step["run"], env


def run_action(runner: Runner, **given: str) -> tuple[Ran, dict[str, str]]:
    output, summary = runner.clone.parent / "output", runner.clone.parent / "summary"
    service = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    script, env = action_step("Run the task", {k.replace("_", "-"): v for k, v in given.items()})
    bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
    ran = runner.step(script, bash, {**service, **env})
    pairs = (line.partition("=") for line in output.read_text().splitlines())
    return ran, {name: value for name, _, value in pairs}


def test_the_action_runs_a_task_and_leaves_the_evidence(runner: Runner) -> None:
    """Cases I3, I5."""
    objective = "echo four >> a.txt; echo '$(touch pwned)' > \"b c\""
    ran, output = run_action(
        runner, objective=objective, checks="grep four a.txt\ntest -f 'b c'\n", fail_on="check"
    )
    assert ran.code == 0, ran.err
    folder = runner.clone / output["results"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(RESULTS)
    result = json.loads((folder / "result.json").read_bytes())
    assert output["task"] == result["task_id"]
    assert [check["passed"] for check in result["checks"]] == [True, True]
    assert "✅" in (runner.clone.parent / "summary").read_text()
    assert not (runner.clone / "pwned").exists()


def test_the_action_fails_as_the_task_does_and_keeps_the_evidence(runner: Runner) -> None:
    ran, output = run_action(runner, objective="exit 7")
    assert ran.code == 1
    assert "::error title=caesar shell%3A failed::" in ran.err
    assert "<error " in (runner.clone / output["results"] / "junit.xml").read_text()


def test_the_action_says_what_was_wrong_with_a_call(runner: Runner) -> None:
    ran, output = run_action(runner, objective="true", fail_on="nonsense")
    assert ran.code == 2
    assert "nonsense" in ran.err
    assert output["task"] == ""


def test_the_gitlab_job_runs_a_task_and_leaves_the_evidence(runner: Runner) -> None:
    """Cases I3, I5."""
    job: dict[str, Any] = yaml.safe_load((CI / "gitlab.yml").read_text("utf-8"))[".caesar"]
    variables = {
        **job["variables"],
        "CAESAR_INSTALL": "true",
        "CAESAR_OBJECTIVE": "echo four >> a.txt",
        "CAESAR_CHECK": "grep four a.txt",
    }
    ran = runner.step(
        "\n".join(job["script"]), ("sh", "-e", "-c"), {**variables, "GITLAB_CI": "true"}
    )
    assert ran.code == 0, ran.err
    folder = runner.clone / "caesar-results"
    assert sorted(path.name for path in folder.iterdir()) == sorted(RESULTS)
    reports = job["artifacts"]["reports"]
    assert (runner.clone / reports["junit"]).is_file()
    assert json.loads((runner.clone / reports["codequality"]).read_bytes()) == []
