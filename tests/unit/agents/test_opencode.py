"""OpenCode: its command line, and what only shows at the end of its stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesar_core.agents.base import ChannelServer, Job
from caesar_core.agents.opencode import OpenCodeAgent
from caesar_core.protocol.event import Error, EventBody, Message, ToolUse
from tests.unit.agents.jobs import make_job

STEP = {"type": "step_start", "sessionID": "ses_1", "part": {}}


def config(job: Job) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        OpenCodeAgent().invoke(job).env["OPENCODE_CONFIG_CONTENT"]
    )
    return document


def finished(reason: str) -> str:
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 3, "write": 1}}
    part = {"reason": reason, "tokens": tokens, "cost": 0.5}
    return json.dumps({"type": "step_finish", "sessionID": "ses_1", "part": part})


def test_the_brief_comes_by_stdin_and_nowhere_else() -> None:
    job = make_job(brief="SECRET PLAN")
    invocation = OpenCodeAgent().invoke(job)
    assert invocation.stdin == job.brief_file
    assert "SECRET PLAN" not in " ".join((*invocation.argv, invocation.shown))


def test_a_writing_task_approves_and_a_reading_one_denies() -> None:
    writes, reads = make_job(mode="write"), make_job(mode="read-only")
    assert "--auto" in OpenCodeAgent().invoke(writes).argv
    assert "--auto" not in OpenCodeAgent().invoke(reads).argv
    denied = {"edit": "deny", "bash": "deny", "task": "deny"}
    assert denied.items() <= config(reads)["permission"].items()
    assert not denied.keys() & config(writes)["permission"].keys()
    # Rules of an agent of the user's stand above those of the whole.
    assert config(reads)["agent"]["build"]["permission"] == config(reads)["permission"]


def test_places_outside_are_denied_but_those_it_has_to_reach() -> None:
    """A question that nobody can answer would end the run, so nothing is left to be asked."""
    rules = config(make_job(add_dirs=(Path("/shared/data"),)))["permission"]["external_directory"]
    assert next(iter(rules.items())) == ("*", "deny")
    assert rules["/project/.caesar/tasks/t_1/**"] == "allow"
    assert rules["/shared/data/**"] == "allow"


def test_model_session_network_and_extra_arguments_are_passed_on() -> None:
    job = make_job(model="a/b", resume="ses_9", network=False, extra=("--variant", "high"))
    argv = OpenCodeAgent().invoke(job).argv
    assert argv[-6:] == ("--model", "a/b", "--session", "ses_9", "--variant", "high")
    assert config(job)["permission"]["webfetch"] == "deny"


def test_the_channel_is_added_to_what_the_user_configures_the_same_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Case 44."""
    mine = {"model": "x/y", "mcp": {"mine": {"type": "local"}}, "permission": {"edit": "ask"}}
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", json.dumps(mine))
    channel = ChannelServer(("caesar", "channel", "serve"), {"A": "1"})
    merged = config(make_job(channel=channel))
    assert merged["model"] == "x/y"
    assert set(merged["mcp"]) == {"mine", "caesar"}
    assert merged["mcp"]["caesar"]["command"] == ["caesar", "channel", "serve"]
    assert merged["mcp"]["caesar"]["environment"] == {"A": "1"}
    assert merged["permission"]["edit"] == "ask"


def test_steps_that_bring_nothing_are_not_repeated_for_ever() -> None:
    """A stream that ends without a reason sends it into a loop of its own."""
    translator = OpenCodeAgent().translator()
    for _ in range(9):
        translator.feed(json.dumps(STEP))
        assert list(translator.feed(finished("unknown"))) == []
    assert not translator.gives_up
    [error] = translator.feed(finished("unknown"))
    assert isinstance(error, Error)
    assert (error.fatal, error.reason) == (True, "model_error")
    assert "10 steps" in translator.gives_up


def test_usage_and_cost_are_the_sum_of_the_steps() -> None:
    translator = OpenCodeAgent().translator()
    translator.feed(finished("tool-calls"))
    translator.feed(finished("stop"))
    assert translator.usage is not None
    assert translator.usage.input_tokens == 28
    assert translator.usage.cached_input_tokens == 6
    assert translator.usage.output_tokens == 14
    assert translator.usage.cost_usd == 1.0


