"""Text from strangers, made harmless and short.

Agents, repositories and file names are untrusted: an escape sequence in any of them must never
reach a terminal. :func:`visible` is the one door.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PICTURES: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
}
_REPLACED: Final = (
    *range(0x80, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    0x200E,
    0x200F,
    0x061C,
    0x2028,
    0x2029,
    0xFEFF,
    *range(0xD800, 0xE000),
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
)
_TABLE: Final[dict[int, str]] = _PICTURES | dict.fromkeys(_REPLACED, "\ufffd")
_TABLE_LINES: Final[dict[int, str]] = {k: v for k, v in _TABLE.items() if k != 0x0A}


def visible(text: str, *, keep_newlines: bool = False) -> str:
    """Replace every control and direction-changing character by a visible stand-in.

    C0 controls become their Unicode pictures, C1, bidirectional overrides, line separators and
    lone surrogates become U+FFFD, tabs become spaces. Newlines survive on request only.
    """
    if "\t" in text:
        text = text.expandtabs(4)
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE_LINES if keep_newlines else _TABLE)


def one_line(text: str, limit: int = 200) -> str:
    """Return `text` as one harmless line of at most `limit` characters, cut with an ellipsis."""
    flat = visible(" ".join(text[: limit * 4].split()))
    return clip(flat, limit)


def clip(text: str, limit: int) -> str:
    """Cut to `limit` characters; the last one is an ellipsis when something was lost."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def slug(text: str, limit: int = 40) -> str:
    """Return `text` as lower-case ASCII words joined by `-`, at most `limit` characters.

    May be empty: a caller that needs a name has to bring another one.
    """
    plain = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:limit].strip("-")


def human_bytes(size: int) -> str:
    """Return a size for people: `512 B`, `1.4 kB`, `20 MB`."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


def counted(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`: a count with its noun, which takes an `s`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def human_duration(seconds: float) -> str:
    """Return a length of time for people: `0.4s`, `13s`, `4m12s`, `2h05m`, `3d04h`."""
    if seconds < 0.05:
        return "<0.1s"
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86_400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86_400}d{whole % 86_400 // 3600:02d}h"


def cell_width(text: str) -> int:
    """Return how many terminal cells a harmless text takes: wide characters two, marks none."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def fit(text: str, width: int) -> str:
    """Return `text` in exactly `width` cells: padded, or cut with an ellipsis."""
    used = cell_width(text)
    if used <= width:
        return text + " " * (width - used)
    kept: list[str] = []
    left = max(0, width - 1)
    for character in text:
        left -= _cells(character)
        if left < 0:
            break
        kept.append(character)
    cut = "".join(kept) + ("…" if width else "")
    return cut + " " * (width - cell_width(cut))


def _cells(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
