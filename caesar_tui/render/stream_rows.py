"""A stream as rows: calls paired with their ends, thinking folded, kinds left out. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from rich.cells import chop_cells

from caesar_core.board.lines import event_text
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event

KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "": (),
    "talk": (ev.Message, ev.Question, ev.Answer, ev.Progress),
    "tools": (ev.ToolUse,),
    "files": (ev.FileChanged,),
    "trouble": (ev.Error, ev.Started, ev.Finished),
}
"""What `t` goes through; the first shows everything."""


@dataclass(slots=True)
class Entry:
    """What one row says.

    Attributes:
        event: the first event of it.
        end: the end of a call.
        more: thinking that follows at once.

    """

    event: Event
    end: Event | None = None
    more: tuple[Event, ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether it is a call without an end."""
        body = self.event.body
        return self.end is None and isinstance(body, ev.ToolUse) and body.status == "started"

    @property
    def text(self) -> str:
        """Everything that it says, harmless, with its newlines."""
        parts = [event_text(event) for event in (self.event, *self.more)]
        if self.end is not None:
            said = event_text(self.end)
            parts += [said] if said.partition(": ")[2] not in {"", *parts} else []
        return "\n".join(dict.fromkeys(parts))


class Entries:
    """The rows of a stretch of a stream, added event by event."""

    def __init__(self, kind: str = "") -> None:
        self.items: list[Entry] = []
        self._wanted = KINDS[kind]
        self._by_id: dict[str, int] = {}
        self._loose: list[int] = []
        self._stopped = False

    def add(self, event: Event) -> int | None:
        """Give an event its row; return which, `None` when its kind is left out."""
        body = event.body
        if self._wanted and not isinstance(body, self._wanted):
            return None
        if isinstance(body, ev.Started | ev.Finished):
            self._stopped = isinstance(body, ev.Finished)
            self._loose.clear()
        if isinstance(body, ev.ToolUse):
            return self._add_call(event, body)
        last = self.items[-1] if self.items else None
        if isinstance(body, ev.Thinking) and last and isinstance(last.event.body, ev.Thinking):
            last.more = (*last.more, event)
            return len(self.items) - 1
        return self._append(event)

    def is_running(self, index: int) -> bool:
        """Whether the row is a call that still runs."""
        return not self._stopped and self.items[index].is_running

    def _add_call(self, event: Event, body: ev.ToolUse) -> int:
        if body.status == "started":
            index = self._append(event)
            if body.id:
                self._by_id[body.id] = index
            else:
                self._loose.append(index)
            return index
        start = self._by_id.pop(body.id, None) if body.id else self._loose_start(body)
        if start is None:
            return self._append(event)
        self.items[start].end = event
        return start

    def _loose_start(self, body: ev.ToolUse) -> int | None:
        """Return the row of a call without id: the same tool and words, else the same tool."""
        calls = [(i, self.items[i].event.body) for i in self._loose]
        fits = [(i, c) for i, c in calls if isinstance(c, ev.ToolUse) and c.tool == body.tool]
        same = [i for i, call in fits if call.input_summary == body.input_summary]
        found = next(iter([*same, *(i for i, _ in fits)]), None)
        if found is not None:
            self._loose.remove(found)
        return found

    def _append(self, event: Event) -> int:
        self.items.append(Entry(event))
        return len(self.items) - 1


class Unfolded:
    """Which of many rows take several lines; turns a line into its row and back."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._sums: list[int] = []

    def set(self, extra: Iterable[tuple[int, int]]) -> None:
        """Take over which rows have how many lines besides their first, in any order."""
        found = sorted(pair for pair in extra if pair[1])
        self._rows = [row for row, _ in found]
        self._sums = list(accumulate(lines for _, lines in found))

    @property
    def lines(self) -> int:
        """How many lines there are besides the first ones."""
        return self._sums[-1] if self._sums else 0

    def line_of(self, row: int) -> int:
        """Return the first line of a row."""
        before = bisect_right(self._rows, row - 1)
        return row + (self._sums[before - 1] if before else 0)

    def place(self, line: int) -> tuple[int, int]:
        """Return the row that a line belongs to, and which of its lines it is, from 0."""
        low, high = 0, len(self._rows)
        while low < high:
            middle = (low + high) // 2
            if self.line_of(self._rows[middle]) <= line:
                low = middle + 1
            else:
                high = middle
        if not low:
            return line, 0
        row = self._rows[low - 1]
        first, lines = self.line_of(row), self._count(low - 1)
        if line <= first + lines:
            return row, line - first
        return row + line - first - lines, 0

    def _count(self, index: int) -> int:
        return self._sums[index] - (self._sums[index - 1] if index else 0)


def wrapped(text: str, width: int, limit: int = 2_000) -> list[str]:
    """Return harmless text as lines of at most `width` cells, at most `limit` of them."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _folded(line, max(2, width), limit - len(lines))
        if len(lines) >= limit:
            return [*lines[: limit - 1], "…"]
    return lines


def _folded(line: str, width: int, limit: int) -> list[str]:
    if not line.isascii():
        return chop_cells(line, width)[:limit] or [""]
    lines: list[str] = []
    at = 0
    while len(line) - at > width and len(lines) < limit:
        cut = line.rfind(" ", at + width // 2, at + width + 1)
        cut = at + width if cut < 0 else cut
        lines.append(line[at:cut])
        at = cut + (line[cut : cut + 1] == " ")
    return [*lines, line[at:]]
