"""Columns for people: the widest shrinks first, wide characters never break a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caesar_core.text import cell_width, fit

_GAP: Final = "  "
_LEAST: Final = 6


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return header and rows as lines of at most `width` cells; cells are harmless texts."""
    table = [tuple(header), *map(tuple, rows)]
    widths = [max(cell_width(row[i]) for row in table) for i in range(len(header))]
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _LEAST:
        widest = max(range(len(widths)), key=widths.__getitem__)
        widths[widest] -= min(sum(widths) - room, max(1, widths[widest] - _second(widths)))
        widths[widest] = max(widths[widest], _LEAST)
    return [
        _GAP.join(fit(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _second(widths: Sequence[int]) -> int:
    """Return the width that the widest column may shrink to at once."""
    ordered = sorted(widths)
    return max(_LEAST, ordered[-2] if len(ordered) > 1 else _LEAST)
