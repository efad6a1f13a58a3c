"""Colours of source text, one line at a time: enough for the rows that are visible. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String
from pygments.util import ClassNotFound

from caesar_tui.render.cells import Ink

LONGEST: Final = 400
"""Longer lines stay plain: they are generated, and slow to look at."""
_INKS: Final[tuple[tuple[Any, Ink], ...]] = (
    (Comment, "dim"),
    (String, "ok"),
    (Number, "warn"),
    (Keyword, "accent"),
    (Name.Decorator, "accent"),
    (Name.Function, "strong"),
    (Name.Class, "strong"),
    (Name.Tag, "accent"),
)


@lru_cache(maxsize=4_096)
def inks(text: str, name: str) -> tuple[tuple[int, int, Ink], ...]:
    """Return where which ink belongs in a line of the file `name`: start, end, ink; in order."""
    lexer = _lexer(name)
    if lexer is None or len(text) > LONGEST:
        return ()
    found: list[tuple[int, int, Ink]] = []
    at = 0
    for token, value in lexer.get_tokens(text):
        ink: Ink = next((ink for kind, ink in _INKS if token in kind), "")
        end = min(len(text), at + len(value))
        if ink and end > at and value.strip():
            found.append((at, end, ink))
        at = end
    return tuple(found)


def prepare(names: Iterable[str]) -> None:
    """Find what reads these files; the first look at a kind of file takes long, so do it early."""
    for name in names:
        _lexer(name)


@lru_cache(maxsize=512)
def _lexer(name: str) -> Lexer | None:
    """Return what reads this file by its name's end, `None` when nobody does."""
    try:
        return get_lexer_for_filename(f"x{name[-80:]}", stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
