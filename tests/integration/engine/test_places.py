"""Where a task works, what it finds there, and how its result comes home."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.integration.engine.conftest import TEN_LINES, Caesar


def test_worktree_is_on_a_branch_of_its_own_from_a_frozen_commit(caesar: Caesar) -> None:
    head = caesar.git("rev-parse", "HEAD").strip()

    result = caesar.run("echo four >> a.txt")

    assert result["branch"].startswith("caesar/shell/echo-four-a-txt-")
    assert caesar.record(result["task_id"]).base_ref == head
    assert (caesar.root / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert caesar.git("status", "--porcelain") == ""


@pytest.mark.parametrize("commits", [0, 1, 3])
def test_case_115_result_is_the_same_whether_the_agent_commits_or_not(
    caesar: Caesar, commits: int
) -> None:
    steps = [f"echo {n} >> a.txt; git commit -qam step{n}" for n in range(commits)]
    rest = "; ".join([*steps, "echo rest >> a.txt", "echo new > b.txt"])

    files = caesar.run(rest)["diff"]["files"]

    assert [(f["path"], f["action"], f["insertions"]) for f in files] == [
        ("a.txt", "modified", commits + 1),
        ("b.txt", "created", 1),
    ]


def test_project_in_a_sub_directory_keeps_it_as_working_directory(caesar: Caesar) -> None:
    sub = caesar.root / "pkg" / "app"
    sub.mkdir(parents=True)
    (sub / "x.txt").write_text("x\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "app")
    (sub / ".caesar").mkdir()

    ran = caesar(
        "run", "--agent", "shell", "pwd; echo y >> x.txt; echo z > ../../z.txt", "--json", cwd=sub
    )

    assert ran.code == 0, ran.err
    assert ran.json["workspace"].endswith("/pkg/app")
    assert {f["path"] for f in ran.json["diff"]["files"]} == {"x.txt", "../../z.txt"}
    assert caesar.git("status", "--porcelain") == ""
    applied = caesar("apply", ran.json["task_id"], "--json", cwd=sub)
    assert applied.json["applied"] is True
    assert (sub / "x.txt").read_text() == "x\ny\n"
    assert (caesar.root / "z.txt").read_text() == "z\n"


def test_g4_repository_without_a_commit(caesar: Caesar, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    caesar.git("init", "--quiet", cwd=empty)

    auto = caesar("run", "--agent", "shell", "echo x > x", "--json", cwd=empty)
    explicit = caesar("run", "--agent", "shell", "x", "--isolation", "worktree", cwd=empty)

    assert (auto.code, auto.json["isolation"]) == (0, "inplace")
    assert auto.json["changes_verified_by"] == "declaration"
    assert "Degraded isolation" in [f["title"] for f in auto.json["report"]["findings"]]
    assert explicit.code == 2
    assert "first commit" in explicit.err


def test_g6_outside_of_git_and_in_a_bare_repository(caesar: Caesar, tmp_path: Path) -> None:
    plain, bare = tmp_path / "plain", tmp_path / "bare.git"
    plain.mkdir()
    caesar.git("init", "--quiet", "--bare", str(bare))

    assert caesar("run", "--agent", "shell", "echo hi", cwd=plain).code == 0
    outside = caesar("run", "--agent", "shell", "x", "--isolation", "worktree", cwd=plain)
    refused = caesar("run", "--agent", "shell", "x", "--isolation", "worktree", cwd=bare)
    assert (outside.code, refused.code) == (2, 2)
    assert "git init" in outside.err
    assert "clone" in refused.err


def test_g5_detached_head_runs_and_applies(caesar: Caesar) -> None:
    caesar.git("commit", "--quiet", "--allow-empty", "-m", "second")
    caesar.git("checkout", "--quiet", "HEAD~1")

    task_id = caesar.run("echo four >> a.txt")["task_id"]

    assert caesar("apply", task_id).code == 0
    assert (caesar.root / "a.txt").read_text() == "one\ntwo\nthree\nfour\n"


def test_g9_git_variables_of_the_caller_reach_neither_us_nor_the_agent(
    caesar: Caesar, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    caesar.git("init", "--quiet", str(other))
    env = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / "index"),
    }
    before = sorted(path.name for path in (other / ".git").rglob("*"))

    ran = caesar("run", "--agent", "shell", "env | grep ^GIT_; echo x > x.txt", "--json", env=env)

    assert [f["path"] for f in ran.json["diff"]["files"]] == ["x.txt"]
    assert "GIT_" not in caesar("logs", "--raw", ran.json["task_id"]).out.replace("^GIT_", "")
    assert caesar("apply", ran.json["task_id"], env=env).code == 0
    assert sorted(path.name for path in (other / ".git").rglob("*")) == before


def test_g27_copied_and_linked_paths_are_there_and_not_in_the_diff(caesar: Caesar) -> None:
    (caesar.root / ".gitignore").write_text(".env\nnode_modules/\n")
    (caesar.root / ".env").write_text("KEY=1\n")
    (caesar.root / "node_modules").mkdir()
    (caesar.root / "node_modules" / "m.js").write_text("m\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "ignore")
    _configure(caesar, '[worktree]\ncopy = [".env"]\nlink = ["node_modules"]\n')

    result = caesar.run("cat .env node_modules/m.js; echo changed >> .env")

    assert result["report_status"] == "success"
    assert result["diff"]["is_empty"] is True
    assert (caesar.root / ".env").read_text() == "KEY=1\n"
    assert set(caesar.record(result["task_id"]).excluded_paths or ()) == {".env", "node_modules"}


def test_setup_runs_before_the_agent(caesar: Caesar) -> None:
    _configure(caesar, '[worktree]\nsetup = ["echo ready > ready.txt"]\n')

    assert caesar.run("test -f ready.txt")["report_status"] == "success"


def test_g8_failed_setup_says_command_code_and_last_lines_and_leaves_nothing(
    caesar: Caesar,
) -> None:
    _configure(caesar, '[worktree]\nsetup = ["echo broken >&2; exit 7", "echo later"]\n')

    ran = caesar("run", "--agent", "shell", "true", "--json")

    assert (ran.code, ran.json["status"]) == (1, "failed")
    summary = ran.json["report"]["summary"]
    assert "echo broken >&2; exit 7" in summary
    assert "broken" in summary
    assert " 7" in summary
    assert caesar.git("worktree", "list").count("\n") == 1
    assert caesar.git("branch", "--list", "caesar/*") == ""


def test_case_125_read_only_task_that_writes_gets_a_high_finding(caesar: Caesar) -> None:
    result = caesar.run("echo x > x.txt", "--mode", "read-only")

    findings = [f for f in result["report"]["findings"] if f["severity"] == "high"]
    assert [(f["title"], f["file"]) for f in findings] == [
        ("Write detected during a read-only task", "x.txt")
    ]
    assert result["isolation"] == "worktree"


def test_case_124_four_delegations_at_once_all_get_worktrees(caesar: Caesar) -> None:
    started = [caesar.start("run", "--agent", "shell", f"echo {n} > {n}.txt") for n in range(4)]

    assert [process.wait(40) for process in started] == [0, 0, 0, 0]


def test_d2_d4_apply_merges_with_local_edits_and_leaves_the_index(caesar: Caesar) -> None:
    (caesar.root / "a.txt").write_text("zero\none\ntwo\nthree\n")
    (caesar.root / "staged.txt").write_text("staged\n")
    caesar.git("add", "staged.txt")
    task_id = caesar.run("sed -i s/three/drei/ a.txt")["task_id"]
    index = (caesar.root / ".git" / "index").read_bytes()

    ran = caesar("apply", task_id, "--json")

    assert ran.code == 0
    assert ran.json["merged_with_local"] == ["a.txt"]
    assert (caesar.root / "a.txt").read_text() == "zero\none\ntwo\ndrei\n"
    assert (caesar.root / ".git" / "index").read_bytes() == index
    assert caesar("apply", task_id, "--json").json["already_applied"] is True
    undone = caesar("undo", "--json")
    assert (undone.code, undone.json["files"]) == (0, ["a.txt"])
    assert (caesar.root / "a.txt").read_text() == "zero\none\ntwo\nthree\n"
    assert caesar.record(task_id).applied_at is None


def test_d3_conflict_exits_5_names_the_files_and_writes_nothing(caesar: Caesar) -> None:
    """Case 134, I1."""
    task_id = caesar.run("sed -i s/two/zwei/ a.txt; echo n > n.txt")["task_id"]
    (caesar.root / "a.txt").write_text("one\nTWO\nthree\n")
    (caesar.root / "n.txt").write_text("mine\n")

    ran = caesar("apply", task_id, "--json")

    assert ran.code == 5
    assert ran.json["applied"] is False
    assert {conflict["path"] for conflict in ran.json["conflicts"]} == {"a.txt", "n.txt"}
    assert all(conflict["reason"] for conflict in ran.json["conflicts"])
    assert (caesar.root / "a.txt").read_text() == "one\nTWO\nthree\n"
    assert (caesar.root / "n.txt").read_text() == "mine\n"


def test_apply_of_selected_files(caesar: Caesar) -> None:
    task_id = caesar.run("echo b > b.txt; mkdir d; echo c > d/c.txt")["task_id"]

    assert caesar("apply", task_id, "--file", "d", "--json").json["files"] == ["d/c.txt"]
    assert not (caesar.root / "b.txt").exists()
    unknown = caesar("apply", task_id, "--file", "nope.txt")
    assert unknown.code == 2
    assert "nope.txt" in unknown.err


def test_check_writes_nothing(caesar: Caesar) -> None:
    task_id = caesar.run("echo b > b.txt")["task_id"]

    ran = caesar("apply", task_id, "--check", "--json")

    assert (ran.code, ran.json["files"]) == (0, ["b.txt"])
    assert not (caesar.root / "b.txt").exists()


def test_g24_results_survive_a_clean_of_the_whole_tree(caesar: Caesar) -> None:
    task_id = caesar.run("echo b > b.txt")["task_id"]
    caesar.git("clean", "-ffdxq")
    assert not caesar.layout.caesar.exists()

    listed = caesar("ps", "--json").json["tasks"]
    assert [(task["id"], task["recovered"]) for task in listed] == [(task_id, True)]
    assert listed[0]["report_status"] == "partial"
    assert "partial (recovered from git)" in caesar("ps").out
    assert "b.txt" in caesar("diff", task_id).out
    assert caesar("show", task_id).code == 0
    assert caesar("apply", task_id[:8]).code == 0
    assert (caesar.root / "b.txt").read_text() == "b\n"
    assert caesar("undo").code == 0


def test_g23_case_156_gc_keeps_unapplied_work_committed_or_not(caesar: Caesar) -> None:
    committed = caesar.run("echo c > c.txt; git add -A; git commit -qm c")["task_id"]
    dirty = caesar.run("echo d > d.txt")["task_id"]
    clean = caesar.run("true")["task_id"]
    applied = caesar.run("echo e > e.txt")["task_id"]
    caesar("apply", applied)

    dry = caesar("gc", "--dry-run", "--json").json
    entries = {e["id"]: (e["action"], e["reason"]) for e in caesar("gc", "--json").json["entries"]}

    assert dry["would_remove"] == 2
    assert entries == {
        committed: ("kept", "modified"),
        dirty: ("kept", "modified"),
        clean: ("removed", "clean"),
        applied: ("removed", "applied"),
    }
    assert "c.txt" in caesar("diff", committed).out
    assert caesar("undo", applied).code == 0
    assert not (caesar.root / "e.txt").exists()


def test_case_127_linked_folder_is_detached_not_followed_by_gc(caesar: Caesar) -> None:
    (caesar.root / ".gitignore").write_text("deps\n")
    (caesar.root / "deps").mkdir()
    (caesar.root / "deps" / "keep.txt").write_text("keep\n")
    caesar.git("add", ".gitignore")
    caesar.git("commit", "--quiet", "-m", "ignore")
    _configure(caesar, '[worktree]\nlink = ["deps"]\n')
    caesar.run("true")

    assert caesar("gc", "--json").json["removed"] == 1
    assert (caesar.root / "deps" / "keep.txt").read_text() == "keep\n"


def test_tampered_worktree_never_touches_the_users_repository(caesar: Caesar) -> None:
    head = caesar.git("rev-parse", "HEAD")

    result = caesar.run("rm .git; git init --quiet; echo x > x.txt")

    assert result["changes_verified_by"] == "declaration"
    assert any(f["severity"] == "high" for f in result["report"]["findings"])
    assert caesar.git("status", "--porcelain") == ""
    assert caesar.git("rev-parse", "HEAD") == head


def test_hostile_task_files_do_no_harm(caesar: Caesar, tmp_path: Path) -> None:
    """X6: what stands in place of a file of ours is refused, never written through."""
    victim = tmp_path / "victim"
    victim.write_text("precious\n")
    for script in (
        f"ln -s {victim} $CAESAR_REPORT_PATH",
        "mkfifo $CAESAR_REPORT_PATH",
        "mkdir $CAESAR_REPORT_PATH; echo x > $CAESAR_REPORT_PATH/x",
        "head -c 20000000 /dev/zero > $CAESAR_REPORT_PATH",
        f"rm -f $CAESAR_TASK_DIR/raw.log; ln -s {victim} $CAESAR_TASK_DIR/raw.log; echo out",
        f"rm -f $CAESAR_EVENTS_PATH; ln -s {victim} $CAESAR_EVENTS_PATH; echo out",
        "rm -rf $CAESAR_TASK_DIR; echo out",
    ):
        name = f"h{abs(hash(script))}"
        caesar.declare(name, script)
        ran = caesar("run", "--agent", name, "x", "--json")
        assert ran.code == 1, (script, ran.err)
        assert ran.json["status"] in {"succeeded", "failed"}, script
        assert "Traceback" not in ran.err
    assert victim.read_text() == "precious\n"


def test_g26_writes_into_the_main_work_tree_are_told_and_not_part_of_the_diff(
    caesar: Caesar,
) -> None:
    (caesar.root / "dirty.txt").write_text("before\n")

    result = caesar.run(
        f"echo x > in.txt; cd {caesar.root}; echo after >> dirty.txt; echo y > out.txt"
    )

    assert [f["path"] for f in result["diff"]["files"]] == ["in.txt"]
    told = {f["file"] for f in result["report"]["findings"] if "outside" in f["title"]}
    assert told == {"dirty.txt", "out.txt"}
    clean = caesar.run("echo x > in.txt")
    assert [f["title"] for f in clean["report"]["findings"]] == []


def test_objective_that_is_not_ascii_or_very_long(caesar: Caesar) -> None:
    for objective in ("# ÄÖÜ 日本語 🎉", "# " + "long " * 500, "# \x1b]52;c;aGk=\x07 [/bold]"):
        ran = caesar("run", "--agent", "shell", objective, "--json")
        assert ran.code == 0, ran.err
        shown = caesar("show", ran.json["task_id"]).out
        assert "\x1b" not in shown


def test_files_with_hostile_names_come_home_byte_for_byte(caesar: Caesar) -> None:
    caesar.declare(
        "names",
        "printf x > \"$(printf 'caf\\351.txt')\"; printf y > 'sp ace.txt'; printf z > \"t\tab\"\n"
        "printf '\\000\\001' > bin; ln -s /etc/passwd link; printf q > \"$(printf 'n\\nl')\"\n"
        f"{TEN_LINES.partition(chr(10))[2]}",
    )

    result = caesar.run("x", agent="names")

    assert len(result["diff"]["files"]) == 6
    flags = {f["path"]: f["flags"] for f in result["diff"]["files"]}
    assert "symlink_outside" in flags["link"]
    assert caesar("apply", result["task_id"]).code == 0
    assert (caesar.root / os.fsdecode(b"caf\xe9.txt")).read_bytes() == b"x"
    assert (caesar.root / "n\nl").read_bytes() == b"q"
    assert (caesar.root / "link").is_symlink()
    assert caesar("undo").code == 0
    assert caesar.git("status", "--porcelain") == "?? .caesar/\n"


def _configure(caesar: Caesar, text: str) -> None:
    caesar.layout.caesar.mkdir(exist_ok=True)
    caesar.layout.config.write_text(text)
