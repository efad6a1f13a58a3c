"""A bounded stretch of a stream in memory, however long the stream is.

The window knows the byte offset at which each of its events begins, so that what lies before it
can be read backwards, page by page, and the end of a log of gigabytes is shown at once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from caesar_core.protocol.event import Event
from caesar_core.protocol.wire import BadEventError, UnknownVersionError, decode_event

HIGH_WATER: Final = 20_000
LOW_WATER: Final = 15_000
PAGE_BYTES: Final = 256 * 1024


class EventWindow:
    """Consecutive events of one stream.

    Attributes:
        events: what is held, in the order of the file.
        start: the offset of the first held line; 0 when nothing lies before it.
        end: the offset behind the last held line.
        dropped: how many events were let go at the front since the window was made.

    """

    def __init__(self, at: int = 0, *, high: int = HIGH_WATER, low: int = LOW_WATER) -> None:
        self.events: list[Event] = []
        self.start = at
        self.end = at
        self.dropped = 0
        self._offsets = array("Q")
        self._high = high
        self._low = low
        self._page = PAGE_BYTES

    def __len__(self) -> int:
        return len(self.events)

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the stream lies before the window."""
        return self.start == 0

    def offset(self, index: int) -> int:
        """Return the offset of the line of the event at `index`."""
        return self._offsets[index]

    def index(self, offset: int) -> int:
        """Return the index of the event whose line holds the byte at `offset`."""
        return max(0, bisect_right(self._offsets, offset) - 1)

    def page_before(self) -> tuple[int, int]:
        """Return the byte range to read in order to see further back."""
        return max(0, self.start - self._page), self.start

    def page_after(self, size: int) -> tuple[int, int]:
        """Return the byte range to read in order to see further on in a file of `size` bytes."""
        return self.end, min(size, self.end + self._page)

    def append(self, data: bytes) -> int:
        """Add the bytes right behind the window; return how many events left at the front.

        A line that is cut at the end of `data` is left for the next page.
        """
        cut = data.rfind(b"\n") + 1
        if data and not cut:
            self._page *= 2  # one line is longer than a page
            return 0
        data = data[:cut]
        events, offsets = _parse(data, self.end)
        self.events += events
        self._offsets.extend(offsets)
        self.end += len(data)
        self._page = PAGE_BYTES
        return self._drop_front() if len(self.events) > self._high else 0

    def prepend(self, data: bytes) -> int:
        """Add the bytes right before the window; return how many events were added.

        A line that is cut at the front of `data` is left for the next page. What the window
        cannot hold leaves at the back.
        """
        at = self.start - len(data)
        if at > 0:
            cut = data.find(b"\n") + 1
            if cut in {0, len(data)}:
                self._page *= 2  # one line is longer than a page
                return 0
            data, at = data[cut:], at + cut
        events, offsets = _parse(data, at)
        self.events[:0] = events
        self._offsets = array("Q", offsets) + self._offsets
        self.start = at
        self._page = PAGE_BYTES
        if len(self.events) > self._high:
            self._drop_back()
        return len(events)

    def reset(self, at: int = 0) -> None:
        """Forget everything: the file was replaced."""
        self.events, self._offsets = [], array("Q")
        self.start = self.end = at
        self.dropped = 0

    def _drop_back(self) -> None:
        self.end = self._offsets[self._low]
        del self.events[self._low :]
        del self._offsets[self._low :]

    def _drop_front(self) -> int:
        gone = len(self.events) - self._low
        self.start = self._offsets[gone]
        del self.events[:gone]
        del self._offsets[:gone]
        self.dropped += gone
        return gone


def _parse(data: bytes, at: int) -> tuple[list[Event], list[int]]:
    events: list[Event] = []
    offsets: list[int] = []
    for line in _lines(data):
        try:
            events.append(decode_event(line))
        except (BadEventError, UnknownVersionError):
            at += len(line)
            continue
        offsets.append(at)
        at += len(line)
    return events, offsets


def _lines(data: bytes) -> Iterable[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end
