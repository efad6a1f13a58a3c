"""Sizes as people write them: `1073741824`, `512MiB`, `2GiB`, `2GB`."""

from __future__ import annotations

import re
from typing import Final

from caesar_core.errors import CaesarError

_UNITS: Final[dict[str, int]] = {
    "": 1,
    "b": 1,
    **{name: int(1000**power) for power, name in enumerate(("kb", "mb", "gb", "tb"), 1)},
    **{name: int(1024**power) for power, name in enumerate(("kib", "mib", "gib", "tib"), 1)},
}
_FORM: Final = re.compile(r"(\d{1,15})\s*([a-z]{0,3})", re.ASCII | re.IGNORECASE)


class BadSizeError(CaesarError):
    """A size that cannot be read."""

    code = "bad_size"


def parse_size(text: str | int) -> int:
    """Return bytes; a number alone is bytes already.

    Raises:
        BadSizeError: it names the accepted forms.
    """
    match = _FORM.fullmatch(str(text).strip())
    unit = match[2].lower() if match else None
    if match is None or unit not in _UNITS:
        raise BadSizeError(
            f"{str(text)!r} is not a size.",
            "Write a number with kB, MB, GB, KiB, MiB or GiB: 512MiB, 2GiB.",
        )
    return int(match[1]) * _UNITS[unit]


def format_size(size: int) -> str:
    """Return bytes as people write them, exactly: `2GiB`, `512MiB`, `1000`."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _UNITS[unit.lower()] == 0:
            return f"{size // _UNITS[unit.lower()]}{unit}"
    return str(size)
