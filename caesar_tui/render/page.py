"""Pages of text: headings, fields, bullets and a little Markdown, as lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from caesar_tui.render.cells import Ink

_MARKS: Final = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1")
_HEADING: Final = re.compile(r"#{1,6}\s+(.*)")
_BULLET: Final = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(.*)")


@dataclass(frozen=True, slots=True)
class PageLine:
    """A paragraph of one line or more.

    Attributes:
        text: untrusted, without newlines.
        ink: its colour.
        head: what stands before it, in its own colour; further lines are indented by its width.
        indent: cells before everything.

    """

    text: str = ""
    ink: Ink = ""
    head: str = ""
    head_ink: Ink = ""
    indent: int = 0


def heading(text: str) -> tuple[PageLine, ...]:
    """Return a heading with air above it."""
    return PageLine(), PageLine(text, "accent")


def field(name: str, value: object, ink: Ink = "") -> PageLine:
    """Return a named value."""
    return PageLine(str(value), ink, f"{name:<14}", "dim")


def bullets(texts: Iterable[object], mark: str = "·") -> Iterator[PageLine]:
    """Yield a list; a text of several lines stays together."""
    for text in texts:
        first, *rest = str(text).split("\n") or [""]
        yield PageLine(first, head=f"{mark} ", head_ink="dim")
        yield from (PageLine(line, indent=2) for line in rest)


def paragraphs(text: str) -> Iterator[PageLine]:
    """Yield a plain text."""
    yield from (PageLine(line) for line in text.split("\n"))


def markdown(text: str, mark: str = "·") -> Iterator[PageLine]:
    """Yield a Markdown text: headings, lists, code blocks; what else there is stays as it is."""
    in_code = False
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            yield PageLine(line, "dim", indent=2)
        elif found := _HEADING.fullmatch(stripped):
            yield PageLine(_plain(found[1]), "strong")
        elif item := _BULLET.fullmatch(line):
            depth = min(len(item[1]), 12)
            yield PageLine(_plain(item[2]), head=f"{mark} ", head_ink="dim", indent=depth)
        elif stripped.startswith(">"):
            yield PageLine(_plain(stripped.lstrip("> ")), "dim", indent=2)
        else:
            yield PageLine(_plain(line))


def _plain(text: str) -> str:
    return _MARKS.sub(r"\2", text)
