"""The only way from the store to the screens: a follower's deltas, and pages of streams."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import aclosing

from textual.message_pump import MessagePump

from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import StreamView
from caesar_core.clock import Clock, parse_iso
from caesar_core.store.atomic import size_of
from caesar_core.store.layout import Layout
from caesar_core.store.mailbox import questions
from caesar_core.watch.follower import Follower
from caesar_core.watch.streams import read_range
from caesar_tui.messages import (
    BoardChanged,
    PageRead,
    PageWanted,
    TailRead,
    TailsWanted,
    TimelineRead,
    TimelineWanted,
)

TAIL_BYTES = 16 * 1024
TIMELINE_BYTES = 2 << 20
END_BYTES = 128 * 1024
"""What is read of a stream when its pane opens, however long it is."""


class Bridge:
    """Posts what changes to one screen: at most one message a frame."""

    def __init__(
        self, layout: Layout, target: MessagePump, ids: Collection[str] | None, clock: Clock
    ) -> None:
        self._layout = layout
        self._target = target
        self._ids = ids
        self._clock = clock

    async def follow(self) -> None:
        """Follow until cancelled."""
        follower = Follower(self._layout, self._ids, clock=self._clock)
        async with aclosing(follower):
            async for delta in follower:
                self._target.post_message(BoardChanged(delta))

    def read_page(self, wanted: PageWanted) -> None:
        """Read a page of a stream or a raw log; run it in a worker thread."""
        files = self._layout.task(wanted.task_id)
        path = files.events if wanted.source == "stream" else files.raw_log
        size = size_of(path)
        start, end = wanted.start, min(wanted.end, size)
        if wanted.edge == "end":
            start, end = max(0, size - END_BYTES), size
        data = read_range(path, start, end)
        if wanted.source == "stream":
            while wanted.edge == "after" and b"\n" not in data and end < size:
                end = min(size, end + len(data))  # one line is longer than a page
                data = read_range(path, start, end)
            if wanted.edge != "before":
                data = data[: data.rfind(b"\n") + 1]
        self._target.post_message(
            PageRead(wanted.task_id, wanted.edge, start, data, size, wanted.source)
        )

    def read_tails(self, wanted: TailsWanted) -> None:
        """Read the last events of several streams; run it in a worker thread."""
        for task_id in wanted.task_ids:
            path = self._layout.task(task_id).events
            size = size_of(path)
            data = read_range(path, max(0, size - TAIL_BYTES), size)
            lines = data[: data.rfind(b"\n") + 1].split(b"\n")
            _, events = fold_lines(StreamView(), lines[1:] if size > TAIL_BYTES else lines)
            self._target.post_message(TailRead(task_id, events))

    def read_timeline(self, wanted: TimelineWanted) -> None:
        """Read and decode events of a stream; run it in a worker thread."""
        files = self._layout.task(wanted.task_id)
        path = files.events
        size = size_of(path)
        data = read_range(path, wanted.start, min(size, wanted.start + TIMELINE_BYTES))
        complete = data.rfind(b"\n") + 1
        _, events = fold_lines(StreamView(), data[:complete].split(b"\n"))
        end = wanted.start + complete
        more = complete > 0 and end < size
        asked = {question.file.id: question.file.closes_at for question in questions(files)}
        moments = {name: parse_iso(closes or "") for name, closes in asked.items()}
        closings = {name: moment.timestamp() for name, moment in moments.items() if moment}
        self._target.post_message(
            TimelineRead(wanted.task_id, wanted.start, end, events, more, closings)
        )
