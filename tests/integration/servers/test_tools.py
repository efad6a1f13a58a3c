"""The ten tools through the official client: in process, over stdio and HTTP, in both eras."""

from __future__ import annotations

import json
import os
from typing import Any

import jsonschema
import pytest

from tests.integration.engine.conftest import Caesar
from tests.integration.servers.conftest import ERAS, Connect, Era, Way, call, refused

TOOLS = {
    "caesar_delegate": (False, False),
    "caesar_await": (True, False),
    "caesar_status": (True, False),
    "caesar_logs": (True, False),
    "caesar_cancel": (False, True),
    "caesar_diff": (True, False),
    "caesar_apply": (False, True),
    "caesar_list_agents": (True, False),
    "caesar_list_roles": (True, False),
    "caesar_answer": (False, False),
}
PROTOCOL = {"auto": "2026-07-28", "legacy": "2025-11-25"}
WAYS: tuple[Way, ...] = ("in process", "stdio", "http")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", WAYS)
async def test_the_whole_tour(caesar: Caesar, connect: Connect, way: Way, era: Era) -> None:
    """M2 to M13: delegate, be asked, answer, read, apply, cancel."""
    async with connect(way, era) as client:
        assert client.protocol_version == PROTOCOL[era]
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == set(TOOLS)

        schemas = {name: tool.output_schema for name, tool in listed.items()}

        async def checked(name: str, **arguments: Any) -> Any:
            document = await call(client, name, **arguments)
            jsonschema.validate(document, schemas[name] or {})
            return document

        objective = 'echo new > new.txt; caesar ask "Keep it?" --option yes > said.txt'
        begun = await checked("caesar_delegate", objective=objective, agent="shell")
        task_id = begun["task_id"]
        assert begun["status"] == "running"
        assert (begun["isolation"], begun["mode"]) == ("worktree", "write")

        waiting = await checked("caesar_await", task_ids=[task_id])
        asked = waiting["tasks"][task_id]
        [question] = asked["pending_questions"]
        assert (asked["pending"], asked["status"]) == (True, "running")
        assert set(question) == {"id", "question", "options", "asked_at", "closes_at"}

        status = await checked("caesar_status", task_id=task_id)
        assert status["pending_questions"] == [question]
        assert status["last_event"]["type"] == "question"
        assert "report_status" not in status

        answer = {"task_id": task_id, "question_id": question["id"]}
        done = await checked("caesar_answer", **answer, answer="yes")
        assert done == {**answer, "answered": True}
        assert "by caesar_answer" in await refused(client, "caesar_answer", **answer, answer="no")

        over = (await checked("caesar_await", task_ids=[task_id]))["tasks"][task_id]
        assert (over["pending"], over["status"]) == (False, "succeeded")
        assert over["report"]["changes_verified_by"] == "git"
        changed = {change["path"] for change in over["report"]["changes"]}
        assert changed == {"new.txt", "said.txt"}
        assert (await checked("caesar_status", task_id=task_id))["report_status"] == "success"

        logs = await checked("caesar_logs", task_id=task_id, limit=2)
        assert len(logs["events"]) == 2
        assert logs["total_events"] > 2
        assert "Keep it?" in (await checked("caesar_logs", task_id=task_id, raw=True))["text"]

        diff = await checked("caesar_diff", task_id=task_id)
        assert "+yes\n" in diff["patch"]
        applied = await checked("caesar_apply", task_id=task_id)
        assert (applied["applied"], applied["conflicts"]) == (True, [])
        assert (caesar.root / "said.txt").read_text() == "yes\n"

        again = await checked("caesar_cancel", task_id=task_id)
        assert again == {"task_id": task_id, "cancelled": False, "status": "succeeded"}
        endless = await checked("caesar_delegate", objective="sleep 600", agent="shell")
        stopped = await checked("caesar_cancel", task_id=endless["task_id"])
        assert (stopped["cancelled"], stopped["status"]) == (True, "cancelled")
        agents = (await checked("caesar_list_agents"))["agents"]
        assert {"shell", "codex", "claude"} <= {agent["id"] for agent in agents}
        roles = (await checked("caesar_list_roles"))["roles"]
        assert {role["name"] for role in roles} >= {"reviewer", "implementer", "investigator"}


