"""The only constructors of text from untrusted strings.

Textual reads markup in most texts and passes escape sequences on to the terminal: whatever comes
from an agent, a repository or a file name goes through here first.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content

from caesar_core.text import visible

# Terminals disagree about the width of joined and styled emoji; of single ones they do not.
_JOINERS: Final = re.compile("[\u200b-\u200d\u2060\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def plain(text: str, *, keep_newlines: bool = False) -> str:
    """Return harmless text whose width every terminal agrees on."""
    shown = visible(text, keep_newlines=keep_newlines)
    return shown if shown.isascii() else _JOINERS.sub("", shown)


def content(text: str, style: str = "") -> Content:
    """Return text for a label, without markup."""
    return Content.styled(plain(text, keep_newlines=True), style)


def segment(text: str, style: Style | None = None) -> Segment:
    """Return text for a line of a line-drawing widget."""
    return Segment(plain(text), style)


def fit(text: str, width: int, mark: str = "…") -> str:
    """Return harmless text of exactly `width` cells, cut with `mark` or padded."""
    shown = plain(text[: max(0, width) * 8 + 64])
    if cell_len(shown) > width > 0:
        return set_cell_size(set_cell_size(shown, width - 1).rstrip() + mark, width)
    return set_cell_size(shown, max(0, width))
