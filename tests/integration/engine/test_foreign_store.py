"""What the reference implementation left behind, read and concluded by us (cases 149 to 151)."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from caesar_core.identity import current
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.integration.engine.conftest import Caesar, eventually

WHEN = "2026-11-30T20:00:00.000Z"


class Foreign:
    """A task as the reference implementation writes it: its keys, its files, nothing of ours."""

    def __init__(self, caesar: Caesar, **record: Any) -> None:
        self.caesar = caesar
        self.id = f"t_{uuid.uuid4().hex}"
        self.files = caesar.layout.task(self.id)
        self.worktree = caesar.layout.worktree(caesar.root, self.id)
        self.branch = f"caesar/codex/work-{self.id[2:10]}"
        self.worktree.parent.mkdir(parents=True, exist_ok=True)
        (caesar.layout.caesar / ".gitignore").write_text("*\n")
        caesar.git("worktree", "add", "--quiet", "-b", self.branch, str(self.worktree), "HEAD")
        self.base = caesar.git("rev-parse", "HEAD").strip()
        self.files.dir.mkdir(parents=True)
        self.files.raw_log.write_text("working\n")
        self.write_task(base_ref=self.base)
        document = {
            "id": self.id,
            "agent": "codex",
            "objective": "work",
            "status": "running",
            "created_at": WHEN,
            "started_at": WHEN,
            "task_dir": str(self.files.dir),
            "workspace": str(self.worktree),
            "isolation": "worktree",
            "mode": "write",
            "branch": self.branch,
            "excluded_paths": [],
            "report_via": "file",
            "depth": 1,
            **record,
        }
        caesar.layout.records.mkdir(parents=True, exist_ok=True)
        caesar.layout.record(self.id).write_text(json.dumps(document))

    def write_task(self, **keys: Any) -> None:
        task = {
            "protocol": "caesar.task/v1",
            "id": self.id,
            "created_at": WHEN,
            "agent": "codex",
            "objective": "work",
            "context": "",
            "constraints": [],
            "acceptance_criteria": [],
            "mode": "write",
            "isolation": "worktree",
            "network": True,
            "workspace": str(self.worktree),
            "deadline_ms": 600_000,
            "depth": 1,
            "report_path": str(self.files.report),
            "events_path": str(self.files.events),
            **keys,
        }
        self.files.task.write_text(json.dumps(task))

    def lease(self, pid: int) -> Path:
        folder = self.caesar.layout.lease(self.id)
        folder.mkdir(parents=True)
        (folder / "marker.json").write_text(json.dumps({"pid": pid, "token": uuid.uuid4().hex}))
        return folder

    def after_a_look(self) -> Record:
        assert self.caesar("ps").code == 0
        return self.caesar.wait(self.id)


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_case_149_a_dead_orchestrator_ends_as_failed_with_a_report_that_says_why(
    caesar: Caesar,
) -> None:
    task = Foreign(caesar)
    lease = task.lease(dead_pid())

    record = task.after_a_look()

    assert (record.status, record.report_status, record.pid) == ("failed", "failed", None)
    assert record.ended_at
    report = json.loads(task.files.report.read_text())
    assert "gone" in report["summary"]
    eventually(lease.exists, lambda held: not held)
    assert caesar("show", task.id).code == 0


def test_case_149_the_report_of_the_agent_is_kept_with_its_own_status(caesar: Caesar) -> None:
    task = Foreign(caesar)
    task.lease(dead_pid())
    own = {"protocol": "caesar.report/v1", "status": "success", "summary": "All done."}
    task.files.report.write_text(json.dumps(own))

    record = task.after_a_look()

    assert (record.status, record.report_status, record.report_source) == (
        "failed",
        "success",
        "file",
    )
    assert json.loads(task.files.report.read_text())["summary"] == "All done."
    assert json.loads(task.files.agent_report.read_text()) == own


@pytest.mark.parametrize("status", ["pending", "running"])
def test_case_150_without_a_lease_nothing_is_concluded(caesar: Caesar, status: str) -> None:
    task = Foreign(caesar, status=status)
    before = caesar.layout.record(task.id).read_bytes()

    for command in (("ps",), ("gc", "--json"), ("watch", "--once"), ("show", task.id)):
        assert caesar(*command).code == 0, command

    assert caesar.layout.record(task.id).read_bytes() == before
    assert not task.files.report.exists()
    assert task.worktree.is_dir()


def test_case_150_a_living_holder_keeps_its_task(caesar: Caesar) -> None:
    task = Foreign(caesar)
    task.lease(os.getpid())

    caesar("ps")
    gc = caesar("gc", "--force", "--json").json

    assert caesar.record(task.id).status == "running"
    assert [entry["action"] for entry in gc["entries"]] == ["kept"]
    assert caesar("cancel", task.id, "--json").json["cancelled"] is False


def test_case_151_a_pending_task_whose_starter_died_is_concluded(caesar: Caesar) -> None:
    """Of the reference, proved by its lease; of ours, by who started it."""
    foreign = Foreign(caesar, status="pending")
    foreign.lease(dead_pid())
    dead = {"pid": dead_pid(), "started": current().started - 10}
    ours = Foreign(caesar, status="pending", starter=dead)

    caesar("ps")

    for task in (foreign, ours):
        assert caesar.wait(task.id).status == "failed"
        assert task.files.report.is_file()


@pytest.mark.parametrize("named", [True, False], ids=["base_ref", "case 118: no base_ref"])
def test_case_118_an_ended_task_of_the_reference_can_be_shown_and_applied(
    caesar: Caesar, *, named: bool
) -> None:
    task = Foreign(caesar, status="succeeded", report_status="success", ended_at=WHEN, exit_code=0)
    if not named:
        task.write_task()
    (task.worktree / "new.txt").write_text("new\n")
    (task.worktree / "a.txt").write_text("one\n2\nthree\n")

    diff = caesar("diff", task.id, "--json").json

    assert {file["path"] for file in diff["files"]} == {"a.txt", "new.txt"}
    assert caesar("apply", task.id).code == 0
    assert (caesar.root / "new.txt").read_text() == "new\n"
    assert (caesar.root / "a.txt").read_text() == "one\n2\nthree\n"
    assert caesar("undo", task.id).code == 0
    assert caesar.git("status", "--porcelain") == ""


def test_case_141_gc_takes_an_active_task_of_the_reference_for_what_it_is(caesar: Caesar) -> None:
    task = Foreign(caesar)

    entries = caesar("gc", "--force", "--json").json["entries"]

    assert [(e["id"], e["orphan"], e["action"], e["reason"]) for e in entries] == [
        (task.id, False, "kept", "active")
    ]


def test_case_140_without_its_order_a_worktree_stays(caesar: Caesar) -> None:
    task = Foreign(caesar, status="succeeded", ended_at=WHEN)
    task.files.task.unlink()

    ran = caesar("gc", "--json")

    assert ran.code == 1
    assert [(e["action"], e["reason"]) for e in ran.json["entries"]] == [
        ("kept", "inspection_failed")
    ]
    assert task.worktree.is_dir()


def test_case_138_156_ended_tasks_of_the_reference_go_only_when_they_are_clean(
    caesar: Caesar,
) -> None:
    clean, dirty, done = (Foreign(caesar, status="succeeded", ended_at=WHEN) for _ in range(3))
    (dirty.worktree / "new.txt").write_text("new\n")
    caesar.git("commit", "--quiet", "--allow-empty", "-m", "done", cwd=done.worktree)

    entries = caesar("gc", "--json").json["entries"]

    assert {e["id"]: e["action"] for e in entries} == {
        clean.id: "removed",
        dirty.id: "kept",
        done.id: "kept",
    }
    assert caesar.git("branch", "--list", clean.branch) == ""


def test_case_112_the_reference_reads_our_record(caesar: Caesar) -> None:
    """Every key it needs is there with a value of its kind, and none of them is null."""
    task_id = caesar.run("echo x > x.txt")["task_id"]

    record = json.loads(caesar.layout.record(task_id).read_text())

    texts = (
        "id", "agent", "objective", "status", "created_at", "started_at", "ended_at", "task_dir",
        "workspace", "isolation", "mode", "branch", "report_via", "report_source",
        "changes_verified_by", "report_status",
    )  # fmt: skip
    assert {key: type(record[key]) for key in texts} == dict.fromkeys(texts, str)
    assert (record["depth"], record["exit_code"]) == (1, 0)
    assert "pid" not in record
    assert RecordStore(caesar.layout).get(task_id) is not None
