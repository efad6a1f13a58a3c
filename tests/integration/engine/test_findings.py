"""What the engine adds to a report on its own account."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.sandbox import Sandbox
from tests.integration.engine.conftest import Caesar
from tests.integration.engine.killing import begin, supervise


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    files: dict[str, str | bytes] = {"a.txt": "one\n", ".gitattributes": "*.png filter=pictures\n"}
    return Sandbox.make(tmp_path / "project", files)


def _findings(sandbox: Sandbox, script: str) -> list[tuple[Any, ...]]:
    project, task_id = begin(sandbox, script)
    assert supervise(project, task_id) == ""
    report: dict[str, Any] = json.loads(project.layout.task(task_id).report.read_bytes())
    keys = ("severity", "title", "detail", "file")
    return [tuple(found.get(key) for key in keys) for found in report["findings"]]


def test_d21_a_filter_that_the_agent_assigned_is_told(sandbox: Sandbox) -> None:
    script = (
        "echo '*.txt filter=lfs' >> .gitattributes; mkdir d; echo '* filter=x' > d/.gitattributes"
    )

    told = [
        f for f in _findings(sandbox, script) if f[1] == "The agent assigned a git filter to files"
    ]

    assert [(severity, file) for severity, _, _, file in told] == [
        ("medium", ".gitattributes"),
        ("medium", "d/.gitattributes"),
    ]
    assert told[0][2].endswith("apply: *.txt filter=lfs")


def test_attributes_without_a_new_filter_are_nothing_to_tell(sandbox: Sandbox) -> None:
    script = "echo '*.txt text # filter is not meant' >> .gitattributes"

    assert "The agent assigned a git filter to files" not in {
        title for _, title, _, _ in _findings(sandbox, script)
    }


def test_an_agent_that_empties_its_output_is_told_on(sandbox: Sandbox) -> None:
    script = (
        "echo a long first line\n"
        'until [ -s "$CAESAR_TASK_DIR/raw.log" ]; do sleep 0.05; done\n'
        "echo short > /dev/stdout"
    )

    assert ("low", "The agent emptied its own output") in [
        found[:2] for found in _findings(sandbox, script)
    ]


def test_a_flood_from_what_a_command_leaves_behind_does_not_keep_the_shell_agent(
    caesar: Caesar,
) -> None:
    result = caesar.run("yes flood & echo done", "--timeout", "20s")

    assert (result["status"], result["report_status"]) == ("succeeded", "success")


def test_a_result_outside_of_git_has_the_key_of_its_changes_as_well(
    caesar: Caesar, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()

    result = caesar.run("echo x > x.txt", "--root", str(plain))

    assert result["status"] == "succeeded"
    assert result["diff"] == {"files": [], "is_empty": True}


@pytest.mark.skipif(sys.platform != "linux", reason="who holds which file is read from /proc")
def test_where_our_own_output_goes_is_no_change_by_the_agent(caesar: Caesar) -> None:
    command = [sys.executable, "-m", "caesar_core", "run", "--agent", "shell", "--json"]
    other = caesar.root / "other.txt"
    with (caesar.root / "out.json").open("wb") as out:
        subprocess.run(
            [*command, f"echo x > {other}"], cwd=caesar.root, env=caesar.env, stdout=out, check=True
        )
    told = json.loads((caesar.root / "out.json").read_text())
    files = [finding.get("file") for finding in told["report"]["findings"]]
    assert ("other.txt" in files, "out.json" in files) == (True, False)