async def test_schemas_and_annotations_say_what_each_tool_does(connect: Connect) -> None:
    async with connect("in process", "auto") as client:
        listed = (await client.list_tools()).tools
    for tool in listed:
        hints = tool.annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint) == TOOLS[tool.name]
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert tool.description
    takes = {tool.name: set(tool.input_schema["properties"]) for tool in listed}
    assert takes["caesar_delegate"] == {
        *("objective", "role", "agent", "mode", "isolation", "network", "context"),
        *("constraints", "acceptance_criteria", "model", "timeout", "channel"),
    }
    assert takes["caesar_await"] == {"task_ids", "timeout_ms"}
    assert takes["caesar_logs"] == {"task_id", "raw", "limit"}
    assert takes["caesar_answer"] == {"task_id", "question_id", "answer"}


async def test_case_169_bad_arguments_are_named(connect: Connect) -> None:
    async with connect("in process", "auto") as client:
        for name, arguments, said in (
            ("caesar_status", {}, "task_id is required"),
            ("caesar_status", {"task_id": "x", "bogus": 1}, "bogus is not an argument"),
            ("caesar_await", {"task_ids": []}, "task_ids"),
            ("caesar_await", {"task_ids": ["x"], "timeout_ms": 0}, "timeout_ms"),
            ("caesar_logs", {"task_id": "x", "limit": 0}, "limit"),
            ("caesar_delegate", {"agent": "shell"}, "objective is required"),
            ("caesar_delegate", {"objective": "x", "agent": "shell", "mode": "rw"}, "mode"),
            ("caesar_delegate", {"objective": "x", "agent": "shell", "timeout": "soon"}, "timeout"),
            ("caesar_answer", {"task_id": "x", "question_id": "q", "answer": ""}, "answer"),
            ("caesar_nothing", {}, "caesar_delegate"),
        ):
            assert said in await refused(client, name, **arguments)


async def test_m3_refusals_are_results_and_leave_nothing(caesar: Caesar, connect: Connect) -> None:
    """Case 167 as well: what cannot be launched is told, and nothing is left behind."""
    async with connect("in process", "auto") as client:
        for arguments, said in (
            ({}, "Name an agent or a role"),
            ({"agent": "shel"}, "Did you mean 'shell'?"),
            ({"role": "implementr"}, "Did you mean 'implementer'?"),
            ({"agent": "codex"}, "not installed"),
            ({"agent": "shell", "model": "m"}, "takes no model"),
            ({"agent": "shell", "isolation": "inplace"}, "policy"),
        ):
            assert said in await refused(client, "caesar_delegate", objective="x", **arguments)
        (caesar.root / ".caesar").mkdir()
        (caesar.root / ".caesar" / "config.toml").write_text('[policy]\ndenied = ["shell"]\n')
        said = await refused(client, "caesar_delegate", objective="x", agent="shell")
        assert "denies" in said
        agents = (await call(client, "caesar_list_agents"))["agents"]
        shell = next(agent for agent in agents if agent["id"] == "shell")
        assert shell["policy"]["allowed"] is False
        assert "denied" in shell["policy"]["reason"]
    assert not caesar.layout.tasks.exists()


async def test_m12_roles_are_resolved_now(caesar: Caesar, connect: Connect) -> None:
    (caesar.root / ".caesar").mkdir()
    (caesar.root / ".caesar" / "config.toml").write_text(
        '[[role]]\nname = "tester"\nagents = ["codex", "shell"]\nmode = "write"\nmodel = "m"\n'
    )
    async with connect("in process", "auto") as client:
        offered = (await call(client, "caesar_list_roles"))["roles"]
    roles = {role["name"]: role for role in offered}
    tester, reviewer = roles["tester"], roles["reviewer"]
    assert (tester["would_pick"], tester["model"], tester["timeout_ms"]) == ("shell", "m", 600_000)
    assert [skip["agentId"] for skip in tester["skipped"]] == ["codex"]
    assert tester["skipped"][0]["reason"]
    assert (reviewer["would_pick"], reviewer["skipped"]) == (None, [])
    assert "codex" in reviewer["reason"]


