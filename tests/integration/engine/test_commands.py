"""The command line as a person, a script and a shell meet it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.integration.engine.conftest import TEN_LINES, Caesar


def test_version_help_and_nothing_at_all(caesar: Caesar) -> None:
    assert caesar("--version").out == "caesar 0.1.0\n"
    for arguments in ((), ("--help",), ("-h",), ("help",)):
        ran = caesar(*arguments)
        assert ran.code == 0
        assert "Usage: caesar" in ran.out
    assert "OBJECTIVE" in caesar("help", "run").out


def test_every_command_of_the_table_has_help(caesar: Caesar) -> None:
    from caesar_core.cli.table import ENTRIES

    for name in ENTRIES:
        ran = caesar(name, "--help")
        assert ran.code == 0, ran.err
        assert ran.out.startswith(f"Usage: caesar {name}")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rnu",), "usage", "'run'"),
        (("run",), "usage", "objective"),
        (("run", "x"), "usage", "--agent"),
        (("run", "x", "--agent", "shel"), "unknown_agent", "'shell'"),
        (("run", "x", "--role", "revewer"), "unknown_role", "'reviewer'"),
        (("run", "x", "--role", "reviewer"), "nobody_available", "codex"),
        (("run", "x", "--agent", "shell", "--mode", "wirte", "--role", "no"), "usage", "wirte"),
        (("run", "x", "y", "--agent", "shell"), "usage", "y"),
        (("run", "  ", "--agent", "shell"), "usage", "empty"),
        (("run", "x", "--agent", "shell", "--context", "@missing"), "usage", "missing"),
        (("run", "x", "--agent", "shell", "--model", "m"), "model_refused", "model"),
        (("run", "x", "--agent", "shell", "--bogus"), "usage", "--bogus"),
        (("show", "t_none"), "not_found", "t_none"),
        (("show", "../../etc/passwd"), "usage", "id"),
        (("diff", "t_none"), "not_found", "t_none"),
        (("apply", "t_none"), "not_found", "t_none"),
        (("cancel", "t_none"), "not_found", "t_none"),
        (("logs", "t_none"), "not_found", "t_none"),
        (("undo", "t_none"), "not_found", "t_none"),
        (("watch", "t_none", "--once"), "not_found", "t_none"),
        (("ps", "--status", "runing"), "usage", "running"),
        (("ps", "--root", "/nowhere"), "usage", "/nowhere"),
        (("protocol", "schema", "bogus"), "unknown_document", "report"),
    ],
)
def test_bad_input_gets_a_line_a_code_and_json(
    caesar: Caesar, arguments: tuple[str, ...], code: str, said: str
) -> None:
    """Cases 74, 86, 87, 111, 172."""
    ran = caesar(*arguments, "--json")

    assert ran.code == 2
    error = ran.json["error"]
    assert (error["code"], error["exit_code"]) == (code, 2)
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) <= 3
    assert not (caesar.layout.state / "tasks").exists()


def test_ids_are_given_as_any_unique_prefix(caesar: Caesar) -> None:
    first, second = (caesar.run("true")["task_id"] for _ in range(2))

    assert caesar("show", first[:12]).code == 0
    assert caesar("show", first[2:14]).code == 0
    ambiguous = caesar("show", "t_", "--json")
    assert (ambiguous.code, ambiguous.json["error"]["code"]) == (2, "ambiguous_id")
    assert first in ambiguous.err
    assert second in ambiguous.err


def test_root_may_stand_before_and_after_the_command(caesar: Caesar, tmp_path: Path) -> None:
    task_id = caesar.run("true")["task_id"]

    for arguments in (("--root", str(caesar.root), "ps"), ("ps", "--root", str(caesar.root))):
        assert task_id[:6] in caesar(*arguments, cwd=tmp_path).out
    (caesar.root / "deep" / "er").mkdir(parents=True)
    assert task_id[:6] in caesar("ps", cwd=caesar.root / "deep" / "er").out


def test_run_json_has_the_documented_keys_on_one_line(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "echo x > x.txt", "--json")

    assert ran.out.count("\n") == 1
    assert set(ran.json) >= {
        "task_id", "status", "exit_code", "agent", "role", "mode", "isolation", "network",
        "model", "workspace", "branch", "report_status", "report", "report_source",
        "changes_verified_by", "diff", "checks", "usage", "warnings",
    }  # fmt: skip
    assert set(ran.json["diff"]["files"][0]) >= {
        "path", "action", "summary", "insertions", "deletions", "binary", "flags",
    }  # fmt: skip


def test_detach_and_dry_run_json(caesar: Caesar) -> None:
    detached = caesar("run", "--agent", "shell", "true", "--detach", "--json").json
    planned = caesar("run", "--agent", "shell", "true", "--dry-run", "--json").json

    assert detached["status"] == "running"
    assert set(detached) == {
        "task_id", "status", "agent", "mode", "isolation", "network", "model", "workspace",
        "warnings",
    }  # fmt: skip
    assert caesar.wait(detached["task_id"]).status == "succeeded"
    assert {d["field"] for d in planned["decisions"]} == {
        "role", "agent", "policy", "depth", "mode", "isolation", "network", "model",
        "deadline_ms", "channel",
    }  # fmt: skip
    assert all(decision["reason"] for decision in planned["decisions"])
    assert len(caesar("ps", "--all", "--json").json["tasks"]) == 1


def test_objective_from_stdin_and_from_a_file(caesar: Caesar, tmp_path: Path) -> None:
    file = tmp_path / "objective.txt"
    file.write_text("echo from-file > got.txt\n")

    piped = caesar("run", "-", "--agent", "shell", "--json", stdin="echo piped > got.txt\n")
    read = caesar("run", "--objective-file", str(file), "--agent", "shell", "--json")

    for ran, text in ((piped, "piped"), (read, "from-file")):
        assert (Path(ran.json["workspace"]) / "got.txt").read_text() == f"{text}\n"


def test_extra_arguments_after_a_literal_double_dash_reach_the_agent(caesar: Caesar) -> None:
    caesar.declare("args", 'printf "%s|" "$@"', 'prompt = "none"\nargs = ["first"]')

    result = caesar("run", "--agent", "args", "x", "--json", "--", "--json", "last").json

    assert caesar("logs", "--raw", result["task_id"]).out == "first|--json|last|"


def test_ndjson_is_every_event_and_then_the_result(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "echo hi", "--ndjson")

    *events, result = [json.loads(line) for line in ran.out.splitlines()]
    assert [event["type"] for event in events] == ["started", "tool_use", "tool_use", "finished"]
    assert result["status"] == "succeeded"


def test_plain_output_to_a_pipe_has_no_escape_sequence(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "printf '\\033[31mred\\033[0m'; false")

    assert ran.code == 1
    task_id = caesar("ps", "--json").json["tasks"][0]["id"]
    for command in (("ps",), ("show", task_id), ("logs", task_id), ("watch", "--once")):
        assert "\x1b" not in caesar(*command).out
    assert "\x1b" not in ran.out + ran.err


def test_t14_colour_follows_force_color_and_no_color(caesar: Caesar) -> None:
    task_id = caesar.run("echo x > x.txt")["task_id"]

    forced = caesar("show", task_id, env={"FORCE_COLOR": "1"}).out
    neither = caesar("show", task_id, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out

    assert "\x1b[" in forced
    assert "\x1b" not in neither


def test_t4_ascii_locale_gets_ascii_marks(caesar: Caesar) -> None:
    caesar.run("true")

    for name in ("C", "POSIX"):
        ran = caesar("ps", env={"LC_ALL": name, "LANG": "", "PYTHONUTF8": "0"})
        assert ran.code == 0
        assert ran.out.isascii()


def test_case_103_closed_pipe_is_no_error(caesar: Caesar) -> None:
    task_id = caesar.run("seq 1 50000")["task_id"]

    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f"{sys.executable} -m caesar_core logs --raw {task_id} | head -n 1",
        ],
        cwd=caesar.root,
        env=caesar.env,
        capture_output=True,
        check=True,
    )

    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


def test_show_tells_claims_from_what_was_seen(caesar: Caesar) -> None:
    """S10."""
    caesar.declare(
        "claims",
        "echo x > seen.txt\n"
        'echo \'{"protocol":"caesar.report/v1","status":"success","summary":"s","details":"d",'
        '"commands_run":[{"command":"pytest -q","exit_code":0}],"next_steps":["go on"],'
        '"changes":[{"path":"invented.txt"}]}\' > $CAESAR_REPORT_PATH',
    )

    shown = caesar("show", caesar.run("x", agent="claims")["task_id"], "--json").json

    assert shown["claims"]["commands"] == [
        {"command": "pytest -q", "claimed_exit_code": 0, "seen": False}
    ]
    assert shown["claims"]["changes"] == {
        "declared_only": ["invented.txt"],
        "observed_only": ["seen.txt"],
    }
    assert shown["task"]["protocol"] == "caesar.task/v1"
    assert shown["record"]["status"] == "succeeded"


@pytest.mark.parametrize("objective", ["echo a\necho b", f"echo {'word ' * 100}"])
def test_show_has_seen_a_command_of_several_lines_or_a_long_one(
    caesar: Caesar, objective: str
) -> None:
    shown = caesar("show", caesar.run(objective)["task_id"], "--json").json

    assert [claim["seen"] for claim in shown["claims"]["commands"]] == [True]


def test_logs_limit_follow_and_json(caesar: Caesar) -> None:
    task_id = caesar.detach("echo a; sleep 0.5; echo b")

    followed = caesar("logs", task_id, "--follow")

    assert "success" in followed.out.splitlines()[-1]
    assert len(caesar("logs", task_id, "--limit", "1").out.splitlines()) == 1
    document = caesar("logs", task_id, "--json", "--limit", "2").json
    assert (document["total_events"], len(document["events"])) == (4, 2)


def test_watch_once_plain_and_json(caesar: Caesar) -> None:
    task_id = caesar.run("echo x > x.txt")["task_id"]

    assert "Finished" in caesar("watch", "--once").out
    assert caesar("watch", "--once", "--json").json["tasks"][0]["id"] == task_id
    lines = caesar("watch", task_id, "--plain").out.splitlines()
    assert len(lines) == 4
    events = [json.loads(line) for line in caesar("watch", task_id, "--json").out.splitlines()]
    assert {event["task_id"] for event in events} == {task_id}


def test_watch_tells_what_several_tasks_did_in_the_order_of_time(caesar: Caesar) -> None:
    ids = [caesar.run("true")["task_id"] for _ in range(3)]

    events = [json.loads(line) for line in caesar("watch", *ids, "--json").out.splitlines()]

    assert [event["task_id"] for event in events] == [name for name in ids for _ in range(4)]
    assert [event["seq"] for event in events] == [0, 1, 2, 3] * 3


def test_empty_project_says_what_to_do(caesar: Caesar) -> None:
    for command in (("ps",), ("watch", "--once")):
        ran = caesar(*command)
        assert ran.code == 0
        assert "caesar run" in ran.out
    assert caesar("ps", "--json").json["tasks"] == []
    assert caesar("undo", "--json").json["undone"] is False


def test_s20_published_schemas_accept_what_we_write(caesar: Caesar) -> None:
    task_id = caesar.run("echo x > x.txt")["task_id"]
    files = caesar.layout.task(task_id)

    for name, document in (("task", files.task), ("report", files.report)):
        schema = caesar("protocol", "schema", name, "--json").json
        jsonschema.Draft202012Validator(schema).validate(json.loads(document.read_text()))
    event = caesar("protocol", "schema", "event", "--json").json
    for line in files.events.read_text().splitlines():
        jsonschema.Draft202012Validator(event).validate(json.loads(line))
    strict = caesar("protocol", "schema", "report", "--strict", "--json").json
    assert strict["additionalProperties"] is False
    assert set(strict["required"]) == set(strict["properties"])


def test_completion_scripts_and_ids(caesar: Caesar) -> None:
    task_id = caesar.run("true")["task_id"]

    for shell in ("bash", "zsh", "fish"):
        assert "_CAESAR_COMPLETE" in caesar("completion", shell).out
    completed = caesar(
        env={
            "_CAESAR_COMPLETE": "bash_complete",
            "COMP_WORDS": f"caesar show {task_id[:6]}",
            "COMP_CWORD": "2",
        }
    )
    assert task_id in completed.out


def test_i3_no_terminal_no_home_and_a_read_only_home(caesar: Caesar, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for env in ({"HOME": ""}, {"HOME": str(nowhere)}, {"HOME": "/proc"}):
        ran = caesar("run", "--agent", "shell", "true", env={**env, "TERM": "dumb"})
        assert ran.code == 0, ran.err


def test_a_defect_leaves_a_log_and_no_traceback(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    caesar.run("true")
    broken = caesar.root / "sitecustomize.py"
    broken.write_text(
        "import caesar_core.engine.service as s\n"
        "def bad(*a, **k): raise RuntimeError('on purpose')\n"
        "s.Service.show = bad\n"
    )

    ran = caesar("show", "t_", "--json", env={"PYTHONPATH": str(caesar.root)})

    assert (ran.code, ran.json["error"]["code"]) == (1, "internal")
    assert "Traceback" not in ran.err
    assert str(caesar.layout.log) in ran.err
    assert "on purpose" in caesar.layout.log.read_text()


def test_agents_that_a_repository_declares_shadow_built_in_ones(caesar: Caesar) -> None:
    """Case 53."""
    caesar.declare("shell", TEN_LINES)

    assert caesar.run("anything")["report"]["summary"] == "Handled: anything"


def test_listing_of_a_diff_honours_the_selection(caesar: Caesar) -> None:
    task_id = caesar.run("echo a >> a.txt; mkdir d; echo b > d/b.txt")["task_id"]

    assert caesar("diff", task_id, "--name-only", "--file", "d").out == "d/b.txt\n"
    assert caesar("diff", task_id, "--stat", "--file", "d").out.startswith("A d/b.txt")
    assert [f["path"] for f in caesar("diff", task_id, "--file", "d", "--json").json["files"]] == [
        "d/b.txt"
    ]
    for form in ((), ("--stat",), ("--name-only",), ("--json",)):
        assert caesar("diff", task_id, *form, "--file", "nope").code == 2


def test_diff_against_another_task(caesar: Caesar) -> None:
    first = caesar.run("echo same > s.txt; echo one > d.txt")["task_id"]
    second = caesar.run("echo same > s.txt; echo two > d.txt")["task_id"]

    assert caesar("diff", second, "--against", first, "--name-only").out == "d.txt\n"
    assert "-one\n+two\n" in caesar("diff", second, "--against", first).out


def test_arguments_after_the_dashes_are_the_shells_parameters(caesar: Caesar) -> None:
    result = caesar("run", "--agent", "shell", 'echo "$2-$1"', "--json", "--", "a", "b").json

    assert "b-a" in caesar("logs", "--raw", result["task_id"]).out
    refused = caesar("run", "--agent", "demo-quick", "x", "--", "a")
    assert refused.code == 2
    assert "takes no arguments" in refused.err


def test_listing_with_a_filter_that_fits_nothing_says_so(caesar: Caesar) -> None:
    caesar.run("true")

    for command in (("ps", "--race", "r_none"), ("ps", "--status", "failed")):
        assert "No task fits" in caesar(*command).out
    unknown = caesar("watch", "--once", "--race", "r_none")
    assert (unknown.code, "No race r_none." in unknown.err) == (2, True)


def test_synthesised_summary_quotes_the_agent_and_not_our_own_lines(caesar: Caesar) -> None:
    ran = caesar("run", "--agent", "shell", "echo words; sleep 9", "--timeout", "1s", "--json")

    assert "words" in ran.json["report"]["summary"]
    assert "caesar" not in ran.json["report"]["summary"]
