"""TERM and HUP as an end like Ctrl-C, for commands that must not leave anything behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from caesar_core.errors import EXIT_CANCELLED

_EXIT_SIGNAL: Final = 128


class StoppedError(KeyboardInterrupt):
    """TERM or HUP came."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = _EXIT_SIGNAL + number


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise :class:`StoppedError` when TERM or HUP comes; the handlers before come back."""

    def stop(number: int, _: object) -> None:
        raise StoppedError(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def exit_code_of(error: KeyboardInterrupt) -> int:
    """Return the exit code that an interruption means."""
    return error.exit_code if isinstance(error, StoppedError) else EXIT_CANCELLED
