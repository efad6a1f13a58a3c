"""Waiting, and who answers first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio

from caesar_core.engine.agent_side import AgentSide, Reply
from caesar_core.engine.service import Service
from caesar_core.store import mailbox
from caesar_tui.actions import ANSWERED_BY
from tests.integration.engine.conftest import Caesar, eventually
from tests.integration.servers.conftest import Connect, call


def five_open(caesar: Caesar) -> list[Any]:
    """Return the questions of all tasks, once there are five."""
    listed = lambda: caesar("questions", "--json").json["questions"]  # noqa: E731
    return eventually(listed, lambda found: len(found) == 5)


def asking(caesar: Caesar, task_id: str) -> AgentSide:
    """Return the agent's side of a running task."""
    caesar.wait(task_id, lambda record: record.agent_process is not None)
    return AgentSide.at(caesar.layout.task(task_id).dir)


async def test_case_164_at_the_timeout_a_task_is_pending_without_report(
    caesar: Caesar, connect: Connect
) -> None:
    task_id = caesar.detach("sleep 600")
    async with connect("in process", "auto") as client:
        waited = await call(client, "caesar_await", task_ids=[task_id], timeout_ms=50)
    task = waited["tasks"][task_id]
    assert task["pending"] is True
    assert "report" not in task
    assert "pending_questions" not in task
    caesar("cancel", task_id)


async def test_case_165_an_unknown_id_spoils_no_batch(caesar: Caesar, connect: Connect) -> None:
    done = caesar.run("true")
    async with connect("in process", "auto") as client:
        ids = [done["task_id"], "t_nothing", "../x"]
        tasks = (await call(client, "caesar_await", task_ids=ids))["tasks"]
    assert tasks[done["task_id"]]["status"] == "succeeded"
    for unknown in ids[1:]:
        assert tasks[unknown] == {"task_id": unknown, "status": "unknown", "pending": False}


async def test_case_158_a_question_is_handed_out_early_but_once(
    caesar: Caesar, connect: Connect
) -> None:
    """Q1."""
    task_id = caesar.detach("sleep 600")
    asked = asking(caesar, task_id).ask("One?")
    async with connect("in process", "auto") as client:
        with anyio.fail_after(10):
            first = await call(client, "caesar_await", task_ids=[task_id], timeout_ms=60_000)
        again = await call(client, "caesar_await", task_ids=[task_id], timeout_ms=300)
        for waited in (first, again):
            [question] = waited["tasks"][task_id]["pending_questions"]
            assert question["id"] == asked.id
        second = asking(caesar, task_id).ask("Two?")
        with anyio.fail_after(10):
            waited = await call(client, "caesar_await", task_ids=[task_id], timeout_ms=60_000)
        listed = [q["id"] for q in waited["tasks"][task_id]["pending_questions"]]
        assert listed == [asked.id, second.id]
    caesar("cancel", task_id)


async def test_progress_grows_while_tasks_end(caesar: Caesar, connect: Connect) -> None:
    ids = [caesar.detach("true"), caesar.detach("sleep 0.3")]
    told: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message
        told.append((progress, total))

    async with connect("stdio", "legacy") as client:
        result = await client.call_tool("caesar_await", {"task_ids": ids}, progress_callback=note)
    assert not result.is_error
    assert told == sorted(told)
    assert int(told[-1][0]) == 2
    assert {total for _, total in told} == {2}


async def test_160_of_a_hundred_answers_at_once_one_stays(caesar: Caesar, connect: Connect) -> None:
    task_id = caesar.detach("sleep 600")
    asked = asking(caesar, task_id).ask("Which?")
    outcomes: list[Any] = []
    async with connect("in process", "auto") as client:

        async def answer(number: int) -> None:
            arguments = {"task_id": task_id, "question_id": asked.id, "answer": f"n{number}"}
            outcomes.append((number, await client.call_tool("caesar_answer", arguments)))

        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(answer, number)
    winners = [number for number, result in outcomes if not result.is_error]
    losers = [result.content[0].text for _, result in outcomes if result.is_error]
    assert len(winners) == 1
    assert len(losers) == 99
    assert all("answered at 2" in text and "by caesar_answer" in text for text in losers)
    found = mailbox.question(caesar.layout.task(task_id), asked.id)
    assert found.answer == f"n{winners[0]}"
    events = caesar("logs", task_id, "--json").json["events"]
    assert [event["answer"] for event in events if event["type"] == "answer"] == [found.answer]
    caesar("cancel", task_id)


async def test_q2_five_questions_at_once_answered_from_everywhere(
    caesar: Caesar, connect: Connect
) -> None:
    """Two tasks, five questions within milliseconds: dashboard, shell and MCP answer in turn."""
    ids = [caesar.detach("sleep 600"), caesar.detach("sleep 600")]
    sides = [asking(caesar, task_id) for task_id in ids]
    texts = [(sides[n % 2], f"question {n}") for n in range(5)]
    start = threading.Barrier(len(texts))
    replies: dict[str, Reply] = {}

    def ask(side: AgentSide, text: str) -> None:
        start.wait()
        replies[text] = side.wait(side.ask(text, ["yes", "no"]))

    service = Service(caesar.root)
    with ThreadPoolExecutor(len(texts)) as pool:
        for side, text in texts:
            pool.submit(ask, side, text)
        async with connect("in process", "auto") as client:
            with anyio.fail_after(20):
                listed = await anyio.to_thread.run_sync(five_open, caesar)
            for number, question in enumerate(listed):
                task_id, asked = question["task_id"], question["id"]
                said = f"{question['question']} to {task_id}"
                if number % 3 == 0:
                    service.answer(task_id, asked, said, ANSWERED_BY)
                elif number % 3 == 1:
                    assert caesar("answer", task_id, asked, said).code == 0
                else:
                    arguments = {"task_id": task_id, "question_id": asked, "answer": said}
                    await call(client, "caesar_answer", **arguments)
    for side, text in texts:
        assert replies[text].answer == f"{text} to {side.task_id}"
    assert caesar("questions", "--json").json["questions"] == []
    for task_id in ids:
        answered_by = {state.by for state in mailbox.questions(caesar.layout.task(task_id))}
        assert answered_by <= {ANSWERED_BY, "caesar answer", "caesar_answer"}
        service.cancel(task_id)
