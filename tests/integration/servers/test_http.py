"""Streamable HTTP: this machine only, and only with the token."""

from __future__ import annotations

import socket

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from caesar_core.servers.room import LARGEST, message_size, newest_that_fit
from tests.integration.engine.conftest import Caesar
from tests.integration.servers.conftest import TOKEN, http_server

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def test_x4_without_the_token_nobody_learns_anything(caesar: Caesar) -> None:
    with http_server(caesar) as url:
        for shown in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": f"bearer{TOKEN}"},
            {"Authorization": f"Basic {TOKEN}"},
        ):
            refused = httpx2.post(url, json=PING, headers=shown)
            assert refused.status_code == 401
            assert "caesar" not in refused.text
        known = {
            "Authorization": f"bEARER {TOKEN}",  # the scheme is known in any case
            "Accept": "application/json, text/event-stream",
        }
        for rebound in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            assert httpx2.post(url, json=PING, headers={**known, **rebound}).status_code in {
                403,
                421,
            }


def test_a_port_that_is_taken_is_named(caesar: Caesar) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = caesar("mcp", "serve", "--http", "--port", port)
    assert (ran.code, ran.out) == (1, "")
    assert f"127.0.0.1:{port}" in ran.err


async def test_no_result_is_larger_than_clients_take(caesar: Caesar) -> None:
    task_id = caesar.run("seq 200000 > big.txt")["task_id"]
    header = {"Authorization": f"Bearer {TOKEN}"}
    with http_server(caesar) as url:
        async with (
            httpx2.AsyncClient(headers=header, timeout=30) as http,
            streamable_http_client(url, http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as client,
        ):
            await client.initialize()
            diff = await client.call_tool("caesar_diff", {"task_id": task_id})

    assert diff.structured_content is not None
    assert diff.structured_content["files"][0]["insertions"] == 200_000
    assert "too many for a result" in diff.structured_content["note"]
    assert "patch" not in diff.structured_content


def test_of_events_that_are_too_many_the_newest_are_told() -> None:
    events = [{"seq": number, "text": "x" * 4000} for number in range(1000)]

    kept = newest_that_fit(events)

    assert kept[-1]["seq"] == 999
    assert len(kept) < 1000
    assert message_size(kept) <= LARGEST
    assert newest_that_fit(events[:3]) == events[:3]
