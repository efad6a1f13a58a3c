"""When an agent goes on without an answer, in words. Pure."""

from __future__ import annotations

from datetime import datetime

from caesar_core.clock import parse_iso


def left_text(closes_at: str | None, now: datetime) -> str:
    """Return what is left as `2:41`, `now` when nothing is, empty when the agent waits on."""
    moment = parse_iso(closes_at or "")
    if moment is None:
        return ""
    left = int((moment - now).total_seconds())
    if left <= 0:
        return "now"
    minutes, seconds = divmod(left, 60)
    return f"{minutes}:{seconds:02d}"


def closing(closes_at: str | None, now: datetime) -> str:
    """Return when the agent goes on without an answer, as a sentence's end."""
    left = left_text(closes_at, now)
    if not left:
        return "the agent waits for the answer"
    return f"the agent goes on alone {left if left == 'now' else f'in {left}'}"
