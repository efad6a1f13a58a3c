"""The dashboard in a browser: on this machine only, and for whoever has the address.

textual-serve asks nobody who they are. Here the address holds a token that opens one session: the
first request with it gets a cookie, nobody else gets anything.
"""

from __future__ import annotations

import asyncio
import secrets
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from aiohttp import WSCloseCode, web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from caesar_core.store.layout import Layout
from caesar_tui.keys_file import keys_path, read_keymap

HOST: Final = "127.0.0.1"
COOKIE: Final = "caesar-session"
_SAFE: Final = {
    "Content-Security-Policy": (
        "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self' ws:"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_PATIENCE: Final = 10.0
"""Seconds to wait for the dashboards of open tabs at the end."""
_NONSENSE: Final = (AssertionError, IndexError, KeyError, TypeError, ValueError, ConnectionError)
"""What a message that no page of ours sends, or a lost connection, comes to."""
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Gate:
    """Lets in who brings the token, once, and then who brings the cookie."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._token: str | None = secrets.token_urlsafe(24)
        self._session = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """The address that opens the session; empty once it was used."""
        return f"{self._origin}/?token={self._token}" if self._token else ""

    @web.middleware
    async def check(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Refuse every request that is not ours, without saying anything."""
        if f"http://{request.host}" != self._origin:
            return web.Response(status=403)
        given = request.query.get("token")
        if given is not None and request.path == "/":
            return self._open(given)
        cookie = request.cookies.get(COOKIE, "")
        if not secrets.compare_digest(cookie.encode(), self._session.encode()):
            return web.Response(status=403)
        if request.path == "/ws" and request.headers.get("Origin") != self._origin:
            return web.Response(status=403)
        response = await handler(request)
        if not response.prepared:
            response.headers.update(_SAFE)
        return response

    def _open(self, given: str) -> web.StreamResponse:
        if self._token is None or not secrets.compare_digest(given.encode(), self._token.encode()):
            return web.Response(status=403)
        self._token = None
        response = web.Response(status=303, headers={"Location": "/", **_SAFE})
        response.set_cookie(COOKIE, self._session, httponly=True, samesite="Strict")
        return response


class _Tab(AppService):
    """The dashboard of one tab of a browser."""

    async def stop(self) -> None:
        """End it and wait until it is gone: a process left behind would speak up at the end."""
        await super().stop()
        if self._process is not None:
            await self._process.wait()


class DashboardServer(Server):
    """textual-serve behind the gate, with a page that loads nothing from elsewhere."""

    def __init__(self, command: str, port: int) -> None:
        super().__init__(
            command,
            host=HOST,
            port=port,
            title="caesar watch",
            templates_path=Path(__file__).resolve().parent / "templates",
        )
        self.gate = Gate(self.public_url)
        self._open: dict[web.WebSocketResponse, asyncio.Task[object] | None] = {}

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self.gate.check)
        return app

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Show the dashboard to one tab until it is closed, or we are."""
        wire = web.WebSocketResponse(heartbeat=15)
        await wire.prepare(request)

        async def close() -> None:
            await wire.close()

        tab = _Tab(
            self.command,
            write_bytes=wire.send_bytes,
            write_str=wire.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        self._open[wire] = asyncio.current_task()
        try:
            size = (request.query.get(name, "") for name in ("width", "height"))
            await tab.start(*(int(text) if text.isdecimal() else 80 for text in size))
            with suppress(*_NONSENSE):
                await self._process_messages(wire, tab)
        finally:
            del self._open[wire]
            await tab.stop()
        return wire

    async def on_shutdown(self, app: web.Application) -> None:
        """Close every tab, and wait for the end of its dashboard."""
        del app
        tasks = [task for task in self._open.values() if task is not None]
        for wire in list(self._open):
            await wire.close(code=WSCloseCode.GOING_AWAY)
        if tasks:
            await asyncio.wait(tasks, timeout=_PATIENCE)

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: the command line does."""
        del app


def child_command(layout: Layout, ids: Collection[str] | None, theme: str | None) -> str:
    """Return the command that shows the dashboard to one browser tab."""
    words = [sys.executable, "-m", "caesar_tui.web_child", str(layout.root), theme or "dark"]
    return shlex.join([*words, *(ids or ())])


def serve_dashboard(
    layout: Layout,
    *,
    tell: Callable[[str], None],
    ids: Collection[str] | None = None,
    theme: str | None = None,
) -> int:
    """Serve the dashboard until it is interrupted; return the exit code.

    Args:
        layout: the project.
        tell: is told the address, once.
        ids: show only these tasks; `None` shows all.
        theme: see `entry.run_dashboard`.

    Raises:
        ConfigError: the file of keys holds something that is not understood; no tab could say so.

    """
    read_keymap(keys_path())
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, 0))
        listener.listen()
        server = DashboardServer(child_command(layout, ids, theme), listener.getsockname()[1])
        tell(server.gate.address)
        web.run_app(server._make_app(), sock=listener, print=None, access_log=None)  # noqa: SLF001 - its own `serve` would also configure logging
    return 0
