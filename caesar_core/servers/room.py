"""How much goes into one result: clients over HTTP refuse a message of more than 1 MiB.

A result stands in its message twice: as data, and as text for models.
"""

from __future__ import annotations

import json
from typing import Any, Final

LARGEST: Final = 900_000  # bytes of a message, with room for what surrounds the result


def message_size(value: object) -> int:
    """Return the bytes that a JSON value takes in the message that carries it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    quoted = json.dumps(text, ensure_ascii=False)
    return sum(len(part.encode("utf-8", "replace")) for part in (text, quoted))


def newest_that_fit(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the end of `events` that one message holds."""
    room, first = LARGEST, len(events)
    while first and (room := room - message_size(events[first - 1])) >= 0:
        first -= 1
    return events[first:]
