"""A headless Chromium, driven over the DevTools protocol with the websocket client of aiohttp."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

PATIENCE = 60.0
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--window-size=1200,720",
)
_TRIES = 1_200


def find() -> str | None:
    """Return where Chromium is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """The one page of a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.received = b""
        self.statuses: dict[str, int] = {}

    async def ask(self, method: str, **values: Any) -> dict[str, Any]:
        """Send a command and return its result; what happens meanwhile is noted."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": values})
        while True:
            message = await self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    async def until_received(self, text: bytes) -> None:
        """Wait until the page's socket has received `text`."""
        async with asyncio.timeout(PATIENCE):
            while text not in self.received:
                await self._next()

    async def evaluate(self, script: str) -> Any:
        """Run a script in the page and return its value."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until a script gives something true."""
        for _ in range(_TRIES):
            if await self.evaluate(script):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"the page never gave {script}")

    async def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        values = {"key": key, "windowsVirtualKeyCode": code}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **values)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **values)

    async def click(self, x: float, y: float) -> None:
        """Click with the left button."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads((await self._socket.receive()).data)
        values = message.get("params", {})
        if message.get("method") == "Network.webSocketFrameReceived":
            self.received += _payload(values["response"])
        elif message.get("method") == "Network.responseReceived":
            response = values["response"]
            self.statuses[response["url"]] = response["status"]
        return message


def _payload(frame: dict[str, Any]) -> bytes:
    data: str = frame["payloadData"]
    return base64.b64decode(data) if frame["opcode"] == 2 else data.encode()


@asynccontextmanager
async def chromium(program: str, profile: Path) -> AsyncIterator[Page]:
    """Start a browser with an empty profile and give its page."""
    process = _started(program, profile)
    try:
        port = await _port(profile / "DevToolsActivePort", process)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = await answer.json()
            url = next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page")
            async with session.ws_connect(url, max_msg_size=0) as socket:
                page = Page(socket)
                await page.ask("Network.enable")
                yield page
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _started(program: str, profile: Path) -> subprocess.Popen[bytes]:
    command = [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with (profile.parent / "chromium.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)


async def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    for _ in range(_TRIES):
        if (port := _written_port(file)) is not None:
            return port
        assert process.poll() is None, "chromium ended"
        await asyncio.sleep(0.05)
    raise AssertionError("chromium opened no port")


def _written_port(file: Path) -> int | None:
    lines = file.read_text().splitlines() if file.exists() else []
    return int(lines[0]) if len(lines) > 1 else None
