"""X3: an agent, or a person's `git clean -ffdx`, that takes all of `.caesar` away meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesar_core.engine.project import Project
from tests.fakes.sandbox import Sandbox
from tests.integration.engine.conftest import Caesar
from tests.integration.engine.killing import begin, record_of, supervise

RECORD = "The task's record was removed or damaged while it ran"


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    return Sandbox.make(tmp_path / "project", {"a.txt": "one\n"})


def _report(project: Project, task_id: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(project.layout.task(task_id).report.read_bytes())
    return report


def _titles(project: Project, task_id: str) -> list[str]:
    return [found["title"] for found in _report(project, task_id)["findings"]]


def _remains(project: Project) -> list[str]:
    """Return what is left that only a running task needs."""
    folders = (project.layout.plans, project.layout.locks, project.layout.slots)
    return [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]


def test_x3_record_report_order_and_what_was_committed_outlive_the_store(sandbox: Sandbox) -> None:
    store = sandbox.root / ".caesar"
    script = "echo new > b.txt; git add b.txt; git commit -qm b; echo lost > c.txt"
    project, task_id = begin(sandbox, f"{script}; rm -rf {store}; exit 0")
    order = project.layout.task(task_id).task.read_bytes()

    assert supervise(project, task_id) == ""

    record = record_of(project, task_id)
    assert (record.status, record.stat) == (
        "succeeded",
        {"files": 1, "insertions": 1, "deletions": 0},
    )
    assert sandbox.listing(str(record.outcome)).keys() == {"a.txt", "b.txt"}
    assert _titles(project, task_id).count(RECORD) == 1
    assert project.layout.task(task_id).task.read_bytes() == order
    assert project.layout.ignore_file.exists()
    assert _remains(project) == []


@pytest.mark.parametrize(
    "how",
    [
        "echo '[' > {record}",
        "rm {record}; mkdir -p {record}/in",
        "rm {record}; mkfifo {record}",
        "rm {record}; ln -s /dev/zero {record}",
        "rm -rf {store}/state; echo x > {store}/state",
        "rm -rf {store}; echo x > {store}",
        "rm -rf {store}; ln -s {outside} {store}",
        "rm -rf {store}/state; ln -s {outside} {store}/state",
        "rm -rf {store}/state/plans; echo x > {store}/state/plans",
    ],
)
def test_x3_what_was_put_in_the_place_of_record_and_store_goes(
    sandbox: Sandbox, tmp_path: Path, how: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project, task_id = begin(sandbox, "sh ../../../../how.sh")
    places = {"store": project.layout.caesar, "record": project.layout.record(task_id)}
    # The supervisor may come in between: then there is nothing left to put anything in place of.
    known = f"until grep -q running {places['record']}; do sleep 0.01; done"
    script = f"{known}\n{how.format(outside=outside, **places)}\nexit 0\n"
    (tmp_path / "how.sh").write_text(script)

    assert supervise(project, task_id) == ""

    assert record_of(project, task_id).status == "succeeded"
    assert any(
        "stood in the place" in title or title == RECORD for title in _titles(project, task_id)
    )
    assert list(outside.iterdir()) == []
    assert _remains(project) == []


def test_x3_a_store_that_goes_before_the_agent_starts_ends_the_task_with_its_reason(
    sandbox: Sandbox,
) -> None:
    gone = f"[worktree]\nsetup = ['rm -rf {sandbox.root}/.caesar']\n"
    project, task_id = begin(sandbox, "true", config=gone)

    assert supervise(project, task_id) == ""

    assert record_of(project, task_id).status == "failed"
    assert RECORD in _titles(project, task_id)
    assert _remains(project) == []


def test_x3_who_follows_the_task_sees_its_end_and_others_come_back_as_well(caesar: Caesar) -> None:
    other = caesar.detach(f"{caesar.at_the_gate}; echo told")
    caesar.wait(other, lambda record: record.agent_process is not None)

    wipe = f'rm -rf {caesar.root}/.caesar; until cat "$CAESAR_TASK_FILE"'

    ended = caesar("run", "--agent", "shell", f"{wipe}; do sleep 0.02; done", "--json")

    assert (ended.code, ended.json["status"]) == (0, "succeeded")
    assert RECORD in [found["title"] for found in ended.json["report"]["findings"]]
    caesar.gate.touch()
    ran = {task["id"]: task["status"] for task in caesar("ps", "--json").json["tasks"]}
    assert ran.keys() == {other, ended.json["task_id"]}
    assert caesar.wait(other).status == "succeeded"
    assert caesar("retry", ended.json["task_id"]).code == 0
