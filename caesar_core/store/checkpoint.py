"""The folded view of a task, kept so that a listing need not read its log (ADR 0010)."""

from __future__ import annotations

import json
from typing import Any, Final

from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.layout import TaskFiles

_LIMIT: Final = 32 << 20


def save_checkpoint(files: TaskFiles, payload: dict[str, Any]) -> None:
    """Store `payload`, a JSON object, in one step.

    It can be made again from the log, so it is not synced.

    Raises:
        StoreError: it cannot be written.

    """
    data = json.dumps(payload, separators=(",", ":")).encode("ascii")
    write_atomic(files.checkpoint, data, durable=False)


def load_checkpoint(files: TaskFiles) -> dict[str, Any] | None:
    """Return what was stored; `None` when there is nothing or it is damaged."""
    try:
        payload = json.loads(read_bounded(files.checkpoint, _LIMIT))
    except (FileNotFoundError, StoreError, ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None
