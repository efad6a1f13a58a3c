"""Serving over stdin and stdout: only the protocol reaches stdout, and the end is at once."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final, NoReturn

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from caesar_core.servers.critical import wait_until_safe

_STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Wire:
    """The two ends of the protocol, taken away from everybody else in this process.

    Descriptor 0 is `/dev/null` afterwards and descriptor 1 is stderr, for us and for everything we
    start: whatever is printed by anything, it is not on the wire.
    """

    def __init__(self) -> None:
        if sys.stdout is not None:
            sys.stdout.flush()
        self.reading = _taken(0, os.O_RDONLY)
        self.writing = _taken(1, None)
        self._files: list[BinaryIO] = []

    def streams(self) -> tuple[Any, Any]:
        """Return both ends as the library wants them."""
        reading, writing = os.fdopen(self.reading, "rb"), os.fdopen(self.writing, "wb")
        text_in = io.TextIOWrapper(reading, encoding="utf-8", errors="replace")
        text_out = io.TextIOWrapper(writing, encoding="utf-8")
        return anyio.wrap_file(text_in), anyio.wrap_file(text_out)


def serve(make: Callable[[], Server[Any]], wire: Wire) -> NoReturn:
    """Serve until the client leaves or a signal comes, then end this process at once.

    Args:
        make: makes the server; called when the wire is safe already.
        wire: taken before anything could print.
    """
    with suppress(KeyboardInterrupt, BrokenPipeError):
        anyio.run(_serve, make, wire)
    end()


def end() -> NoReturn:
    """End the process, whatever its threads wait for; what must not be torn is waited for."""
    wait_until_safe()
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(0)


async def _serve(make: Callable[[], Server[Any]], wire: Wire) -> None:
    server = make()
    reading, writing = wire.streams()
    async with anyio.create_task_group() as group:
        group.start_soon(stop_at_signal, group.cancel_scope)
        async with stdio_server(reading, writing) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


async def stop_at_signal(scope: anyio.CancelScope) -> None:
    """Cancel `scope` at the first signal that asks us to stop; the process ends even if it waits.

    Reading stdin happens on a thread that cannot be cancelled, so the end is not left to it.
    """
    with anyio.open_signal_receiver(*_STOP_SIGNALS) as signals:
        async for _ in signals:
            scope.cancel()
            end()


def _taken(descriptor: int, flags: int | None) -> int:
    """Return a private copy of a standard descriptor and put something harmless in its place."""
    try:
        private = os.dup(descriptor)
    except OSError:  # it was closed: the other side of the wire is nowhere
        private = os.open(os.devnull, os.O_RDWR)
    os.set_inheritable(private, False)  # noqa: FBT003 - its only parameter
    harmless = 2
    if flags is not None or not _is_open(2):
        harmless = os.open(os.devnull, os.O_RDWR if flags is None else flags)
    os.dup2(harmless, descriptor)
    if harmless > 2:
        os.close(harmless)
    return private


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
