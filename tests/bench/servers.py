"""The rows of the MCP servers: from spawn to the first answer, and what a call takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.bench.measure import CLOCK, Bench
from tests.bench.stores import running_project

SERVE = (sys.executable, "-m", "caesar_core", "mcp", "serve")
LIBRARY = (sys.executable, "-c", "import mcp")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "0"},
}
CALLS = 200


class Client:
    """As little of a client as possible, so that the server is what is measured."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._next = 0

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self._next:
            pass
        return answer["result"]

    def notify(self, method: str) -> None:
        """Send a notification."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method}).encode() + b"\n")
        self.process.stdin.flush()


@contextmanager
def connected(bench: Bench, root: Path) -> Iterator[tuple[Client, float]]:
    """Yield a client that has been greeted, and the seconds from spawn to that."""
    began, pipe = CLOCK.monotonic(), subprocess.PIPE
    command = [*SERVE, "--root", str(root)]
    with subprocess.Popen(
        command, env=bench.env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        client = Client(process)
        client.request("initialize", HELLO)
        took = CLOCK.monotonic() - began
        client.notify("notifications/initialized")
        try:
            yield client, took
        finally:
            process.terminate()


def start(bench: Bench) -> str:
    """From spawn to the answer of `initialize`, beside what importing the library takes."""
    root = running_project(bench, 1, 40)
    library = bench.median(*LIBRARY, cwd=root).seconds
    taken = []
    for _ in range(bench.repeat):
        with connected(bench, root) as (client, took):
            taken.append(took)
            size = psutil.Process(client.process.pid).memory_info().rss / 2**20
    return f"{_median(taken):.2f} s ({library:.2f} mcp), {size:.0f} MiB"


def status(bench: Bench) -> str:
    """One `caesar_status` of a running task among 500."""
    root = running_project(bench, 500, 100)
    with connected(bench, root) as (client, _):
        task_id = next(iter(sorted((root / ".caesar" / "state" / "tasks").glob("*.json")))).stem
        call = {"name": "caesar_status", "arguments": {"task_id": task_id}}
        taken = []
        for _ in range(CALLS):
            began = CLOCK.monotonic()
            result = client.request("tools/call", call)
            taken.append(CLOCK.monotonic() - began)
            assert not result.get("isError"), result
    return f"{_median(taken) * 1000:.1f} ms"


def _median(taken: list[float]) -> float:
    return sorted(taken)[len(taken) // 2]
