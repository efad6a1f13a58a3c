"""Work that must not be torn by the end of the server: it is waited for, but not for long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LONGEST: Final = 5.0
_condition: Final = threading.Condition()
_under_way: Final[set[object]] = set()


@contextmanager
def critical() -> Iterator[None]:
    """Mark the time in which a delegation is written down, or an outcome applied."""
    mark = object()
    with _condition:
        _under_way.add(mark)
    try:
        yield
    finally:
        with _condition:
            _under_way.discard(mark)
            _condition.notify_all()


def wait_until_safe(seconds: float = _LONGEST) -> bool:
    """Wait until nothing is under way; whether that came in time."""
    with _condition:
        return _condition.wait_for(lambda: not _under_way, seconds)
