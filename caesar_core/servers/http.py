"""The main server over streamable HTTP: on this machine only, and only with the token."""

from __future__ import annotations

import logging
import secrets
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hmac import compare_digest
from pathlib import Path
from typing import Final, NoReturn

import anyio
import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from caesar_core.errors import CaesarError, OperationError
from caesar_core.servers.main import main_server
from caesar_core.servers.stdio import end, stop_at_signal

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"
VARIABLE: Final = "CAESAR_MCP_TOKEN"
_SHORTEST_TOKEN: Final = 16


class Gate:
    """Lets through only who shows the token; everybody else learns nothing."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 or pass the request on."""
        if scope["type"] == "lifespan" or self._is_known(scope):
            await self._app(scope, receive, send)
            return
        refused = JSONResponse(
            {"error": "A bearer token is required."}, 401, {"WWW-Authenticate": "Bearer"}
        )
        await refused(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        shown = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        if len(shown) != 1:
            return False
        scheme, _, token = shown[0].partition(b" ")  # RFC 9110: the scheme in any case
        return scheme.lower() == b"bearer" and compare_digest(token, self._expected)


def checked_token(given: str | None) -> str:
    """Return the token: the one given, else a fresh one.

    Raises:
        CaesarError: it is too short to be one.
    """
    if given is None:
        return secrets.token_urlsafe(32)
    if len(given) < _SHORTEST_TOKEN or not given.isascii() or any(c.isspace() for c in given):
        raise CaesarError(
            f"{VARIABLE} is no token: at least {_SHORTEST_TOKEN} characters, ASCII, no space.",
            "Leave it out, and one is made.",
        )
    return given


def application(root: Path, token: str) -> ASGIApp:
    """Return the server for the project at `root` as an ASGI application."""
    return Gate(main_server(root).streamable_http_app(streamable_http_path=PATH, host=HOST), token)


def serve_http(
    root: Path, port: int, token: str | None, announce: Callable[[str, str], None]
) -> NoReturn:
    """Serve until a signal comes; tasks go on.

    Args:
        root: the project.
        port: 0 for any free one.
        token: what clients have to show; a fresh one when there is none.
        announce: told the address and the token once clients can connect.

    Raises:
        CaesarError: the token is no good, or the port is taken.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="caesar: %(message)s")
    known = checked_token(token)
    listening = _listen(port)
    url = f"http://{HOST}:{listening.getsockname()[1]}{PATH}"
    with suppress(KeyboardInterrupt):
        anyio.run(_serve, application(root, known), listening, lambda: announce(url, known))
    end()


async def _serve(app: ASGIApp, listening: socket.socket, announce: Callable[[], None]) -> None:
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
    server = _Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(stop_at_signal, group.cancel_scope)
        announce()  # the socket listens already: who connects now is served a moment later
        await server.serve(sockets=[listening])
        group.cancel_scope.cancel()


class _Server(uvicorn.Server):
    """Without handlers of its own: a signal ends us at once, whoever is connected."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise OperationError(
            f"Cannot listen on {HOST}:{port}: {reason}.", "Choose another --port."
        ) from None
    listening.listen()
    return listening
