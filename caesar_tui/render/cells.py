"""Rows as cells: text, width and the name of an ink. Pure; the widgets add the colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Ink: TypeAlias = Literal["", "dim", "ok", "warn", "bad", "accent", "strong", "rule"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a row: `text` is cut or padded to `width` cells."""

    text: str
    width: int
    ink: Ink = ""
    right: bool = False


def age_text(milliseconds: int | None) -> str:
    """Return an age of at most five cells: `7s`, `4m12`, `2h05`, `3d`."""
    if milliseconds is None:
        return ""
    seconds = milliseconds // 1000
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3_600:
        return f"{seconds // 60}m{seconds % 60:02d}"
    if seconds < 86_400:
        return f"{seconds // 3_600}h{seconds % 3_600 // 60:02d}"
    return f"{seconds // 86_400}d"


def span_text(milliseconds: int | None) -> str:
    """Return a length of time that changes once a minute: `<1m`, `4m`, `2h05`, `3d`."""
    if milliseconds is None:
        return ""
    if milliseconds < 60_000:
        return "<1m"
    minutes = milliseconds // 60_000
    return f"{minutes}m" if minutes < 60 else age_text(milliseconds)


def size_text(insertions: int | None, deletions: int | None, minus: str = "−") -> str:
    """Return `+42 −7`; empty when nothing changed, or nothing is known."""
    if not insertions and not deletions:
        return ""
    return f"+{insertions or 0} {minus}{deletions or 0}"
