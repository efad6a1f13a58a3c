"""A project, and the main server reached in three ways and in both eras of the protocol."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, Literal, TypeAlias

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from caesar_core.servers.main import main_server
from tests.integration.engine.conftest import Caesar, caesar

__all__ = ["caesar"]

Era: TypeAlias = Literal["auto", "legacy"]
Way: TypeAlias = Literal["in process", "stdio", "http"]
ERAS: tuple[Era, ...] = ("auto", "legacy")
TOKEN = "a-token-for-tests-only"
Connect: TypeAlias = Callable[[Way, Era], AbstractAsyncContextManager[Client]]


@pytest.fixture
def connect(caesar: Caesar, monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Return what connects an official client to the main server of the project."""
    for name in [name for name in os.environ if name not in caesar.env]:
        if name.startswith(("XDG_", "GIT_", "PYTEST_")):
            monkeypatch.delenv(name)
    for name, value in caesar.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(caesar.root)

    @asynccontextmanager
    async def connected(way: Way, era: Era) -> AsyncIterator[Client]:
        if way == "in process":
            async with Client(main_server(caesar.root), mode=era) as client:
                yield client
        elif way == "stdio":
            async with Client(stdio(caesar), mode=era) as client:
                yield client
        else:
            with http_server(caesar) as url:
                headers = {"Authorization": f"Bearer {TOKEN}"}
                async with (
                    httpx2.AsyncClient(headers=headers, timeout=30) as http,
                    Client(streamable_http_client(url, http_client=http), mode=era) as client,
                ):
                    yield client

    return connected


def stdio(caesar: Caesar) -> StdioServerParameters:
    args = ["-m", "caesar_core", "mcp", "serve"]
    return StdioServerParameters(
        command=sys.executable, args=args, env=dict(caesar.env), cwd=caesar.root
    )


@contextmanager
def http_server(caesar: Caesar) -> Iterator[str]:
    """Run `caesar mcp serve --http` and yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "caesar_core", "mcp", "serve", "--http"],
        cwd=caesar.root,
        env={**caesar.env, "CAESAR_MCP_TOKEN": TOKEN},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.fullmatch(r"serving (http://127\.0\.0\.1:\d+/mcp)\n", said)
        assert found, said + process.stderr.read()
        yield found[1]
    finally:
        process.terminate()
        code = process.wait(timeout=10)
        process.stderr.close()
    assert code == 0


async def call(client: Client, name: str, **arguments: Any) -> Any:
    """Return the structured result of a tool that is expected to work."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, name: str, **arguments: Any) -> str:
    """Return what a tool says that is expected to refuse."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    return "".join(part.text for part in result.content if part.type == "text")
