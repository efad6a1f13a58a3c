"""`caesar watch --web`: who has the address gets the dashboard, nobody else gets anything."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import aiohttp
import psutil
import pytest

from caesar_core.protocol import event as ev
from caesar_core.store import mailbox
from tests.tui.sample import Sample

# The command line would adopt tasks that have no supervisor; those of the sample have none.
SERVE = """
import sys
from pathlib import Path
from caesar_core.store.layout import Layout
from caesar_tui.web import serve_dashboard
serve_dashboard(Layout(Path(sys.argv[1])), tell=lambda address: print(address, flush=True))
"""


@contextlib.contextmanager
def serving(*command: str) -> Iterator[str]:
    """Run a server and give its address; the interrupt that ends it leaves nothing behind."""
    with subprocess.Popen(
        (sys.executable, *command),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
            os.kill(server.pid, signal.SIGINT)
            assert server.wait(timeout=40) == 0
            assert server.stderr is not None
            assert not re.search("Traceback|Error|Exception", server.stderr.read())
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


async def status_of(session: aiohttp.ClientSession, url: str, **headers: str) -> tuple[int, str]:
    async with session.get(url, headers=headers, allow_redirects=False) as response:
        return response.status, await response.text()


async def test_without_the_token_nothing_is_served_and_it_opens_once(empty: Sample) -> None:
    with serving("-m", "caesar_core", "watch", "--web", "--root", str(empty.root)) as address:
        await knock(address)


async def knock(address: str) -> None:
    origin, _, query = address.partition("/?")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", origin)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as other:
        for path in ("/", "/ws", "/static/js/textual.js", "/?token=guess", "/?token="):
            assert await status_of(other, origin + path) == (403, "")
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        assert await status_of(session, address, Host="evil.example") == (403, "")
        assert (await status_of(session, address))[0] == 303
        code, page = await status_of(session, f"{origin}/")
        assert code == 200
        assert "textual.js" in page
        assert not re.findall(r"https?://(?!127\.0\.0\.1)", page)
        assert (await status_of(session, f"{origin}/ws", Origin="http://evil.example"))[0] == 403
        assert await status_of(session, f"{origin}/?{query}") == (403, "")


async def test_rows_arrive_live_and_a_question_is_answered(sample: Sample) -> None:
    with serving("-c", SERVE, str(sample.root)) as address:
        await watch(address, sample)


async def watch(address: str, sample: Sample) -> None:
    origin = address.partition("/?")[0]
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        await status_of(session, address)
        url = f"{origin.replace('http', 'ws')}/ws?width=120&height=36"
        async with session.ws_connect(url, headers={"Origin": origin}) as socket:
            await heard(socket, b"t_91bc", b"live")
            sample.task("t_new1", "codex", (1, ev.Message(text="a fresh row")), started=2)
            await heard(socket, b"a fresh row")
            for key in "\t2\r":
                await socket.send_json(["stdin", key])
            for _ in range(400):
                states = mailbox.questions(sample.layout.task("t_91bc"))
                if states[0].answer is not None:
                    break
                await asyncio.sleep(0.02)
            assert [state.answer for state in states] == ["no"]


@pytest.mark.parametrize("nonsense", ["", "{}", '["stdin"]', "not JSON"])
async def test_an_interrupt_while_a_tab_is_open_says_nothing_and_leaves_nothing(
    sample: Sample, nonsense: str
) -> None:
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        with serving("-c", SERVE, str(sample.root)) as address:
            origin = address.partition("/?")[0]
            await status_of(session, address)
            url = f"{origin.replace('http', 'ws')}/ws?width=120&height=x"
            socket = await session.ws_connect(url, headers={"Origin": origin})
            await heard(socket, b"t_91bc", b"live")
            assert dashboards(sample)
            if nonsense:
                await socket.send_str(nonsense)
                async with asyncio.timeout(50):
                    while not socket.closed:
                        await socket.receive()
        assert not dashboards(sample)


def dashboards(sample: Sample) -> list[psutil.Process]:
    """Return the processes that show this project in a tab."""
    words = ("caesar_tui.web_child", str(sample.root))
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            line = process.cmdline()
            found += [process] if all(word in line for word in words) else []
    return found


async def heard(socket: aiohttp.ClientWebSocketResponse, *texts: bytes) -> None:
    """Read until the dashboard has painted all of them; one frame may hold several."""
    seen = b""
    async with asyncio.timeout(50):
        while not all(text in seen for text in texts):
            message = await socket.receive()
            data: Any = message.data
            seen += data if isinstance(data, bytes) else str(data).encode()
