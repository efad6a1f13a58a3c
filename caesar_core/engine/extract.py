"""Reports inside free text, found in linear time; pure.

The text is whatever an agent printed: prose, logs, JSON lines that wrap a message that holds the
report. One pass keeps a stack of open braces. JSON strings hold no raw newline, so a string that
meets one was no JSON: everything open is dropped there, which is what makes the pass recover
after any garbage without ever going back.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from caesar_core.protocol.strictjson import BadJsonError, strict_json

MARKER: Final = re.compile(r"caesar\.report/v\d+")
_FENCE: Final = re.compile(r"^[ \t]*```+[ \t]*(?:json[ \t]+)?caesar:report[ \t]*$", re.MULTILINE)
_TOKEN: Final = re.compile(r'["{}\\\n]')
# A report mentions its own version in nested values only a few levels deep.
_LEVELS: Final = 8
_NESTED_TEXTS: Final = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that declares itself a report.

    Attributes:
        document: the parsed object; `None` when it is not acceptable JSON.
        problem: why it is not.
        fenced: it stood in a block labelled `caesar:report`.
    """

    document: dict[str, Any] | None
    problem: str = ""
    fenced: bool = False

    @property
    def fingerprint(self) -> str:
        """A text equal for equal documents."""
        return json.dumps(self.document, sort_keys=True)


def find_candidates(text: str, *, depth: int = 0) -> list[Candidate]:
    """Return every object in `text` that declares itself a report, in order of appearance."""
    marks = [match.start() for match in MARKER.finditer(text)]
    if not marks:
        return []
    fences = [match.end() for match in _FENCE.finditer(text)]
    found: list[Candidate] = []
    done = _Marks(marks)
    for start, end in _balanced(text):
        pending = done.pending(start, end)
        if not pending:
            continue
        try:
            value = strict_json(text[start:end].encode("utf-8", "surrogatepass"))
        except BadJsonError as error:
            done.settle(pending)
            found.append(Candidate(None, str(error)))
            continue
        inside = list(_reports(value, depth))
        if inside:
            done.settle(pending)
            fenced = _is_fenced(text, fences, start)
            found += [Candidate(c.document, c.problem, c.fenced or fenced) for c in inside]
        else:
            done.tried(pending)
    return found


class _Marks:
    """The places of the marker, and which of them still need an enclosing object."""

    def __init__(self, places: list[int]) -> None:
        self._places = places
        self._tries = [0] * len(places)
        self._settled = [False] * len(places)

    def pending(self, start: int, end: int) -> list[int]:
        first, last = bisect_left(self._places, start), bisect_left(self._places, end)
        # One that failed inside makes every enclosing object fail: look at the last few only.
        recent = range(max(first, last - _LEVELS), last)
        return [i for i in recent if not self._settled[i] and self._tries[i] < _LEVELS]

    def settle(self, indices: list[int]) -> None:
        for index in indices:
            self._settled[index] = True

    def tried(self, indices: list[int]) -> None:
        for index in indices:
            self._tries[index] += 1


def _balanced(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of balanced objects, inner before outer."""
    opened: list[int] = []
    in_string = False
    skip = -1
    for match in _TOKEN.finditer(text):
        at, mark = match.start(), match[0]
        if at == skip and mark != "\n":
            continue
        if mark == "\\":
            skip = at + 1 if in_string else -1
        elif mark == "\n":
            if in_string:
                opened.clear()
                in_string = False
        elif mark == '"':
            in_string = bool(opened) and not in_string
        elif in_string:
            continue
        elif mark == "{":
            opened.append(at)
        elif opened:
            yield opened.pop(), at + 1


def _reports(value: object, depth: int) -> Iterator[Candidate]:
    """Yield the reports in a parsed value: itself, nested ones, and those in its texts."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            if isinstance(p := current.get("protocol"), str) and MARKER.fullmatch(p):
                yield Candidate(current)
            else:
                stack += reversed(current.values())
        elif isinstance(current, list):
            stack += reversed(current)
        elif isinstance(current, str) and depth < _NESTED_TEXTS and MARKER.search(current):
            yield from find_candidates(current, depth=depth + 1)


def _is_fenced(text: str, fences: list[int], start: int) -> bool:
    nearest = bisect_left(fences, start) - 1
    return nearest >= 0 and not text[fences[nearest] : start].strip()
