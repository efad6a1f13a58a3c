"""The return channel without MCP: any program that can run a command holds a dialogue."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.integration.engine.conftest import Caesar, eventually

DIALOGUE = """#!/bin/sh
caesar task >order.json
caesar progress "reading the order" --pct 10
answer=$(caesar ask "Keep the old way?" --option yes --option no) || answer=alone
echo "$answer" >answer.txt
caesar progress "done" --pct 100
caesar report --status success --summary "The answer was $answer." --next-step "Rest."
"""


def open_questions(caesar: Caesar, *task: str) -> list[Any]:
    listed = caesar("questions", *task, "--json").json["questions"]
    return [question for question in listed if question["state"] == "open"]


def only_question(caesar: Caesar) -> Any:
    [question] = eventually(lambda: open_questions(caesar), bool)
    return question


def types(caesar: Caesar, task_id: str) -> list[str]:
    lines = caesar.layout.task(task_id).events.read_bytes().splitlines()
    return [json.loads(line)["type"] for line in lines]


def test_s16_s18_a_shell_agent_of_a_few_lines_holds_a_dialogue(caesar: Caesar) -> None:
    caesar.declare("talker", DIALOGUE)
    task_id = caesar.detach("talk", agent="talker")
    question = only_question(caesar)
    assert (question["question"], question["options"]) == ("Keep the old way?", ["yes", "no"])
    assert question["asked_at"] < question["closes_at"]

    answered = caesar("answer", task_id[:8], question["id"][:8], "yes", "--json")
    assert answered.json == {"task_id": task_id, "question_id": question["id"], "answered": True}
    record = caesar.wait(task_id)

    assert (record.status, record.report_status) == ("succeeded", "success")
    assert record.report_source == "channel"
    shown = caesar("show", task_id, "--json").json
    assert shown["report"]["summary"] == "The answer was yes."
    assert [change["path"] for change in shown["report"]["changes"]] == ["answer.txt", "order.json"]
    assert types(caesar, task_id) == [
        "started",
        *("progress", "question", "answer", "progress"),
        "finished",
    ]
    again = caesar("answer", task_id, question["id"], "no")
    assert again.code == 2
    assert "by caesar answer" in again.err


def test_160_an_unknown_question_or_task_is_named(caesar: Caesar) -> None:
    task_id = caesar.detach("sleep 60")
    for task, question, said in (
        (task_id, "nothing", "No question nothing"),
        ("t_none", "q", "No task t_none"),
        (task_id, "../../x", "not a question id"),
    ):
        ran = caesar("answer", task, question, "yes")
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
    caesar("cancel", task_id)


def test_q7_cancelling_a_task_closes_its_questions(caesar: Caesar) -> None:
    caesar.declare("asker", 'caesar ask "Forever?"')
    task_id = caesar.detach("ask", agent="asker")
    question = only_question(caesar)
    caesar("cancel", task_id)
    assert open_questions(caesar) == []
    [closed] = caesar("questions", task_id, "--json").json["questions"]
    assert closed["state"] == "closed"
    late = caesar("answer", task_id, question["id"], "yes")
    assert (late.code, "closed" in late.err) == (2, True)


def test_case_159_asking_in_vain_ends_with_3_and_the_invitation(caesar: Caesar) -> None:
    script = 'caesar ask "Well?" --timeout 100ms 2>said.txt; echo $? >code.txt'
    caesar.declare("asker", script)
    done = caesar.run("ask", agent="asker")
    assert {change["path"] for change in done["diff"]["files"]} == {"said.txt", "code.txt"}
    patch = caesar("diff", done["task_id"]).out
    assert "+3\n" in patch
    assert "best judgement" in patch


def test_rules_answer_for_a_run_that_nobody_watches(caesar: Caesar) -> None:
    caesar.declare("asker", 'caesar ask "Overwrite the file?" >answer.txt')
    with (caesar.root / ".caesar" / "config.toml").open("a") as file:
        file.write('[[answer]]\nmatch = "(?i)overwrite"\nanswer = "never"\n')
    done = caesar.run("ask", agent="asker")
    assert "+never" in caesar("diff", done["task_id"]).out
    [question] = caesar("questions", done["task_id"], "--json").json["questions"]
    assert (question["answer"], question["by"]) == ("never", "rule: (?i)overwrite")
    assert "rule: (?i)overwrite" in caesar("logs", done["task_id"]).out


def test_progress_is_read_from_stdin_like_a_question(caesar: Caesar) -> None:
    caesar.declare("teller", 'printf "half of it\\n" | caesar progress - --pct 50')
    task_id = caesar.run("tell", agent="teller")["task_id"]
    assert "half of it" in caesar("logs", task_id).out


def test_the_commands_say_what_is_wrong(caesar: Caesar) -> None:
    folder = caesar.layout.task("t_1").dir
    folder.mkdir(parents=True)
    (folder / "task.json").write_text("{}")
    inside = {"CAESAR_TASK_DIR": str(folder)}
    (caesar.root / "bad.json").write_text('{"protocol": "caesar.report/v1", "status": "great"}')
    for args, said in (
        (("report", "--file", "bad.json"), "status"),
        (("report", "--file", "none.json"), "none.json"),
        (("report", "--status", "success"), "--summary"),
        (("report", "--status", "success", "--file", "bad.json"), "--file"),
        (("progress", ""), "message"),
        (("progress", "x", "--pct", "101"), "pct"),
        (("ask", " "), "question is empty"),
        (("ask", "x", "--timeout", "soon"), "--timeout"),
    ):
        ran = caesar(*args, env=inside)
        assert (ran.code, ran.out) == (2, ""), args
        assert said in ran.err
    for command in ("task", "progress x", "ask x", "report --status success --summary s"):
        ran = caesar(*command.split())
        assert ran.code == 2
        assert "CAESAR_TASK_DIR" in ran.err


def test_case_161_an_agent_that_takes_no_channel_works_without(caesar: Caesar) -> None:
    ran = caesar("run", "true", "--agent", "shell", "--channel", "--json")
    assert (ran.code, ran.json["status"]) == (0, "succeeded")
    assert any("takes no MCP server" in warning for warning in ran.json["warnings"])
    assert caesar.record(ran.json["task_id"]).report_via == "file"
    order = json.loads(caesar.layout.task(ran.json["task_id"]).task.read_bytes())
    assert order.get("channel") is None


def test_case_162_the_file_works_beside_a_channel_that_is_not_used(caesar: Caesar) -> None:
    """`codex` is given the channel on its command line, and writes a file all the same."""
    program = caesar.root.parent / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >arguments.txt\n"
        'echo \'{"protocol":"caesar.report/v1","status":"success","summary":"by file"}\''
        ' >"$CAESAR_REPORT_PATH"\n'
    )
    program.chmod(0o755)
    caesar.env["PATH"] = f"{program.parent}:{caesar.env['PATH']}"
    done = caesar.run("x", "--channel", agent="codex")
    assert (done["report"]["summary"], done["report_source"]) == ("by file", "file")
    task_id = done["task_id"]
    assert caesar.record(task_id).report_via == "channel"
    order = json.loads(caesar.layout.task(task_id).task.read_bytes())
    assert order["channel"]["args"][-2:] == ["--task-dir", str(caesar.layout.task(task_id).dir)]
    assert "caesar_core.servers.channel" in caesar("diff", task_id).out
    assert "submit_report" in (caesar.layout.task(task_id).dir / "brief.md").read_text()


def test_questions_are_followed_until_the_task_ends(caesar: Caesar) -> None:
    caesar.declare("asker", 'caesar ask "One?"; caesar ask "Two?"')
    task_id = caesar.detach("ask", agent="asker")
    follower = caesar.start("questions", task_id, "--follow", "--json")
    for text in ("One?", "Two?"):
        assert follower.stdout is not None
        question = json.loads(follower.stdout.readline())
        assert question["question"] == text
        caesar("answer", task_id, question["id"], "yes")
    assert follower.wait(timeout=20) == 0


@pytest.mark.parametrize("command", ["ask", "progress", "report", "task", "answer", "questions"])
def test_they_start_without_anything_heavy(command: str) -> None:
    probe = (
        f"import sys, caesar_core.cli.commands.{command}\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    heavy = {"asyncio", "git", "mcp", "pydantic", "rich", "textual", "tomlkit", "watchdog"}
    assert heavy.isdisjoint(done.stdout.split())
