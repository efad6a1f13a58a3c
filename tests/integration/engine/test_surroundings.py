"""The project around a task: what sees its worktree, what a running one already shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar, eventually, kill, processes_of


def test_case_133_diff_of_a_running_task_leaves_out_what_was_placed(caesar: Caesar) -> None:
    """Case 116: files that git does not know yet are seen."""
    (caesar.root / ".gitignore").write_text(".env\ndeps/\n")
    (caesar.root / ".env").write_text("KEY=1\n")
    (caesar.root / "deps").mkdir()
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "ignore")
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text('[worktree]\ncopy = [".env"]\nlink = ["deps"]\n')
    task_id = caesar.detach("echo x > x.txt; echo four >> a.txt; echo go; sleep 20")
    raw = caesar.layout.task(task_id).raw_log
    eventually(lambda: raw.exists() and b"go" in raw.read_bytes(), bool)

    diff = caesar("diff", task_id, "--json")

    assert {file["path"] for file in diff.json["files"]} == {"a.txt", "x.txt"}
    assert ".env" not in diff.json["patch"]
    assert "+four" in caesar("diff", task_id).out
    assert caesar("apply", task_id, "--json").json["error"]["code"] == "still_running"
    caesar("cancel", task_id)


def test_g25_nothing_in_the_main_tree_sees_a_worktree(caesar: Caesar) -> None:
    (caesar.root / "test_needle.py").write_text("def test_needle():\n    pass\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "a test")

    result = caesar.run("echo changed >> test_needle.py; echo new > needle_new.txt")

    assert (Path(result["workspace"]) / "test_needle.py").is_file()
    assert caesar.git("status", "--porcelain", "--untracked-files=all") == ""
    assert caesar.git("grep", "--untracked", "--files-with-matches", "needle") == "test_needle.py\n"
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    found = subprocess.run(
        collect, cwd=caesar.root, env=caesar.env, capture_output=True, text=True, check=True
    )
    assert "1 test collected" in found.stdout
    if rg := shutil.which("rg"):
        search = [rg, "--files-with-matches", "needle"]
        hits = subprocess.run(search, cwd=caesar.root, capture_output=True, check=True)
        assert hits.stdout == b"test_needle.py\n"


def test_case_122_a_refusal_leaves_neither_worktree_nor_record(caesar: Caesar) -> None:
    for arguments in (
        ("--isolation", "inplace"),
        ("--model", "m"),
        ("--timeout", "0"),
        ("--role", "nobody"),
    ):
        assert caesar("run", "--agent", "shell", "x", *arguments).code == 2

    assert caesar.git("worktree", "list").count("\n") == 1
    assert caesar.git("for-each-ref", "refs/heads/caesar", "refs/caesar") == ""
    assert not caesar.layout.caesar.exists()


def test_case_121_the_four_conditions_of_the_refusal_in_place(caesar: Caesar) -> None:
    """Writing, asked for, a usable repository and no permission: without one of them it runs."""
    read_only = caesar(
        "run", "--agent", "demo-quick", "x", "--mode", "read-only", "--isolation", "inplace",
        "--dry-run", "--json",
    )  # fmt: skip
    auto = caesar("run", "--agent", "shell", "true", "--isolation", "auto", "--json")

    assert read_only.code == 0, read_only.err
    assert (auto.code, auto.json["isolation"]) == (0, "worktree")


def test_case_93_the_pid_is_there_while_the_agent_runs_and_gone_after(caesar: Caesar) -> None:
    task_id = caesar.detach(caesar.at_the_gate)

    running = caesar.wait(task_id, lambda record: record.pid is not None)

    assert running.status == "running"
    assert running.agent_process is not None
    assert running.pid == running.agent_process.pid
    assert running.pid in {process.pid for process in processes_of(task_id)}
    caesar.gate.touch()
    assert caesar.wait(task_id).pid is None


def test_case_95_a_failure_after_the_record_exists_ends_the_task(caesar: Caesar) -> None:
    """The order on disk is damaged before its supervisor can read it."""
    task_id = caesar.detach("sleep 30")
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    caesar.layout.plan(task_id).write_text('{"argv": ')
    kill(record.supervisor)

    caesar("ps")

    after = caesar.wait(task_id)
    assert (after.status, after.report_status) == ("failed", "failed")
    eventually(lambda: processes_of(task_id), lambda left: left == [])
    assert caesar.layout.task(task_id).report.is_file()


def test_case_174_bad_lines_go_to_stderr_and_the_rest_is_shown(caesar: Caesar) -> None:
    task_id = caesar.run("echo hi")["task_id"]
    stream = caesar.layout.task(task_id).events
    stream.write_bytes(b'{"half": \n' + stream.read_bytes())

    for arguments in ((), ("--follow",)):
        ran = caesar("logs", task_id, *arguments)
        assert ran.code == 0
        assert "not an event" in ran.err
        assert len(ran.out.splitlines()) == 4


def test_case_175_watch_merges_tasks_counts_bad_lines_and_writes_no_ansi(caesar: Caesar) -> None:
    caesar.declare("odd", "echo garbage >> $CAESAR_EVENTS_PATH; echo hi")
    first, second = caesar.run("x", agent="odd")["task_id"], caesar.run("true")["task_id"]

    plain = caesar("watch", first, second, "--plain")
    merged = caesar("watch", first, second, "--json")

    assert "1 unreadable" in plain.err
    assert "\x1b" not in plain.out
    assert len(plain.out.splitlines()) == 2 + 4
    assert {line.split('"task_id":"')[1][:34] for line in merged.out.splitlines()} == {
        first,
        second,
    }
    assert caesar("watch", "t_nobody").code == 2


def test_case_173_cancelling_what_is_over_or_dead_is_no_error(caesar: Caesar) -> None:
    over = caesar.run("true")["task_id"]
    dying = caesar.detach("sleep 60")
    record = caesar.wait(dying, lambda record: record.agent_process is not None)
    kill(record.supervisor)
    for process in processes_of(dying):
        process.kill()

    finished, dead = caesar("cancel", over, "--json"), caesar("cancel", dying, "--json")

    assert (finished.code, finished.json["cancelled"]) == (0, False)
    assert "over" in finished.json["message"]
    assert (dead.code, dead.json["status"] in {"cancelled", "failed"}) == (0, True)
    assert not caesar.record(dying).is_active


def test_case_55_a_typo_in_network_args_is_refused_when_the_file_is_read(caesar: Caesar) -> None:
    caesar.declare("net", "true", 'prompt = "none"\nnetwork_args = ["--net={{modle}}"]')

    ran = caesar("run", "--agent", "net", "x")

    assert ran.code == 2
    assert "{{modle}}" in ran.err
    assert "{{model}}" in ran.err


def test_p9_no_terminal_multiplexer_is_needed(caesar: Caesar, tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("git", "sh", "bash", "env"):
        (bare / name).symlink_to(str(shutil.which(name)))

    assert caesar("run", "--agent", "shell", "echo hi > hi", env={"PATH": str(bare)}).code == 0


def test_o5_worktrees_can_be_turned_off(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text(
        '[policy]\ndefault_isolation = "inplace"\nallow_inplace_write = true\n'
    )

    assert caesar.run("echo here > here.txt")["isolation"] == "inplace"
    assert (caesar.root / "here.txt").is_file()
    caesar.layout.config.write_text('[policy]\ndefault_isolaton = "inplace"\n')
    ran = caesar("run", "--agent", "shell", "x")
    assert ran.code == 2
    assert "'default_isolation'" in ran.err


def test_w6_a_project_behind_a_symbolic_link_is_one_project(caesar: Caesar, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(caesar.root)

    ran = caesar("run", "--agent", "shell", "echo x > x.txt", "--json", cwd=link)

    assert ran.json["workspace"].startswith(str(caesar.root))
    assert caesar("ps", "--json").json["tasks"][0]["id"] == ran.json["task_id"]
    assert caesar("apply", ran.json["task_id"], "--root", str(link)).code == 0
    assert (caesar.root / "x.txt").is_file()


@pytest.mark.parametrize("name", [".caesar", ".caesar/tasks", ".caesar/state", ".caesar/wt"])
def test_a_link_in_a_repository_does_not_make_us_write_elsewhere(
    caesar: Caesar, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = caesar.root / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere)

    ran = caesar("run", "--agent", "shell", "true", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "usage")
    assert f"{link} is a link that leads out of the project" in ran.err
    assert not list(elsewhere.iterdir())


def test_g30_a_name_of_three_hundred_characters(caesar: Caesar) -> None:
    result = caesar.run("true # " + "n" * 300)

    assert result["report_status"] == "success"
    assert len(result["branch"]) < 100


@pytest.mark.parametrize("name", ["utf-16", "latin-1"])
def test_case_136_d8_bytes_of_any_encoding_are_applied_as_they_are(
    caesar: Caesar, name: str
) -> None:
    content = "größer\r\nno end".encode(name)
    (caesar.root / "text").write_bytes(content)
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "text")
    caesar.declare("bytes", f"printf '\\377\\000\\351' >> text; echo {name} > ü.txt")

    task_id = caesar.run("x", agent="bytes")["task_id"]

    assert caesar("apply", task_id).code == 0
    assert (caesar.root / "text").read_bytes() == content + b"\xff\0\xe9"
    assert (caesar.root / "ü.txt").read_text() == f"{name}\n"


def test_case_125_a_read_only_task_in_place_that_writes_is_told_on(caesar: Caesar) -> None:
    caesar.declare("reader", "echo x > written.txt", 'prompt = "none"\nnative_read_only = true')

    result = caesar.run("x", "--mode", "read-only", agent="reader")

    assert result["isolation"] == "inplace"
    assert ("high", "Write detected during a read-only task", "written.txt") in [
        (f["severity"], f["title"], f["file"]) for f in result["report"]["findings"]
    ]


def test_g12_no_commit_of_the_agent_fails_because_somebody_looks(caesar: Caesar) -> None:
    """G11: not even while its worktree is recorded again and again."""
    script = "for n in $(seq 80); do echo $n > f; git add f && git commit -qm $n || exit 9; done"
    task_id = caesar.detach(script)
    caesar.wait(task_id, lambda record: record.status != "pending")
    looks = 0
    while caesar.record(task_id).is_active:
        caesar("diff", task_id, "--json")
        caesar("watch", "--once")
        looks += 1

    record = caesar.record(task_id)
    assert (record.status, record.exit_code, record.report_status) == ("succeeded", 0, "success")
    assert looks > 0


@pytest.mark.parametrize(
    ("script", "arguments", "code"),
    [
        ("true", (), 0),
        ("false", (), 1),
        ("true", ("--timeout", "0"), 2),
        ("sleep 30", ("--timeout", "500ms"), 4),
    ],
)
def test_i1_the_exit_code_says_what_came_of_it(
    caesar: Caesar, script: str, arguments: tuple[str, ...], code: int
) -> None:
    """3 and 5 are those of blocked reports and of conflicts; see their tests."""
    assert caesar("run", "--agent", "shell", script, *arguments).code == code
