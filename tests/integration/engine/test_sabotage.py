"""Agents that break what is theirs to write in: their worktree, their task directory, us."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from caesar_core.store.record_store import RecordStore
from tests.integration.engine.conftest import Caesar, eventually

FILES = (
    "report.json report.agent.json report.invalid.json events.jsonl raw.log brief.md spool/stdout"
    " spool/offsets.json spool view.json supervisor.log questions answers task.json"
)
REPLACE = """cd "$CAESAR_TASK_DIR"
for name in {files}; do rm -rf $name; mkdir -p $(dirname $name); {how}; done
echo after; sleep 0.1; echo x > "$OLDPWD/x.txt"
"""


@pytest.mark.parametrize(
    "how",
    [
        "mkdir -p $name/inside",
        "mkfifo $name",
        "ln -s /nonexistent/$(basename $name) $name",
        "ln -s $(basename $name) $name",
    ],
)
def test_a_task_ends_and_is_shown_whatever_its_agent_makes_of_our_files(
    caesar: Caesar, how: str
) -> None:
    result = caesar.run(REPLACE.format(files=FILES, how=f"{how} 2>/dev/null"))

    assert result["status"] in {"succeeded", "failed"}
    assert [f["path"] for f in result["diff"]["files"]] == ["x.txt"]
    task_id = result["task_id"]
    assert [caesar(verb, task_id).code for verb in ("show", "logs", "diff", "apply")] == [0] * 4
    assert caesar("logs", "--raw", task_id).code == 0


@pytest.mark.parametrize("what", ['-rf "$CAESAR_TASK_DIR"', '"$CAESAR_TASK_FILE"'])
def test_an_agent_that_removes_its_order_is_named_in_a_finding(caesar: Caesar, what: str) -> None:
    result = caesar.run(f"echo x > x.txt; rm {what}")

    assert [f["path"] for f in result["diff"]["files"]] == ["x.txt"]
    titles = [finding["title"] for finding in result["report"]["findings"]]
    assert titles.count("The agent removed its task directory or its order") == 1


def test_a_task_ends_when_a_file_replaces_its_task_directory(caesar: Caesar) -> None:
    # The supervisor may make the folder anew in between.
    replace = 'until true > "$CAESAR_TASK_DIR"; do rm -rf "$CAESAR_TASK_DIR"; done'

    result = caesar.run(f"{replace}; echo x > x.txt")

    assert result["status"] in {"succeeded", "failed"}
    assert [f["path"] for f in result["diff"]["files"]] == ["x.txt"]


def test_nothing_is_written_through_a_link_in_the_place_of_the_task_directory(
    caesar: Caesar, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    caesar.run(f'rm -rf "$CAESAR_TASK_DIR"; ln -s {elsewhere} "$CAESAR_TASK_DIR"; echo x > x.txt')

    # The agent's own report, which it wrote there itself; nothing of ours.
    assert [path.name for path in elsewhere.iterdir()] == ["report.json"]


@pytest.mark.parametrize("change", ["rm .git", "echo gitdir: $PWD/../../../.git > .git"])
def test_work_survives_an_agent_that_removes_or_redirects_its_git_file(
    caesar: Caesar, change: str
) -> None:
    result = caesar.run(f"{change}; echo x > x.txt")

    assert result["changes_verified_by"] == "git"
    assert caesar("apply", result["task_id"]).code == 0
    assert (caesar.root / "x.txt").read_text() == "x\n"


@pytest.mark.parametrize("change", ["rm .git; git init --quiet", 'rm -rf "$PWD"'])
def test_changes_that_could_not_be_read_are_not_called_none(caesar: Caesar, change: str) -> None:
    result = caesar.run(f"{change}; echo x > x.txt")

    assert any(f["severity"] == "high" for f in result["report"]["findings"])
    for verb in ("diff", "apply"):
        refused = caesar(verb, result["task_id"], "--json")
        assert refused.code == 1
        assert refused.json["error"]["code"] == "unreadable_outcome"


def test_a_followed_run_goes_on_when_its_supervisor_is_killed(caesar: Caesar) -> None:
    """R3: nobody else looks at the store of a build; the run itself replaces the supervisor."""
    run = caesar.start("run", "--agent", "shell", f"{caesar.at_the_gate}; echo x > x.txt", "--json")
    store = RecordStore(caesar.layout)
    record = eventually(
        lambda: next(iter(store.scan().records), None),
        lambda found: found is not None and found.agent_process is not None,
    )
    assert record is not None
    assert record.supervisor is not None

    os.kill(record.supervisor.pid, signal.SIGKILL)
    caesar.gate.touch()

    result = json.loads(run.communicate(timeout=30)[0])
    assert (run.returncode, result["status"]) == (0, "succeeded")
    assert [f["path"] for f in result["diff"]["files"]] == ["x.txt"]


def test_a_command_has_the_time_to_clear_up_when_it_is_stopped(caesar: Caesar) -> None:
    """P5: TERM first, and the command is not killed as soon as its wrapper has got it."""
    result = caesar.run(
        "trap 'sleep 0.8; echo clean > clean.txt; exit 3' TERM; sleep 30 & wait",
        "--timeout",
        "500ms",
    )

    assert (result["status"], result["exit_code"]) == ("timed_out", 3)
    assert [f["path"] for f in result["diff"]["files"]] == ["clean.txt"]


def test_work_that_came_after_an_empty_end_can_be_taken_in(caesar: Caesar) -> None:
    """The worktree is kept as modified, so there has to be a way to have it."""
    result = caesar.run("true")
    Path(result["workspace"], "late.txt").write_text("late\n")

    assert caesar("apply", result["task_id"]).out == "The task changed nothing.\n"
    assert caesar("apply", result["task_id"], "--refresh").code == 0
    assert (caesar.root / "late.txt").read_text() == "late\n"
    record = caesar.record(result["task_id"])
    assert record.stat == {"files": 1, "insertions": 1, "deletions": 0}
    assert record.outcome is not None


def test_a_report_that_was_damaged_later_is_not_shown(caesar: Caesar) -> None:
    """R2: the shape too, not only the syntax."""
    result = caesar.run("echo x > x.txt")
    caesar.layout.task(result["task_id"]).report.write_text('{"changes": "none", "findings": [1]}')

    for verb in ("show", "diff", "apply"):
        assert caesar(verb, result["task_id"], "--json").code == 0
    assert caesar("show", result["task_id"], "--json").json["report"] is None