async def test_a_repository_that_nobody_agreed_to_is_refused(
    caesar: Caesar, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    caesar.declare("mine", "true")
    monkeypatch.delenv("CAESAR_TRUST")
    async with connect("in process", "auto") as client:
        said = await refused(client, "caesar_delegate", objective="x", agent="mine")
    assert "caesar trust" in said


async def test_m3_what_could_not_be_honoured_is_a_warning(caesar: Caesar, connect: Connect) -> None:
    """Case 137."""
    (caesar.root / ".caesar").mkdir()
    (caesar.root / ".caesar" / "config.toml").write_text('[models]\nshell = "m"\n')
    elsewhere = caesar.root.parent / "elsewhere"
    elsewhere.mkdir()
    caesar.git("init", "--quiet", cwd=elsewhere)
    async with connect("in process", "auto") as client:
        os.chdir(elsewhere)
        begun = await call(
            client, "caesar_delegate", objective="true", agent="shell", network="off", channel=True
        )
        await call(client, "caesar_await", task_ids=[begun["task_id"]])
    assert "stays available" in begun["network_warning"]
    assert "dropped" in begun["model_warning"]
    assert "commands" in begun["channel_warning"]
    assert str(elsewhere) in begun["workspace_warning"]
    assert begun["network"] is True
    assert "model" not in begun


async def test_m9_m10_in_place_there_is_no_diff_and_nothing_to_apply(
    caesar: Caesar, connect: Connect
) -> None:
    """Case 170."""
    (caesar.root / ".caesar").mkdir()
    (caesar.root / ".caesar" / "config.toml").write_text("[policy]\nallow_inplace_write = true\n")
    async with connect("in process", "auto") as client:
        arguments = {"objective": "echo x > x.txt", "agent": "shell", "isolation": "inplace"}
        task_id = (await call(client, "caesar_delegate", **arguments))["task_id"]
        await call(client, "caesar_await", task_ids=[task_id])
        diff = await call(client, "caesar_diff", task_id=task_id)
        assert diff == {"task_id": task_id, "is_empty": True, "files": []}
        applied = await call(client, "caesar_apply", task_id=task_id)
        assert applied == {"task_id": task_id, "applied": True, "conflicts": []}


async def test_m10_a_conflict_is_listed_and_nothing_is_written(
    caesar: Caesar, connect: Connect
) -> None:
    async with connect("in process", "auto") as client:
        arguments = {"objective": "echo theirs > a.txt; echo n > n.txt", "agent": "shell"}
        task_id = (await call(client, "caesar_delegate", **arguments))["task_id"]
        await call(client, "caesar_await", task_ids=[task_id])
        (caesar.root / "a.txt").write_text("mine\n")
        applied = await call(client, "caesar_apply", task_id=task_id)
    assert applied["applied"] is False
    assert [conflict["path"] for conflict in applied["conflicts"]] == ["a.txt"]
    assert not (caesar.root / "n.txt").exists()


async def test_m6_a_failed_report_of_a_process_that_ended_well(
    caesar: Caesar, connect: Connect
) -> None:
    caesar.declare("glum", "caesar report --status failed --summary 'no way'")
    async with connect("in process", "auto") as client:
        begun = await call(client, "caesar_delegate", objective="x", agent="glum")
        await call(client, "caesar_await", task_ids=[begun["task_id"]])
        status = await call(client, "caesar_status", task_id=begun["task_id"])
    assert (status["status"], status["report_status"]) == ("succeeded", "failed")


async def test_what_an_agent_writes_survives_as_text(caesar: Caesar, connect: Connect) -> None:
    script = (
        "printf '\\377\\000\\033]52;c;x\\007'\n"
        'printf \'{"protocol":"caesar.event/v1","seq":9,"at":"x","task_id":"t","type":"message",'
        '"text":"lone \\\\ud800"}\\n\' >>"$CAESAR_EVENTS_PATH"\n'
        "caesar report --status success --summary done"
    )
    caesar.declare("odd", script)
    async with connect("stdio", "auto") as client:
        begun = await call(client, "caesar_delegate", objective="x", agent="odd")
        await call(client, "caesar_await", task_ids=[begun["task_id"]])
        raw = await call(client, "caesar_logs", task_id=begun["task_id"], raw=True)
        logs = await call(client, "caesar_logs", task_id=begun["task_id"])
    assert "\x1b]52" in raw["text"]
    assert any(event.get("text") == "lone ?" for event in logs["events"])
    assert json.dumps(logs)
