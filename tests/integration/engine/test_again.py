"""`caesar resume` and `caesar retry`."""

from __future__ import annotations

import json

import pytest

from tests.integration.engine.conftest import Caesar
from tests.integration.engine.test_clis import SUCCESS, codex_says, install, replay


def test_resume_starts_from_the_earlier_result_and_compares_with_its_base(caesar: Caesar) -> None:
    first = caesar.run("echo 1 > new.txt")
    caesar.git("commit", "--quiet", "--allow-empty", "-m", "meanwhile")
    ran = caesar("resume", first["task_id"][:10], "cat new.txt && echo 2 > more.txt", "--json")

    assert ran.code == 0, ran.err
    second = ran.json
    assert [file["path"] for file in second["diff"]["files"]] == ["more.txt", "new.txt"]
    record, earlier = caesar.record(second["task_id"]), caesar.record(first["task_id"])
    assert record.resumes == earlier.id
    assert record.base_ref == earlier.base_ref
    assert "Undeclared change" not in json.dumps(second["report"])


def test_agent_without_sessions_is_told_the_story_and_the_caller_that_it_is(
    caesar: Caesar,
) -> None:
    first = caesar.run("echo remember-this")
    second = caesar("resume", first["task_id"], "true", "--json").json

    assert any("Session not continued" in warning for warning in second["warnings"])
    brief = caesar.layout.task(second["task_id"]).brief.read_text()
    assert "echo remember-this" in brief
    assert first["report"]["summary"] in brief


def test_session_is_gone_on_with_and_only_what_it_took_more_is_counted(caesar: Caesar) -> None:
    seen = install(caesar, "codex", f"echo 1 > one.txt\n{codex_says(json.dumps(SUCCESS))}")
    first = caesar.run("begin", agent="codex")
    assert first["usage"]["input_tokens"] == 10
    more = codex_says(json.dumps(SUCCESS)).replace('"input_tokens": 10', '"input_tokens": 25')
    install(caesar, "codex", more)

    second = caesar("resume", first["task_id"], "and now", "--json").json

    argv = seen.with_suffix(".argv").read_text().splitlines()
    assert argv[:2] == ["exec", "resume"]
    assert argv[-2:] == ["thread-1", "-"]
    assert second["usage"]["input_tokens"] == 15
    assert second["warnings"] == []


def test_another_agent_goes_on_without_the_session(caesar: Caesar) -> None:
    install(caesar, "codex", codex_says(json.dumps(SUCCESS)))
    first = caesar.run("begin", agent="codex")

    second = caesar("resume", first["task_id"], "true", "--agent", "shell", "--json").json

    assert second["agent"] == "shell"
    assert any("Session not continued" in warning for warning in second["warnings"])


def test_task_that_runs_cannot_be_resumed(caesar: Caesar) -> None:
    task = caesar.detach(caesar.at_the_gate)
    ran = caesar("resume", task, "more", "--json")
    caesar.gate.touch()
    caesar.wait(task)

    assert ran.code == 2
    assert ran.json["error"]["code"] == "still_running"


def test_retry_asks_for_the_same_with_what_is_changed(caesar: Caesar) -> None:
    first = caesar.run(
        "echo $1", "--constraint", "be quick", "--check", "true", "--timeout", "70s", "--", "word"
    )
    second = caesar("retry", first["task_id"], "--timeout", "80s", "--json").json

    tasks = [
        json.loads(caesar.layout.task(t["task_id"]).task.read_bytes()) for t in (first, second)
    ]
    assert [task["objective"] for task in tasks] == ["echo $1", "echo $1"]
    assert tasks[1]["constraints"] == ["be quick"]
    assert [task["deadline_ms"] for task in tasks] == [70_000, 80_000]
    assert [check["command"] for check in second["checks"]] == ["true"]
    assert "word" in caesar.layout.task(second["task_id"]).raw_log.read_text()
    assert caesar.record(second["task_id"]).resumes is None


def test_resume_needs_something_to_do(caesar: Caesar) -> None:
    first = caesar.run("true")

    assert caesar("resume", first["task_id"], "--json").code == 2


def test_a_session_is_counted_over_all_its_tasks(caesar: Caesar) -> None:
    stream = codex_says(json.dumps(SUCCESS))
    install(caesar, "codex", stream)
    task = caesar.run("begin", agent="codex")["task_id"]
    spent = []
    for total in (25, 45):
        install(caesar, "codex", stream.replace('"input_tokens": 10', f'"input_tokens": {total}'))
        result = caesar("resume", task, "more", "--json").json
        task = result["task_id"]
        spent.append(result["usage"]["input_tokens"])

    assert spent == [15, 20]


def test_a_session_that_belongs_to_a_folder_is_not_taken_to_another(caesar: Caesar) -> None:
    """OpenCode would take the model's answer there and then wait for ever."""
    seen = install(caesar, "opencode", replay("opencode-stdin"))
    first = caesar.run("begin", agent="opencode")
    assert caesar.record(first["task_id"]).session_id

    second = caesar("resume", first["task_id"], "and now", "--json").json

    assert any("Session not continued" in warning for warning in second["warnings"])
    assert "--session" not in seen.with_suffix(".argv").read_text().splitlines()


@pytest.mark.parametrize("command", [("retry",), ("resume", "more")])
def test_an_order_that_was_edited_since_is_not_taken_for_what_was_asked(
    caesar: Caesar, command: tuple[str, ...]
) -> None:
    """An agent can write where its order lies."""
    edit = 'sed -i "s/be quick/drop the tests/" "$CAESAR_TASK_FILE"'
    first = caesar.run(edit, "--constraint", "be quick")
    name, *words = command
    ran = caesar(name, first["task_id"], *words, "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "order_lost"
    assert "somebody changed it" in ran.json["error"]["message"]
