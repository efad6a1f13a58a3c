"""The main server as a process: what is on its stdout, how it ends, what outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.integration.engine.conftest import Caesar, eventually, kill, processes_of
from tests.integration.servers.conftest import Connect, call

SERVE = ("-m", "caesar_core", "mcp", "serve")
NOISY = """
import os, subprocess, sys
from pathlib import Path
from caesar_core.servers import main

quiet = main.MainTools.list_roles

def noisy(self, given):
    print("printed")
    sys.__stdout__.write("written\\n")
    sys.__stdout__.flush()
    os.write(1, b"to the descriptor\\n")
    os.system("echo by a child")
    subprocess.run(["cat"], check=True)  # its stdin is not the wire either
    return quiet(self, given)

main.MainTools.list_roles = noisy
main.serve_stdio(Path.cwd())
"""
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


class RawClient:
    """A client of the 2025 handshake by hand, so that every byte is seen."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._next = 0

    def request(self, method: str, params: Any) -> Any:
        self._next += 1
        self.send({"id": self._next, "method": method, "params": params})
        while (answer := self.read()).get("id") != self._next:
            pass
        return answer["result"]

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server is gone"
        self.lines.append(line)
        message: dict[str, Any] = json.loads(line)
        return message

    def greet(self) -> Any:
        answer = self.request("initialize", HELLO)
        self.send({"method": "notifications/initialized"})
        return answer

    def call(self, tool: str, **arguments: Any) -> Any:
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer["structuredContent"]


@contextmanager
def raw(caesar: Caesar, *args: str) -> Iterator[RawClient]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *args],
        cwd=caesar.root,
        env=caesar.env,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    )
    try:
        yield RawClient(process)
    finally:
        process.kill()
        process.wait(timeout=10)
        for pipe_end in (process.stdin, process.stdout, process.stderr):
            assert pipe_end is not None
            with suppress(BrokenPipeError):
                pipe_end.close()


def test_case_168_whatever_is_printed_stdout_carries_the_protocol_only(caesar: Caesar) -> None:
    with raw(caesar, "-c", NOISY) as client:
        greeting = client.greet()
        assert greeting["protocolVersion"] == "2025-06-18"
        assert greeting["serverInfo"]["name"] == "caesar"
        assert client.call("caesar_list_roles")["roles"]
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.stdout is not None
        assert client.process.stdout.read() == b""
        assert client.process.stderr is not None
        said = client.process.stderr.read().decode()
    for words in ("printed", "written", "to the descriptor", "by a child"):
        assert words in said


@pytest.mark.parametrize("end", ["eof", "term"])
def test_it_ends_at_once_while_a_call_waits_and_the_task_goes_on(caesar: Caesar, end: str) -> None:
    """Cases 171 and 99."""
    with raw(caesar, *SERVE) as client:
        client.greet()
        task_id = client.call("caesar_delegate", objective="sleep 600", agent="shell")["task_id"]
        arguments = {"task_ids": [task_id], "timeout_ms": 600_000}
        client.send(
            {
                "id": 99,
                "method": "tools/call",
                "params": {"name": "caesar_await", "arguments": arguments},
            }
        )
        caesar.wait(task_id, lambda record: record.agent_process is not None)
        began = time.monotonic()
        if end == "eof":
            assert client.process.stdin is not None
            client.process.stdin.close()
        else:
            client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(timeout=10) == 0
        assert time.monotonic() - began < 5
    assert caesar.record(task_id).is_active
    assert processes_of(task_id)
    caesar("cancel", task_id)


def test_it_ends_at_once_while_it_waits_for_a_deaf_agent(caesar: Caesar) -> None:
    caesar.declare("deaf", "trap '' TERM; while :; do sleep 1; done")
    with raw(caesar, *SERVE) as client:
        client.greet()
        task_id = client.call("caesar_delegate", objective="x", agent="deaf")["task_id"]
        caesar.wait(task_id, lambda record: record.agent_process is not None)
        arguments = {"name": "caesar_cancel", "arguments": {"task_id": task_id}}
        client.send({"id": 99, "method": "tools/call", "params": arguments})
        eventually(caesar.layout.task(task_id).cancel_request.exists, bool)
        began = time.monotonic()
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(timeout=10) == 0
        assert time.monotonic() - began < 4
    for deaf in processes_of(task_id):  # it would take the whole grace
        deaf.kill()
    assert caesar.wait(task_id).status == "cancelled"


