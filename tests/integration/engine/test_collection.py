"""What `caesar gc` removes, and what it keeps whenever there is doubt."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from caesar_core.store.layout import Layout
from caesar_core.store.lease import Lease
from tests.fakes.sandbox import read_tree
from tests.integration.engine.conftest import Caesar


def test_case_138_a_clean_worktree_goes_with_its_branch(caesar: Caesar) -> None:
    result = caesar.run("true")

    assert caesar.git("branch", "--list", "caesar/*") != ""
    assert collected(caesar) == {result["task_id"]: ("removed", "clean")}
    assert not Path(result["workspace"]).exists()
    assert caesar.git("branch", "--list", "caesar/*") == ""


def test_case_139_applied_work_goes_unless_it_was_touched_after(caesar: Caesar) -> None:
    kept, removed = caesar.run("echo k > k.txt"), caesar.run("echo r > r.txt")
    for result in (kept, removed):
        assert caesar("apply", result["task_id"]).code == 0
    (Path(kept["workspace"]) / "k.txt").write_text("touched\n")

    entries = entries_of(caesar)

    assert entries[removed["task_id"]]["reason"] == "applied"
    assert (entries[kept["task_id"]]["action"], entries[kept["task_id"]]["reason"]) == (
        "kept",
        "modified",
    )
    assert entries[kept["task_id"]]["applied_at"]
    assert (Path(kept["workspace"]) / "k.txt").read_text() == "touched\n"


def test_a_lost_record_makes_an_orphan_and_a_damaged_one_does_not(caesar: Caesar) -> None:
    """R2: what cannot be read is no proof that nobody needs the worktree."""
    lost, damaged = caesar.run("true")["task_id"], caesar.run("true")["task_id"]
    caesar.layout.record(lost).unlink()
    caesar.layout.record(damaged).write_text('{"id": ')

    assert collected(caesar, "--force") == {lost: ("removed", "clean"), damaged: ("kept", "in_use")}


def test_case_141_142_active_and_leased_worktrees_stay_even_when_forced(caesar: Caesar) -> None:
    running = caesar.detach("sleep 20")
    caesar.wait(running, lambda record: record.status == "running")
    early = orphan(caesar, "t_early")
    with Lease.acquire(caesar.layout.lease("t_early"), "task t_early"):
        found = collected(caesar, "--force")

    assert found == {running: ("kept", "active"), "t_early": ("kept", "in_use")}
    assert early.is_dir()
    assert caesar.record(running).is_active
    caesar("cancel", running)


def test_case_143_an_orphan_goes_and_a_modified_one_is_shown_by_its_path(caesar: Caesar) -> None:
    clean, dirty, committed = (orphan(caesar, f"t_{name}") for name in ("clean", "dirty", "done"))
    (dirty / "new.txt").write_text("work\n")
    caesar.git("commit", "--quiet", "--allow-empty", "-m", "work", cwd=committed)

    entries = entries_of(caesar)

    assert {key: (e["orphan"], e["action"]) for key, e in entries.items()} == {
        "t_clean": (True, "removed"),
        "t_dirty": (True, "kept"),
        "t_done": (True, "kept"),
    }
    assert not clean.exists()
    assert entries["t_dirty"]["path"] == str(dirty)
    assert "diff_command" not in entries["t_dirty"]
    assert "apply_command" not in entries["t_dirty"]
    assert str(dirty) in caesar("gc").out


def test_case_144_the_branch_is_the_one_that_git_names(caesar: Caesar) -> None:
    result = caesar.run("git branch -m caesar/renamed; git branch caesar/shell/other")
    other = caesar.git("branch", "--list", "caesar/shell/other")

    [entry] = entries_of(caesar).values()

    assert (entry["branch"], entry["action"]) == ("caesar/renamed", "removed")
    assert entry["branch"] != result["branch"]
    assert other != ""
    assert caesar.git("branch", "--list", "caesar/*") == other


def test_case_145_orphans_are_found_from_a_project_below_the_top(caesar: Caesar) -> None:
    sub = caesar.root / "pkg"
    (sub / ".caesar").mkdir(parents=True)
    (sub / "x.txt").write_text("x\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "pkg")
    ran = caesar("run", "--agent", "shell", "true", "--json", cwd=sub)
    task_id = ran.json["task_id"]
    Layout(sub).record(task_id).unlink()

    entries = caesar("gc", "--json", cwd=sub).json["entries"]

    assert [(e["id"], e["orphan"], e["action"]) for e in entries] == [(task_id, True, "removed")]


def test_case_141_a_task_of_another_project_in_the_same_repository_stays(caesar: Caesar) -> None:
    sub = caesar.root / "pkg"
    (sub / ".caesar").mkdir(parents=True)
    (sub / "x.txt").write_text("x\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "pkg")
    caesar.layout.caesar.mkdir()
    below = Caesar(sub, caesar.env)
    running = below.detach("sleep 20")
    below.wait(running, lambda record: record.status == "running")

    entries = caesar("gc", "--force", "--json").json["entries"]

    assert [(e["id"], e["action"], e["reason"]) for e in entries] == [(running, "kept", "in_use")]
    assert below.record(running).is_active
    below("cancel", running)


def test_case_147_an_unreadable_lease_is_no_proof_even_when_forced(caesar: Caesar) -> None:
    task_id = caesar.run("true")["task_id"]
    lease = caesar.layout.lease(task_id)
    lease.mkdir(parents=True)
    (lease / "marker.json").write_text("{")

    assert collected(caesar, "--force") == {task_id: ("kept", "in_use")}


def test_case_148_a_dry_run_removes_and_writes_nothing(caesar: Caesar) -> None:
    caesar.run("true")
    caesar.run("echo x > x.txt; git add x.txt")
    abandoned(caesar, "t_gone")
    before = (read_tree(caesar.layout.caesar), refs(caesar), indexes(caesar))

    ran = caesar("gc", "--dry-run", "--json")

    assert (ran.json["would_remove"], ran.json["removed"], ran.json["kept"]) == (1, 0, 1)
    assert ran.json["abandoned"] == []
    assert (read_tree(caesar.layout.caesar), refs(caesar), indexes(caesar)) == before


def test_case_156_forced_gc_keeps_the_outcome_of_what_it_removes(caesar: Caesar) -> None:
    """G23, G24: even `--force` loses no work, for the outcome is in git."""
    task_id = caesar.run("echo c > c.txt; git add -A; git commit -qm c")["task_id"]

    assert collected(caesar, "--force") == {task_id: ("removed", "forced")}
    assert caesar("apply", task_id).code == 0
    assert (caesar.root / "c.txt").read_text() == "c\n"


def entries_of(caesar: Caesar, *args: str) -> dict[str, Any]:
    ran = caesar("gc", "--json", *args)
    assert ran.code == 0, ran.err
    return {entry["id"]: entry for entry in ran.json["entries"]}


def collected(caesar: Caesar, *args: str) -> dict[str, tuple[str, str]]:
    return {key: (e["action"], e["reason"]) for key, e in entries_of(caesar, *args).items()}


def orphan(caesar: Caesar, task_id: str) -> Path:
    """Make a worktree of which no record tells."""
    path = caesar.layout.worktree(caesar.root, task_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    (caesar.layout.caesar / ".gitignore").write_text("*\n")
    caesar.git("worktree", "add", "--quiet", "-b", f"caesar/x/{task_id}", str(path), "HEAD")
    return path


def abandoned(caesar: Caesar, task_id: str) -> None:
    """Leave what the reference implementation leaves when it is killed."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    lease = caesar.layout.lease(task_id)
    lease.mkdir(parents=True)
    (lease / "marker.json").write_text(json.dumps({"pid": dead.pid, "token": "x"}))
    record = {"id": task_id, "agent": "codex", "status": "running", "created_at": "2026-01-01"}
    caesar.layout.record(task_id).write_text(json.dumps(record))


def refs(caesar: Caesar) -> str:
    return caesar.git("for-each-ref") + caesar.git("worktree", "list", "--porcelain")


def indexes(caesar: Caesar) -> dict[str, bytes]:
    folder = caesar.root / ".git" / "worktrees"
    return {str(path): path.read_bytes() for path in folder.glob("*/index")}
