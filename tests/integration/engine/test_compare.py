"""Results side by side, what collides, and parts of several as one."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from caesar_core.store.record_store import RecordStore
from tests.integration.engine.conftest import Caesar, eventually, processes_of

FIRST = "sed -i 's/^3$/three/;s/^30$/thirty/' n; echo A > c; echo same > s"
SECOND = "sed -i 's/^3$/drei/;s/^20$/zwanzig/' n; echo B > b; echo same > s"


@pytest.fixture
def two(caesar: Caesar) -> tuple[str, str]:
    """Return the ids of two results that collide in the third line of `n`."""
    (caesar.root / "n").write_text("".join(f"{number}\n" for number in range(1, 41)))
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "numbers")
    first, second = caesar.detach(FIRST), caesar.detach(SECOND)
    return caesar.wait(first).id, caesar.wait(second).id


def test_d23_the_forecast_is_told_before_anything_is_applied(
    caesar: Caesar, two: tuple[str, str]
) -> None:
    first, second = two
    collision = {
        "task_id": first,
        "with": second,
        "paths": [{"path": "n", "reason": "both sides changed the same lines"}],
    }

    told = caesar("compare", *two, "--json").json

    assert told["forecast"] == [collision]
    assert told["matrix"]["s"][second] == {
        "action": "created",
        "insertions": 1,
        "deletions": 0,
        "same_as": [first],
    }
    assert (first in told["matrix"]["b"], second in told["matrix"]["b"]) == (False, True)
    assert told["contestants"][0]["rank"] == 1
    assert caesar("compare", *two, "--json").json["forecast"] == told["forecast"]

    assert caesar("apply", first).code == 0
    after = caesar("compare", *two, "--json").json["forecast"]
    assert [(view["task_id"], view["with"]) for view in after] == [(second, None)]
    assert caesar("apply", second).code == 5
    assert caesar("undo").code == 0
    assert caesar("compare", *two, "--json").json["forecast"] == [collision]


def test_the_forecast_sees_edits_of_the_work_tree_and_running_tasks(
    caesar: Caesar, two: tuple[str, str]
) -> None:
    running = caesar.detach("echo mine > c; touch done; sleep 60")
    workspace = Path(caesar.wait(running, lambda r: r.phase == "agent").workspace)
    eventually((workspace / "done").exists, bool)

    told = caesar("compare", two[0], running, "--json").json
    assert [view["with"] for view in told["forecast"]] == [running]
    (caesar.root / "b").write_text("yours\n")
    told = caesar("compare", two[1], running, "--json").json

    (view,) = told["forecast"]
    assert (view["task_id"], view["with"], view["paths"][0]["path"]) == (two[1], None, "b")
    caesar("cancel", running)


def test_a_comparison_for_people_names_the_same_and_what_collides(
    caesar: Caesar, two: tuple[str, str]
) -> None:
    ran = caesar("compare", *two)

    assert f"= {two[0][:6]}" in ran.out
    assert "would conflict" in ran.out
    assert "+zwanzig" in ran.out
    assert "+zwanzig" not in caesar("compare", *two, "--stat").out
    assert "Ranked by" not in caesar("compare", *two, "--files").out
    assert caesar("compare", "t_nothing", two[0]).code == 2


def test_a_pick_of_hunks_and_files_is_an_outcome_like_any_other(
    caesar: Caesar, two: tuple[str, str]
) -> None:
    first, second = two
    takes = (f"{first[:8]}:n#2", f"{second[:8]}:n#2", f"{second}:b")
    words = [word for take in takes for word in ("--take", take)]

    picked = caesar("pick", *words, "--check", "grep -qx B b", "--json").json

    assert [check["passed"] for check in picked["checks"]] == [True]
    assert [(f["path"], f["insertions"]) for f in picked["files"]] == [("b", 1), ("n", 2)]
    assert caesar("show", picked["id"], "--json").json["report_status"] == "success"
    assert caesar("apply", picked["id"]).code == 0
    assert caesar.git("diff", "-U0", "--", "n").count("\n+") == 3
    assert (caesar.root / "n").read_text().split()[2] == "3"
    assert caesar("undo").code == 0
    assert caesar.git("status", "--porcelain") == ""
    assert caesar("diff", picked["id"], "--name-only").out == "b\nn\n"


def test_colliding_picks_are_refused_with_the_place(caesar: Caesar, two: tuple[str, str]) -> None:
    before = sorted(caesar.layout.records.iterdir())

    ran = caesar("pick", "--take", f"{two[0]}:n", "--take", f"{two[1]}:n", "--apply", "--json")

    assert ran.code == 5
    reason = "both sides changed the same lines (line 3)"
    assert ran.json["conflicts"] == [{"path": "n", "reason": reason, "places": []}]
    assert ran.json["id"] is None
    assert sorted(caesar.layout.records.iterdir()) == before
    assert caesar.git("status", "--porcelain") == ""


def test_a_pick_with_a_failed_check_is_kept_and_not_applied(caesar: Caesar) -> None:
    source = caesar.run("echo A > c")["task_id"]

    ran = caesar("pick", "--take", f"{source}:c", "--check", "false", "--apply", "--json")

    assert (ran.code, ran.json["applied"]) == (1, False)
    assert caesar.git("status", "--porcelain") == ""
    assert caesar("apply", ran.json["id"]).code == 0
    assert (caesar.root / "c").read_text() == "A\n"


def test_a_pick_of_what_is_not_there_is_refused(caesar: Caesar, two: tuple[str, str]) -> None:
    for take, word in (
        (f"{two[0]}:nothing", "nothing is not among"),
        (f"{two[0]}:n#7", "no hunk 7"),
        (f"{two[0]}:n#0", "count from 1"),
        (":n", "names no task"),
        ("t_missing:n", "No task"),
    ):
        ran = caesar("pick", "--take", take, "--json")
        assert (ran.code, word in ran.err) == (2, True), ran.err


def test_results_of_different_commits_are_compared_and_not_combined(
    caesar: Caesar, two: tuple[str, str]
) -> None:
    caesar.git("commit", "--quiet", "--allow-empty", "-m", "later")
    later = caesar.run("echo L > later")["task_id"]

    alone = caesar("compare", two[0])
    assert (alone.code, "two or more tasks" in alone.err) == (2, True)
    assert "No race" in caesar("compare", "t_missing").err
    assert "same commit" in caesar("compare", two[0], later).err
    ran = caesar("pick", "--take", two[0], "--take", later, "--json")

    assert (ran.code, "same commit" in ran.err) == (2, True)


def test_ps_tells_with_whom_a_result_would_collide(caesar: Caesar, two: tuple[str, str]) -> None:
    first, second = two

    told = {task["id"]: task["forecast"] for task in caesar("ps", "--json").json["tasks"]}

    assert [(view["with"], view["paths"][0]["path"]) for view in told[first]] == [(second, "n")]
    assert [view["with"] for view in told[second]] == [first]
    assert "COLLIDES" not in caesar("ps").out
    assert "COLLIDES WITH" in caesar("ps", "--forecast").out
    (caesar.root / "n").write_text("all yours\n")
    told = {task["id"]: task["forecast"] for task in caesar("ps", "--json").json["tasks"]}
    assert [view["with"] for view in told[second]] == [None, first]


def begin_pick(caesar: Caesar, *args: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start a pick whose check goes on for ever; return it, and its new id, when it does."""
    source = caesar.run("echo A > c")["task_id"]
    pick = caesar.start("pick", "--take", source, "--check", "sleep 300", *args)
    found = eventually(lambda: set(RecordStore(caesar.layout).list_ids()) - {source}, bool)
    (picked,) = found
    eventually(lambda: processes_of(picked), bool)
    return pick, picked


