"""A bounded stretch of a raw log in memory, line by line, however long the log is."""

from __future__ import annotations

from array import array
from typing import Final

from caesar_core.board.window import HIGH_WATER, LOW_WATER, PAGE_BYTES

PIECE: Final = 4_096
"""A line of more bytes is held as several."""


class RawWindow:
    """Consecutive lines of one log; has the face of `window.EventWindow`.

    Attributes:
        events: the lines, without their ends; bytes that are not UTF-8 are U+FFFD.
        start: the offset of the first held line; 0 when nothing lies before it.
        end: the offset behind the last held byte.

    """

    def __init__(self, *, high: int = HIGH_WATER, low: int = LOW_WATER) -> None:
        self.events: list[str] = []
        self.start = self.end = 0
        self._offsets = array("Q")
        self._open = b""
        self._high = high
        self._low = low

    def __len__(self) -> int:
        return len(self.events)

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the log lies before the window."""
        return self.start == 0

    def page_before(self) -> tuple[int, int]:
        """Return the byte range to read in order to see further back."""
        return max(0, self.start - PAGE_BYTES), self.start

    def page_after(self, size: int) -> tuple[int, int]:
        """Return the byte range to read in order to see further on in a file of `size` bytes."""
        return self.end, min(size, self.end + PAGE_BYTES)

    def append(self, data: bytes) -> int:
        """Add the bytes right behind the window; return how many lines left at the front.

        A line without its end is held as it is, and goes on with the next bytes.
        """
        at = self.end
        self.end += len(data)
        if self._open:
            at -= len(self._open)
            data = self._open + data
            self.events.pop()
            self._offsets.pop()
        pieces = _pieces(data, at)
        self._open = b"" if not data or data.endswith(b"\n") else pieces[-1][1]
        self._add(pieces)
        if len(self.events) <= self._high:
            return 0
        gone = len(self.events) - self._low
        self.start = self._offsets[gone]
        del self.events[:gone]
        del self._offsets[:gone]
        return gone

    def prepend(self, data: bytes) -> int:
        """Add the bytes right before the window; return how many lines were added.

        A line that is cut at the front is left for the next page, unless it is longer than it.
        """
        at = self.start - len(data)
        cut = data.find(b"\n") + 1 if at > 0 else 0
        if 0 < cut < len(data):
            data, at = data[cut:], at + cut
        held, offsets = self.events, self._offsets
        self.events, self._offsets = [], array("Q")
        is_first = not held
        pieces = _pieces(data, at)
        self._add(pieces)
        if is_first and data and not data.endswith(b"\n"):
            self._open = pieces[-1][1]
        added = len(self.events)
        self.events += held
        self._offsets.extend(offsets)
        self.start = at
        if len(self.events) > self._high:
            self.end = self._offsets[self._low]
            self._open = b""
            del self.events[self._low :]
            del self._offsets[self._low :]
        return added

    def reset(self, at: int = 0) -> None:
        """Forget everything."""
        self.events, self._offsets, self._open = [], array("Q"), b""
        self.start = self.end = at

    def _add(self, pieces: list[tuple[int, bytes]]) -> None:
        for offset, piece in pieces:
            self.events.append(piece.removesuffix(b"\n").decode("utf-8", "replace"))
            self._offsets.append(offset)


def _pieces(data: bytes, at: int) -> list[tuple[int, bytes]]:
    """Return the lines of `data` with their offsets, long ones cut."""
    found: list[tuple[int, bytes]] = []
    place = 0
    while place < len(data):
        end = data.find(b"\n", place, place + PIECE) + 1 or min(len(data), place + PIECE)
        found.append((at + place, data[place:end]))
        place = end
    return found
