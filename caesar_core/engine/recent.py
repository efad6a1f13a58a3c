"""The end of a task's logs, in a time that does not depend on their length."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

from caesar_core.errors import CaesarError
from caesar_core.protocol.wire import BadEventError, decode_event
from caesar_core.store.atomic import size_of
from caesar_core.store.layout import TaskFiles
from caesar_core.watch.streams import enter, read_range

RAW_TAIL: Final = 20_000
_STEP: Final = 64 << 10
_MOST: Final = 16 << 20
_LONGEST_TEXT: Final = 4_000


def count_events(files: TaskFiles) -> int:
    """Return how many events the stream holds."""
    return enter(files)[0].events


def last_events(files: TaskFiles, limit: int) -> list[dict[str, Any]]:
    """Return the last `limit` events, the oldest first; long texts in them are cut."""
    size = size_of(files.events)
    span = _STEP
    while True:
        start = max(0, size - span)
        lines = read_range(files.events, start, size).split(b"\n")
        found = _decoded(lines if start == 0 else lines[1:], limit)
        if len(found) == limit or start == 0 or span >= _MOST:
            return found
        span *= 4


def raw_tail(files: TaskFiles) -> tuple[str, bool]:
    """Return the last 20 000 characters of the raw output, and whether there is more."""
    size = size_of(files.raw_log)
    start = max(0, size - 4 * RAW_TAIL)  # a character has four bytes at most
    text = read_range(files.raw_log, start, size).decode("utf-8", "replace")
    return text[-RAW_TAIL:], start > 0 or len(text) > RAW_TAIL


def _decoded(lines: list[bytes], limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in reversed(lines):
        with suppress(BadEventError, CaesarError):
            decode_event(line)
            found.append(_cut(json.loads(line)))
        if len(found) == limit:
            break
    return found[::-1]


def _cut(event: dict[str, Any]) -> dict[str, Any]:
    return {name: _short(value) for name, value in event.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:_LONGEST_TEXT]} … ({len(value)} characters)"
    return value
