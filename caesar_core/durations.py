"""Durations as people write them: `600000`, `90s`, `10m`, `2h`, `14d`."""

from __future__ import annotations

import re
from typing import Final

from caesar_core.errors import CaesarError

_UNITS: Final = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_FORM: Final = re.compile(r"(\d{1,12})(ms|s|m|h|d)?", re.ASCII)
LONGEST_MS: Final = 366 * 86_400_000


class BadDurationError(CaesarError):
    """A duration that cannot be read or makes no sense."""

    code = "bad_duration"


def parse_duration(text: str | int, *, what: str = "duration") -> int:
    """Return milliseconds, always positive.

    A number alone is milliseconds. Zero, negative numbers and more than a year are refused.

    Raises:
        BadDurationError: it names `what` was wrong and the accepted forms.

    """
    match = _FORM.fullmatch(str(text).strip())
    if match is None:
        raise BadDurationError(
            f"{what} {str(text)!r} is not a duration.",
            "Write a number with ms, s, m, h or d: 90s, 10m, 2h. A number alone is milliseconds.",
        )
    value = int(match[1]) * _UNITS[match[2] or ""]
    if value <= 0:
        raise BadDurationError(f"{what} must be more than zero.", "Write for example 10m.")
    if value > LONGEST_MS:
        raise BadDurationError(f"{what} {text} is more than a year.", "Write at most 366d.")
    return value


def format_duration(milliseconds: int) -> str:
    """Return milliseconds as people write them, exactly: `10m`, `90s`, `1500ms`."""
    for unit in ("d", "h", "m", "s"):
        if milliseconds and milliseconds % _UNITS[unit] == 0:
            return f"{milliseconds // _UNITS[unit]}{unit}"
    return f"{milliseconds}ms"