async def test_m4_delegations_side_by_side(caesar: Caesar, connect: Connect) -> None:
    begun: list[str] = []
    async with connect("in process", "auto") as client:

        async def delegate(number: int) -> None:
            arguments = {"objective": f"echo {number} > n.txt", "agent": "shell"}
            begun.append((await call(client, "caesar_delegate", **arguments))["task_id"])

        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(delegate, number)
        assert len(set(begun)) == 4
        tasks = (await call(client, "caesar_await", task_ids=begun))["tasks"]
    assert {task["status"] for task in tasks.values()} == {"succeeded"}


async def test_a_killed_server_leaves_a_task_that_the_next_one_reports(
    caesar: Caesar, connect: Connect
) -> None:
    """Case 171."""
    gate = caesar.root.parent / "gate"
    objective = f"echo started > s.txt; until [ -e {gate} ]; do sleep 0.05; done"
    with raw(caesar, *SERVE) as client:
        client.greet()
        task_id = client.call("caesar_delegate", objective=objective, agent="shell")["task_id"]
        client.process.kill()
        client.process.wait(timeout=10)
    gate.touch()
    async with connect("in process", "auto") as next_one:
        over = (await call(next_one, "caesar_await", task_ids=[task_id]))["tasks"][task_id]
        assert (over["status"], over["report"]["status"]) == ("succeeded", "success")
        assert [change["path"] for change in over["report"]["changes"]] == ["s.txt"]


async def test_case_166_a_task_whose_processes_died_is_not_pending_for_ever(
    caesar: Caesar, connect: Connect
) -> None:
    task_id = caesar.detach("sleep 600")
    record = caesar.wait(task_id, lambda record: record.agent_process is not None)
    kill(record.supervisor)
    for process in processes_of(task_id):
        process.kill()
    async with connect("in process", "auto") as client:
        over = (await call(client, "caesar_await", task_ids=[task_id]))["tasks"][task_id]
    assert (over["status"], over["pending"]) == ("failed", False)
    assert over["report"]["status"] == "failed"


def test_a_closed_descriptor_is_no_trouble(caesar: Caesar) -> None:
    """With stdin closed there is no client: it ends at once and says nothing."""
    command = f"exec {sys.executable} {' '.join(SERVE)} <&- "
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=caesar.root,
        env=caesar.env,
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_client_that_hands_on_no_environment_makes_nobody_shallower() -> None:
    """Depth is read from what started the server, when its own environment does not say it."""
    inner = "from caesar_core.engine.depth import depth_of_server; print(depth_of_server())"
    code = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {inner!r}], env={{'PATH': '/usr/bin'}}, check=True)"
    )
    for depth, said in (("2", "2\n"), ("rubbish", "0\n")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "CAESAR_DEPTH": depth},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == said


def test_m1_registering_from_the_command_line(caesar: Caesar) -> None:
    path = Path(caesar.env["HOME"], ".config", "opencode", "opencode.json")
    dry = caesar("mcp", "install", "opencode", "--dry-run", "--json").json
    assert (dry["dry_run"], dry["file"], dry["key"]) == (True, str(path), "mcp")
    assert not path.exists()
    assert "opencode: registered" in caesar("mcp", "install", "opencode").out
    entry = json.loads(path.read_text())["mcp"]["caesar"]
    assert entry == dry["entry"]
    assert entry["command"][-4:] == ["mcp", "serve", "--root", str(caesar.root)]
    assert caesar("mcp", "uninstall", "opencode", "--json").json["done"] == "removed"
    assert json.loads(path.read_text()) == {"mcp": {}}
    wrong = caesar("mcp", "install", "emacs", "--json")
    assert (wrong.code, wrong.json["error"]["code"]) == (2, "unknown_client")


def test_flags_that_make_no_sense_are_refused(caesar: Caesar) -> None:
    ran = caesar("mcp", "serve", "--port", "8000")
    assert (ran.code, "--http" in ran.err) == (2, True)
    ran = caesar("mcp", "serve", "--http", env={"CAESAR_MCP_TOKEN": "short"})
    assert (ran.code, "CAESAR_MCP_TOKEN" in ran.err) == (2, True)


def test_trust_is_given_where_the_server_is_started(caesar: Caesar) -> None:
    caesar.declare("mine", "caesar report --status success --summary done")
    caesar.env.pop("CAESAR_TRUST")
    with raw(caesar, *SERVE, "--trust") as client:
        client.greet()
        task_id = client.call("caesar_delegate", objective="x", agent="mine")["task_id"]
    assert (
        eventually(lambda: caesar.record(task_id), lambda r: not r.is_active).status == "succeeded"
    )
