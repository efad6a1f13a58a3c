"""Conflicts for people: which file, why, and which lines of either side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from caesar_core.cli.output import Output
from caesar_core.text import counted, visible

_PLACES: Final = 5
_LINES: Final = 6
_WIDEST: Final = 160


def tell_conflicts(conflicts: Iterable[Mapping[str, Any]], err: Output) -> None:
    """Print conflicts as `engine.results.conflict_json` gives them."""
    for conflict in conflicts:
        path, places = visible(conflict["path"]), conflict["places"]
        err.line(f"  {err.paint('bad', 'conflict')} {path}: {visible(conflict['reason'])}")
        for place in places[:_PLACES]:
            err.line(err.paint("dim", f"    line {place['line']}"))
            for name in ("yours", "theirs"):
                for line in _side(name, place[name]):
                    err.line(f"      {line}")
        if len(places) > _PLACES:
            err.line(err.paint("dim", f"    and {counted(len(places) - _PLACES, 'more place')}"))


def _side(name: str, lines: Sequence[str]) -> Iterator[str]:
    shown = [visible(line)[:_WIDEST] for line in islice(lines, _LINES)] or ["(nothing)"]
    if len(lines) > _LINES:
        shown.append(f"and {counted(len(lines) - _LINES, 'more line')}")
    for number, text in enumerate(shown):
        yield f"{'' if number else name:<7} {text}".rstrip()