def test_a_rejected_permission_is_no_success_whatever_the_exit_code() -> None:
    """Q10: only stderr says it, in colours."""
    translator = OpenCodeAgent().translator()
    translator.feed(json.dumps(STEP))
    told = (
        "\x1b[93m\x1b[1m! \x1b[0mpermission requested: external_directory (/etc/*); auto-rejecting"
    )
    bodies = translator.finish(0, told)
    assert [body.reason for body in bodies if isinstance(body, Error)] == ["permission_denied"] * 2
    assert [denial.what for denial in translator.denials] == ["/etc/*"]
    assert translator.failure is not None


@pytest.mark.parametrize(("code", "fatal"), [(0, True), (1, True), (None, False)])
def test_a_provider_that_only_the_log_speaks_of_is_named(code: int | None, fatal: bool) -> None:
    logged = 'level=ERROR run=1 message="stream error" error.error="AI_APICallError: server error"'
    [error] = OpenCodeAgent().translator().finish(code, logged)
    assert isinstance(error, Error)
    assert (error.fatal, error.reason) == (fatal, "model_error")


def test_a_run_that_stops_in_the_middle_is_a_failure() -> None:
    translator = OpenCodeAgent().translator()
    translator.feed(finished("length"))
    translator.finish(0, "")
    assert translator.failure is not None
    assert "(length)" in translator.failure.message


@pytest.mark.parametrize(
    ("tool", "title", "shown"),
    [
        ("todowrite", "2 todos", "2 todos"),
        ("bash", "Lists the files", "ls"),
        ("webfetch", "", "ls"),
    ],
)
def test_case_34_a_call_is_summed_up_by_its_title(tool: str, title: str, shown: str) -> None:
    state = {"status": "completed", "input": {"command": "ls"}, "title": title}
    part = {"tool": tool, "callID": "c", "state": state}
    told = {"type": "tool_use", "sessionID": "ses_1", "part": part}
    bodies = OpenCodeAgent().translator().feed(json.dumps(told))
    assert {body.input_summary for body in bodies if isinstance(body, ToolUse)} == {shown}


def test_case_43_44_no_file_of_the_workspace_is_written_so_the_user_s_own_stay() -> None:
    """What it has to know comes in a variable, and is laid over the files that it reads itself."""
    channel = ChannelServer(("caesar", "channel", "serve"), {})
    invocation = OpenCodeAgent().invoke(make_job(channel=channel))
    assert invocation.files == ()
    assert "caesar" in json.loads(invocation.env["OPENCODE_CONFIG_CONTENT"])["mcp"]


def test_a_sub_agent_is_shown_apart_and_neither_names_the_session_nor_ends_the_run() -> None:
    """S8: By its documented shape: no recording has one."""
    translator = OpenCodeAgent().translator()

    def feed(session: str, kind: str, **part: object) -> list[EventBody]:
        told = {"type": kind, "sessionID": "ses_1", "part": {"sessionID": session, **part}}
        return list(translator.feed(json.dumps(told)))

    tokens = {"input": 10, "output": 5}
    child = {"sessionId": "ses_2"}
    task = {"status": "running", "input": {"description": "look around"}, "metadata": child}
    ran = {"status": "completed", "input": {"command": "ls"}, "metadata": {"exit": 0}}
    feed("ses_1", "text", text="Mine.")
    feed("ses_1", "tool_use", tool="task", callID="c1", state=task)
    [start, end] = feed("ses_2", "tool_use", tool="bash", callID="c2", state=ran)
    [message] = feed("ses_2", "text", text="Its.")
    assert feed("ses_2", "step_finish", reason="tool-calls", tokens=tokens) == []
    feed("ses_1", "step_finish", reason="stop", tokens=tokens)
    translator.finish(0, "")
    assert isinstance(start, ToolUse)
    assert isinstance(end, ToolUse)
    assert start.input_summary == end.input_summary == "[sub-agent: look around] ls"
    assert message == Message(text="[sub-agent: look around] Its.")
    assert (translator.final_text, translator.session_id) == ("Mine.", "ses_1")
    assert translator.failure is None
    assert translator.usage is not None
    assert translator.usage.input_tokens == 20
