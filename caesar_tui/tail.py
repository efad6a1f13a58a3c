"""The last lines of a running task's stream; a call is one line, whether it has ended or not."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Final

from caesar_core.board.lines import EventLine, event_line
from caesar_core.protocol.event import Event, ToolUse

LINES: Final = 40
_WIDEST: Final = 160


class Tail:
    """Takes events in the order of the stream, and keeps the last lines."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, EventLine]] = deque(maxlen=LINES)

    @property
    def lines(self) -> list[EventLine]:
        """The lines, oldest first."""
        return [line for _, line in self._kept]

    def add(self, event: Event) -> None:
        """Add a line, or the end of a call to the line of its start."""
        line, body = event_line(event, limit=_WIDEST), event.body
        if not isinstance(body, ToolUse):
            self._kept.append(("", line))
            return
        call = body.id or body.tool
        if body.status == "started":
            self._kept.append((call, line))
        elif (place := self._place(call)) is not None:
            begun = self._kept[place][1]
            self._kept[place] = ("", replace(begun, mark=line.mark, text=begun.text or line.text))
        else:
            self._kept.append(("", line))

    def _place(self, call: str) -> int | None:
        places = (place for place, (key, _) in enumerate(self._kept) if key == call)
        return next(places, None)
