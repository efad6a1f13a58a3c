"""Streamable HTTP: this machine only, and only with the token."""

from __future__ import annotations

import socket

import httpx2

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
            "Authorization": f"Bearer {TOKEN}",
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
