"""The return channel inside an agent (specification, "The return channel")."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters

from caesar_core.clock import SystemClock, iso
from caesar_core.servers.channel import channel_server
from caesar_core.store import mailbox
from caesar_core.store.layout import Layout, TaskFiles
from tests.integration.engine.conftest import Caesar
from tests.integration.servers.conftest import ERAS, Era, call, refused

GOOD = {"protocol": "caesar.report/v1", "status": "success", "summary": "Done."}


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    found = Layout(tmp_path).task("t_1")
    found.dir.mkdir(parents=True)
    order = {
        "protocol": "caesar.task/v1",
        "id": "t_1",
        "created_at": iso(SystemClock().now()),
        "agent": "x",
        "objective": "Mend it.",
        "workspace": str(tmp_path),
        "deadline_ms": 600_000,
        "report_path": str(found.report),
        "events_path": str(found.events),
    }
    found.task.write_text(json.dumps(order))
    return found


def inside(files: TaskFiles, era: Era = "auto") -> Client:
    return Client(channel_server(str(files.dir)), mode=era)


async def the_question(files: TaskFiles) -> str:
    """Return the id of the question as soon as there is one."""
    with anyio.fail_after(10):
        while not (found := mailbox.questions(files)):  # noqa: ASYNC110 - a file, not an event
            await anyio.sleep(0.01)
    return found[0].file.id


@pytest.mark.parametrize("era", ERAS)
async def test_s16_four_tools_make_a_dialogue(files: TaskFiles, era: Era) -> None:
    async with inside(files, era) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == {
            *("get_task", "report_progress", "ask_orchestrator", "submit_report"),
        }
        order = await call(client, "get_task")
        assert order["objective"] == "Mend it."
        jsonschema.validate(order, listed["get_task"].output_schema or {})
        assert await call(client, "report_progress", message="half", pct=50) == {"ok": True}

        async def answer() -> None:
            question_id = await the_question(files)
            mailbox.answer(files, question_id, "yes", SystemClock())

        async with anyio.create_task_group() as group:
            group.start_soon(answer)
            reply = await call(client, "ask_orchestrator", question="Keep it?", options=["yes"])
        assert (reply["answered"], reply["answer"]) == (True, "yes")
        assert await call(client, "submit_report", **GOOD) == {"ok": True, "task_id": "t_1"}
    types = [json.loads(line)["type"] for line in files.events.read_bytes().splitlines()]
    assert types == ["progress", "question"]
    assert json.loads(files.report.read_bytes())["summary"] == "Done."


async def test_case_6_submit_report_names_the_field_and_takes_nulls_for_absent(
    files: TaskFiles,
) -> None:
    async with inside(files) as client:
        for change, said in (
            ({"status": "great"}, "status"),
            ({"summary": None}, "summary"),
            ({"findings": [{"title": "t", "line": 0}]}, "findings.0.line"),
            ({"protocol": "caesar.report/v9"}, "v9"),
            ({"task_id": "t_2"}, "task_id"),
        ):
            assert said in await refused(client, "submit_report", **{**GOOD, **change})
        assert not files.report.exists()
        nulls: dict[str, Any] = {
            "usage": None,
            "details": None,
            "findings": [{"title": "t", "file": None, "line": None}],
        }
        await call(client, "submit_report", **GOOD, **nulls)
        await call(client, "submit_report", status="partial", summary="The last one counts.")
    assert json.loads(files.report.read_bytes())["status"] == "partial"


async def test_case_169_bad_arguments_are_named(files: TaskFiles) -> None:
    async with inside(files) as client:
        assert "pct" in await refused(client, "report_progress", message="x", pct=101)
        assert "message" in await refused(client, "report_progress", pct=1)
        assert "mood" in await refused(client, "report_progress", message="x", mood="good")
        assert "question" in await refused(client, "ask_orchestrator", question="")
        assert "options" in await refused(
            client, "ask_orchestrator", question="?", options=["x"] * 99
        )


async def test_case_159_without_time_left_it_returns_at_once_and_normally(files: TaskFiles) -> None:
    order = json.loads(files.task.read_bytes())
    files.task.write_text(json.dumps({**order, "deadline_ms": 1}))
    async with inside(files) as client:
        with anyio.fail_after(5):
            reply = await call(client, "ask_orchestrator", question="Well?")
    assert reply["answered"] is False
    assert "best judgement" in reply["message"]


async def test_a_call_that_is_given_up_closes_its_question(files: TaskFiles) -> None:
    async with inside(files) as client:
        with suppress(MCPError):
            await client.call_tool(
                "ask_orchestrator", {"question": "Well?"}, read_timeout_seconds=0.3
            )
        with anyio.fail_after(5):
            while mailbox.questions(files)[0].state == "open":  # noqa: ASYNC110 - a file
                await anyio.sleep(0.01)
    assert mailbox.questions(files)[0].reason == "the agent does not wait any more"


@pytest.mark.parametrize("how", ["module", "command"])
async def test_m14_it_runs_beside_the_agent_and_ends_with_it(files: TaskFiles, how: str) -> None:
    args = ["-P", "-m", "caesar_core.servers.channel", "--task-dir", str(files.dir)]
    if how == "command":
        args = ["-P", "-m", "caesar_core", "channel", "serve", "--task-dir", str(files.dir)]
    async with Client(StdioServerParameters(command=sys.executable, args=args)) as client:
        await call(client, "report_progress", message="here")
    assert b'"here"' in files.events.read_bytes()


def test_outside_of_a_task_it_says_so(caesar: Caesar) -> None:
    ran = caesar("channel", "serve", "--task-dir", str(caesar.root))
    assert (ran.code, ran.out) == (2, "")
    assert "task.json" in ran.err
    assert "channel" not in caesar("--help").out


async def test_a_waiting_server_is_woken_by_the_answer_and_does_not_go_and_look(
    files: TaskFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a floor of an hour only the system's notice can end the wait."""
    monkeypatch.setattr("caesar_core.servers.channel._FLOOR", 3600.0)

    async def answer() -> None:
        mailbox.answer(files, await the_question(files), "yes", SystemClock())

    with anyio.fail_after(20):
        async with inside(files) as client, anyio.create_task_group() as group:
            group.start_soon(answer)
            result = await call(client, "ask_orchestrator", question="Keep it?")

    assert result["answer"] == "yes"
