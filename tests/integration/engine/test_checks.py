"""Commands of ours on a task's result: truth beside the claim."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from caesar_core.process.identity import is_alive
from tests.integration.engine.conftest import Caesar, eventually, processes_of


def test_s10_a_success_that_a_check_contradicts_exits_1(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "echo four >> a.txt", "--json", "--check", "exit 3")

    assert (ran.code, ran.json["report_status"], ran.json["contradicted"]) == (1, "success", True)
    (check,) = ran.json["checks"]
    assert (check["command"], check["passed"], check["exit_code"]) == ("exit 3", False, 3)
    task_id = ran.json["task_id"]
    shown = caesar("show", task_id)
    assert "contradicted" in shown.out
    for lines in (caesar("logs", task_id), caesar("watch", "--plain", task_id)):
        assert "⚠ contradicted" in lines.out
        assert "✓ success" not in lines.out
    followed = caesar("run", "--agent", "shell", "true", "--check", "exit 3")
    assert "⚠ contradicted" in followed.err
    assert "A check failed: exit 3" in shown.out


def test_checks_see_the_outcome_and_leave_nothing_in_it(caesar: Caesar) -> None:
    check = "grep -qx four a.txt && test ! -e ignored && touch made && echo x > a.txt"
    (caesar.root / ".gitignore").write_text("ignored\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "ignore")

    result = caesar.run("echo four >> a.txt; touch ignored", "--check", check)

    assert [check["passed"] for check in result["checks"]] == [True]
    assert [(f["path"], f["insertions"]) for f in result["diff"]["files"]] == [("a.txt", 1)]
    assert not (Path(result["workspace"]) / "made").exists()
    assert len(caesar.git("worktree", "list").splitlines()) == 2


def test_checks_of_a_task_that_changed_nothing_run_on_its_base(caesar: Caesar) -> None:
    result = caesar.run("true", "--check", "test $(wc -l < a.txt) = 3")

    assert result["checks"][0]["passed"] is True


def test_a_check_is_stopped_at_its_limit_with_all_it_started(caesar: Caesar) -> None:
    caesar.layout.caesar.mkdir()
    caesar.layout.config.write_text(
        '[checks]\ncommands = [{name = "slow", run = "setsid sleep 60 & echo on; sleep 60",'
        ' timeout = "300ms"}, "true"]\n'
    )

    result = caesar.run("echo four >> a.txt")

    slow, quick = result["checks"]
    assert (slow["name"], slow["passed"], slow["exit_code"]) == ("slow", False, None)
    assert slow["output_tail"].startswith("on\n[stopped after its limit of")
    assert quick["passed"] is True
    assert processes_of(result["task_id"]) == []


def test_the_whole_output_is_kept_without_secrets(caesar: Caesar) -> None:
    caesar.env["MY_API_TOKEN"] = "hunter2hunter2"
    command = "seq 9999; echo $MY_API_TOKEN"

    result = caesar.run("true", "--check", command)

    log = caesar.layout.task(result["task_id"]).check_log(1).read_text()
    assert log.startswith("1\n2\n")
    assert log.endswith("9999\n•••\n")
    assert result["checks"][0]["output_tail"].endswith("9999\n•••\n")
    assert len(result["checks"][0]["output_tail"]) <= 4000


def test_of_one_endless_line_the_end_is_told(caesar: Caesar) -> None:
    result = caesar.run("true", "--check", "head -c 9000 /dev/zero | tr '\\0' x; exit 1")

    assert result["checks"][0]["output_tail"] == "x" * 4000


def test_a_cancelled_check_ends_the_task_and_keeps_its_outcome(caesar: Caesar) -> None:
    task_id = caesar.detach("echo four >> a.txt", "--check", "sleep 60")
    caesar.wait(task_id, lambda record: record.phase == "checks")

    assert caesar("cancel", task_id).code == 0

    record = caesar.wait(task_id)
    assert (record.status, record.checks or ()) == ("cancelled", ())
    assert "+four" in caesar("diff", task_id).out
    assert processes_of(task_id) == []


def test_r3_a_supervisor_killed_during_its_checks_is_replaced_and_goes_on(caesar: Caesar) -> None:
    gate = caesar.root.parent / "gate"
    wait = f"while [ ! -e {gate} ]; do sleep 0.05; done"
    count = caesar.root.parent / "count"
    task_id = caesar.detach(
        "echo four >> a.txt", "--check", f"echo x >> {count}", "--check", wait, "--check", "exit 1"
    )
    record = caesar.wait(task_id, lambda found: len(found.checks or ()) == 1)
    eventually(lambda: bool(processes_of(task_id)), bool)
    supervisor = record.supervisor
    assert supervisor is not None

    os.kill(supervisor.pid, signal.SIGKILL)
    eventually(lambda: is_alive(supervisor), lambda alive: not alive)
    gate.touch()
    caesar("ps")

    ended = caesar.wait(task_id)
    assert [check["passed"] for check in ended.checks or ()] == [True, True, False]
    assert count.read_text() == "x\n"
    assert (ended.status, ended.report_status) == ("succeeded", "success")
    assert caesar("show", task_id, "--json").json["contradicted"] is True


def test_checks_of_the_repository_need_consent_and_those_of_the_person_none(
    caesar: Caesar,
) -> None:
    del caesar.env["CAESAR_TRUST"]
    assert caesar.run("true", "--check", "true")["checks"][0]["passed"] is True
    caesar.layout.config.write_text('[checks]\ncommands = ["true"]\n')

    ran = caesar("run", "--agent", "shell", "true", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (2, "untrusted")


def test_a_task_in_place_is_checked_in_its_workspace(caesar: Caesar, tmp_path: Path) -> None:
    outside = tmp_path / "plain"
    outside.mkdir()

    ran = caesar(
        "run", "--agent", "shell", "echo x > f", "--json", "--check", "test -f f", cwd=outside
    )

    assert (ran.code, ran.json["checks"][0]["passed"]) == (0, True)


def test_s10_a_command_that_failed_in_the_stream_is_set_beside_the_claim(caesar: Caesar) -> None:
    head = r"{\"protocol\":\"caesar.event/v1\",\"seq\":0,\"at\":\"2026-01-01T00:00:00.000Z\""
    call = r"\"type\":\"tool_use\",\"tool\":\"shell\",\"id\":\"c\",\"input_summary\":\"pytest -q\""
    caesar.declare(
        "liar",
        "\n".join(
            rf'echo "{head},\"task_id\":\"$CAESAR_TASK_ID\",{call},\"status\":\"{status}\"}}"'
            " >> $CAESAR_EVENTS_PATH"
            for status in ("started", "failed")
        )
        + '\necho \'{"protocol":"caesar.report/v1","status":"success","summary":"s",'
        '"commands_run":[{"command":"pytest -q","exit_code":0}]}\' > $CAESAR_REPORT_PATH',
    )
    task_id = caesar.run("x", agent="liar")["task_id"]

    claimed = caesar("show", task_id, "--json").json["claims"]["commands"]

    assert claimed == [
        {
            "command": "pytest -q",
            "claimed_exit_code": 0,
            "seen": True,
            "seen_status": "failed",
        }
    ]
    assert "pytest -q -> 0 (but it failed in its stream)" in caesar("show", task_id).out


def test_a_project_below_the_top_of_its_repository_is_checked_there(caesar: Caesar) -> None:
    below = caesar.root / "sub"
    below.mkdir()
    (below / "b.txt").write_text("one\n")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "below")

    ran = caesar(
        "--root", "sub", "run", "--agent", "shell", "echo two >> b.txt", "--json",
        "--check", "grep -qx two b.txt && grep -qx one ../a.txt",
    )  # fmt: skip

    assert (ran.code, ran.json["checks"][0]["passed"]) == (0, True)


def test_what_a_killed_supervisor_left_of_a_check_is_collected(caesar: Caesar) -> None:
    task_id = caesar.run("true")["task_id"]
    left = caesar.layout.check_worktree(caesar.root, task_id)
    caesar.git("worktree", "add", "--quiet", "--detach", str(left), "HEAD")

    assert caesar("gc").code == 0

    assert not left.exists()


def test_x3_a_check_that_removes_or_replaces_our_files_is_judged_by_its_exit_code(
    caesar: Caesar,
) -> None:
    """A check runs what the agent wrote."""
    tasks = caesar.layout.tasks
    spool = f"for task in {tasks}/*; do rm -rf $task/spool/*; mkfifo $task/spool/check; done"

    for nasty in (f"rm -rf {tasks}; echo said", f"{spool}; echo said"):
        result = caesar.run("true", "--check", nasty, "--check", "true")
        assert [check["passed"] for check in result["checks"]] == [True, True]
        assert result["checks"][0]["output_tail"] == "[what it printed was removed]"


def test_x3_a_hook_that_a_check_plants_is_told_as_well(caesar: Caesar) -> None:
    hook = caesar.root / ".git" / "hooks" / "pre-commit"

    result = caesar.run(f"echo x > {hook}", "--check", f"echo x > {hook}-2")

    told = [found["file"] for found in result["report"]["findings"] if "hook" in found["title"]]
    assert told == [str(hook), f"{hook}-2"]
