"""The marks of every face, in Unicode and in ASCII of the same width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One character for each meaning; a word always stands beside it."""

    brand: str
    running: str
    stalled: str
    waiting: str
    done: str
    failed: str
    warn: str
    question: str
    tool: str
    file: str
    speech: str
    bullet: str
    thinking: str
    cut: str
    minus: str
    more: str
    bar: str
    tick: str


UNICODE: Final = Glyphs(
    brand="▞▚",
    running="●",
    stalled="◌",
    waiting="◍",
    done="✓",
    failed="✗",
    warn="⚠",
    question="?",
    tool="▸",
    file="~",
    speech="»",
    bullet="·",
    thinking="∴",
    cut="…",
    minus="−",
    more="▼",
    bar="━",
    tick="╵",
)
ASCII: Final = Glyphs(
    brand="/\\",
    running="*",
    stalled="o",
    waiting="=",
    done="+",
    failed="x",
    warn="!",
    question="?",
    tool=">",
    file="~",
    speech='"',
    bullet="-",
    thinking=":",
    cut="~",
    minus="-",
    more="v",
    bar="=",
    tick="'",
)


def glyphs_for(encoding: str | None) -> Glyphs:
    """Return the set that a terminal of this encoding can show."""
    name = (encoding or "ascii").lower().replace("-", "").replace("_", "")
    return UNICODE if name == "utf8" else ASCII
