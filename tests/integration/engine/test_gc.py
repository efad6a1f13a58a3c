"""What `caesar gc` does after people and accidents; and what it forgets of old tasks."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.engine.gc import GcResult, collect
from caesar_core.engine.project import Project
from tests.integration.engine.conftest import Caesar

DAY = 86_400.0


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a folder for temporary files: those of the machine are not ours to remove."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def found(result: GcResult) -> dict[tuple[str, str], tuple[str, str]]:
    return {(e.kind, e.id): (e.action, e.reason) for e in result.entries}


def gc(caesar: Caesar, *, after_days: float = 0, **options: Any) -> GcResult:
    clock = FakeClock(SystemClock().now())
    clock.advance(after_days * DAY)
    return collect(Project(caesar.root, clock), **options)


def test_g21_a_worktree_that_a_person_removed_takes_its_branch_along(caesar: Caesar) -> None:
    task = caesar.run("echo x > x.txt")
    caesar.git("worktree", "remove", "--force", task["workspace"])

    assert found(gc(caesar)) == {("worktree", task["task_id"]): ("removed", "missing")}
    assert caesar.git("branch", "--list", "caesar/*") == ""
    assert caesar("apply", task["task_id"]).code == 0, "its outcome is still there"


def test_g23_a_branch_with_commits_nobody_else_has_is_work_without_its_worktree(
    caesar: Caesar,
) -> None:
    """G21, G23: a person went on in the worktree, committed, and removed it."""
    task = caesar.run("true")
    place = Path(task["workspace"])
    (place / "more.txt").write_text("more\n")
    caesar.git("add", "--all", cwd=place)
    caesar.git("commit", "--quiet", "-m", "more", cwd=place)
    branch = caesar.git("branch", "--show-current", cwd=place).strip()
    caesar.git("worktree", "remove", "--force", task["workspace"])
    key = ("worktree", task["task_id"])

    assert found(gc(caesar)) == {key: ("kept", "modified")}
    assert caesar.git("show", f"{branch}:more.txt") == "more\n"
    caesar.git("merge", "--quiet", branch)
    assert found(gc(caesar)) == {key: ("removed", "missing")}


def test_g24_after_git_clean_only_what_holds_nothing_goes(caesar: Caesar) -> None:
    plain = caesar.run("echo p > p.txt")["task_id"]
    committed = caesar.run("echo c > c.txt; git add -A; git commit -qm c")["task_id"]
    caesar.git("clean", "-ffdxq")
    assert not caesar.layout.caesar.exists()

    result = gc(caesar)

    assert found(result) == {
        ("worktree", plain): ("removed", "missing"),
        ("worktree", committed): ("kept", "modified"),
    }
    for task_id in (plain, committed):
        assert caesar("apply", task_id).code == 0


def test_a_locked_worktree_stays_even_when_forced(caesar: Caesar) -> None:
    task = caesar.run("true")
    caesar.git("worktree", "lock", task["workspace"])

    assert found(gc(caesar, force=True)) == {("worktree", task["task_id"]): ("kept", "locked")}
    caesar.git("worktree", "unlock", task["workspace"])
    assert found(gc(caesar)) == {("worktree", task["task_id"]): ("removed", "clean")}


def test_g28_a_read_only_tree_goes(caesar: Caesar) -> None:
    task = caesar.run("mkdir d; chmod 555 d")
    assert found(gc(caesar)) == {("worktree", task["task_id"]): ("removed", "clean")}
    assert not Path(task["workspace"]).exists()


def test_a_moved_project_keeps_its_worktrees(caesar: Caesar, tmp_path: Path) -> None:
    task = caesar.run("echo x > x.txt")
    moved = Caesar(tmp_path / "elsewhere", caesar.env)
    shutil.move(caesar.root, moved.root)

    assert found(gc(moved, force=True)) == {("worktree", task["task_id"]): ("kept", "moved")}
    kept = moved.layout.worktree(moved.root, task["task_id"])
    assert (kept / "x.txt").read_text() == "x\n"
    assert "git worktree repair" in moved("gc").out
    moved.git("worktree", "repair", str(kept))
    (kept / "y.txt").write_text("y\n")
    assert "was edited after" in moved("diff", task["task_id"]).err
    assert moved("apply", "--refresh", task["task_id"]).code == 0
    assert (moved.root / "y.txt").read_text() == "y\n"
    assert found(gc(moved)) == {("worktree", task["task_id"]): ("removed", "applied")}
    assert moved.git("branch", "--list", "caesar/*") == ""
    shutil.move(moved.root, caesar.root)


def test_g23_a_copied_project_never_touches_the_worktrees_of_its_original(
    caesar: Caesar, tmp_path: Path
) -> None:
    task, clean = caesar.run("echo x > x.txt"), caesar.run("true")
    copy = Caesar(tmp_path / "copy", caesar.env)
    shutil.copytree(caesar.root, copy.root, symlinks=True)
    place = Path(task["workspace"])
    (place / "later.txt").write_text("later\n")

    for force in (False, True):
        assert found(gc(copy, force=force)) == {
            ("worktree", task["task_id"]): ("kept", "copied"),
            ("worktree", clean["task_id"]): ("kept", "copied"),
        }
    assert copy("apply", "--refresh", task["task_id"]).code == 2, "that worktree is not its own"
    assert copy("apply", task["task_id"]).code == 0
    assert not (copy.root / "later.txt").exists()
    assert (place / "later.txt").read_text() == "later\n"
    assert found(gc(caesar)) == {
        ("worktree", task["task_id"]): ("kept", "modified"),
        ("worktree", clean["task_id"]): ("removed", "clean"),
    }


def test_g28_what_cannot_be_deleted_is_kept_and_named(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = caesar.run("true")

    really = shutil.rmtree

    def refuse(path: Path, **options: Any) -> None:
        if ".caesar/wt" in str(path):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        really(path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", refuse)
        [entry] = gc(caesar).entries
    assert (entry.action, entry.reason) == ("kept", "inspection_failed")
    assert "Read-only file system" in entry.error
    assert found(gc(caesar)) == {("worktree", task["task_id"]): ("removed", "missing")}


def test_old_tasks_are_forgotten_and_unapplied_work_is_not(caesar: Caesar) -> None:
    empty, applied, kept = (
        caesar.run(command)["task_id"]
        for command in ("true", "echo a > a.txt", "echo k > k.txt; git add -A; git commit -qm k")
    )
    assert caesar("apply", applied).code == 0

    assert [e for e in gc(caesar, older_than=14 * DAY).entries if e.kind == "task"] == []
    dry = found(gc(caesar, after_days=15, older_than=14 * DAY, dry_run=True))
    assert dry[("task", kept)] == ("kept", "modified")
    assert dry[("task", applied)] == ("would_remove", "old")
    result = found(gc(caesar, after_days=15, older_than=14 * DAY))

    assert {key: value for key, value in result.items() if key[0] == "task"} == {
        ("task", empty): ("removed", "old"),
        ("task", applied): ("removed", "old"),
        ("task", kept): ("kept", "modified"),
    }
    caesar.git("worktree", "remove", "--force", str(caesar.layout.worktree(caesar.root, kept)))
    assert found(gc(caesar, after_days=15, older_than=14 * DAY))[("task", kept)] == (
        "kept",
        "unapplied",
    )
    assert [path.name for path in caesar.layout.tasks.iterdir()] == [kept]
    assert caesar.git("for-each-ref", "--format=%(refname)", "refs/caesar").split() == [
        f"refs/caesar/{kept}"
    ]
    assert [row["id"] for row in caesar("ps", "--all", "--json").json["tasks"]] == [kept]
    forced = found(gc(caesar, after_days=15, older_than=14 * DAY, force=True))
    assert forced[("task", kept)] == ("removed", "forced")
    assert caesar.git("for-each-ref", "refs/caesar") == ""


def test_old_races_go_with_their_last_task(caesar: Caesar) -> None:
    ran = caesar("race", "true", "--agent", "shell", "-n", "2", "--json")
    assert ran.code == 0, ran.err + ran.out
    [race] = [path.stem for path in caesar.layout.races.glob("*.json")]

    assert ("race", race) not in found(gc(caesar, older_than=14 * DAY))
    result = found(gc(caesar, after_days=15, older_than=14 * DAY))

    assert result[("race", race)] == ("removed", "old")
    assert not list(caesar.layout.races.glob("*.json"))


def test_what_killed_processes_left_goes_with_a_reason(
    caesar: Caesar, own_temporary_folder: Path
) -> None:
    folder_of_all = own_temporary_folder
    task_id = caesar.run("true", "--mode", "read-only")["task_id"]
    gc(caesar)
    temporary = [folder_of_all / f"caesar-{name}" for name in ("index-a1", "objects-b2", "demo-c")]
    fresh = folder_of_all / "caesar-index-fresh"
    for folder in (*temporary, fresh):
        folder.mkdir(parents=True)
    for folder in temporary:
        os.utime(folder, (0, 0))
    (folder_of_all / "caesar-undo-link").symlink_to(caesar.root)
    spool = caesar.layout.task(task_id).stdout
    spool.parent.mkdir()
    spool.write_text("left\n")
    caesar.layout.plan(task_id).write_text("{}")
    caesar.layout.supervisor_lock(task_id).touch()
    before = sorted(map(str, caesar.root.rglob("*")))

    dry = gc(caesar, dry_run=True)
    assert sorted(map(str, caesar.root.rglob("*"))) == before
    result = gc(caesar)

    assert [(e.kind, e.path) for e in dry.entries] == [(e.kind, e.path) for e in result.entries]
    assert {(e.kind, e.action, e.reason) for e in result.entries} == {
        ("file", "removed", "over"),
        ("temporary", "removed", "left_behind"),
    }
    assert len(result.entries) == 5
    assert sorted(path.name for path in folder_of_all.iterdir()) == [
        "caesar-demo-c",
        "caesar-index-fresh",
        "caesar-undo-link",
    ]
    assert not spool.parent.exists()


@pytest.mark.parametrize("age", ["0", "-1d", "soon", "99999d"])
def test_an_age_that_is_none_is_refused(caesar: Caesar, age: str) -> None:
    ran = caesar("gc", "--older-than", age)
    assert ran.code == 2
    assert "--older-than" in ran.err