def test_a_pick_that_is_killed_during_its_checks_ends_as_failed(caesar: Caesar) -> None:
    pick, picked = begin_pick(caesar)

    pick.kill()
    pick.wait()
    caesar("ps")

    assert caesar.wait(picked).status == "failed"
    assert processes_of(picked) == []
    assert len(caesar.git("worktree", "list").splitlines()) == 2
    assert not caesar.layout.check_worktree(caesar.root, picked).exists()


def test_an_apply_that_collides_shows_the_lines_of_both_sides(caesar: Caesar) -> None:
    (caesar.root / "poem").write_text("one\ntwo\nthree\n")
    caesar.git("add", "poem")
    caesar.git("commit", "-qm", "poem")
    task = caesar.run("sed -i s/two/TWO/ poem")["task_id"]
    (caesar.root / "poem").write_text("zero\none\n\x1b[2Jmine\nthree\n")

    told = caesar("apply", task)
    (conflict,) = caesar("apply", task, "--json").json["conflicts"]

    assert told.code == 5
    assert "line 3\n      yours   ␛[2Jmine\n      theirs  TWO\n" in told.err
    assert conflict["places"] == [{"line": 3, "yours": ["\x1b[2Jmine"], "theirs": ["TWO"]}]
    assert (caesar.root / "poem").read_text() == "zero\none\n\x1b[2Jmine\nthree\n"


def test_a_pick_takes_an_absolute_path_of_the_project(caesar: Caesar) -> None:
    source = caesar.run("echo A > c; echo B > d")["task_id"]

    picked = caesar("pick", "--take", f"{source}:{caesar.root / 'c'}", "--json").json
    elsewhere = caesar("pick", "--take", f"{source}:/etc/passwd")

    assert [file["path"] for file in picked["files"]] == ["c"]
    assert f"{source}: /etc/passwd is not among the changed files" in elsewhere.err
    assert "//etc" not in elsewhere.err


def test_a_pick_whose_check_fails_leaves_no_plan_and_no_spool(caesar: Caesar) -> None:
    source = caesar.run("echo A > c")["task_id"]

    assert caesar("pick", "--take", source, "--check", "false").code == 1

    (picked,) = set(RecordStore(caesar.layout).list_ids()) - {source}
    assert list(caesar.layout.plans.iterdir()) == []
    assert not caesar.layout.task(picked).stdout.parent.exists()


def test_ctrl_c_during_the_checks_of_a_pick_keeps_it_unapplied(caesar: Caesar) -> None:
    pick, picked = begin_pick(caesar, "--apply", "--json")

    pick.send_signal(signal.SIGINT)

    assert pick.wait(20) == 130
    assert caesar.record(picked).status == "cancelled"
    assert caesar.git("status", "--porcelain") == ""
