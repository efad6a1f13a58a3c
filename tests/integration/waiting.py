"""Waiting for what another process does, with a bound instead of a sleep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from caesar_core.clock import Clock

T = TypeVar("T")


def wait_until(condition: Callable[[], T], clock: Clock, seconds: float = 15) -> T:
    """Return the first true value of `condition`."""
    deadline = clock.monotonic() + seconds
    while not (found := condition()):
        assert clock.monotonic() < deadline, "it did not happen in time"
        clock.sleep(0.005)
    return found
