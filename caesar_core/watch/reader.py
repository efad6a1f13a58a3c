"""Reading one task's stream from where one has come to, for `run`, `logs` and `demo`."""

from __future__ import annotations

from collections.abc import Iterator

from caesar_core.store.atomic import StoreError
from caesar_core.store.layout import Layout
from caesar_core.store.tail import Tail


class StreamReader:
    """Hands out the complete lines of `events.jsonl`, each once."""

    def __init__(self, layout: Layout, task_id: str) -> None:
        self._tail = Tail(layout.task(task_id).events)

    def new_lines(self) -> Iterator[bytes]:
        """Yield what has come since the last call; a link or FIFO in its place is no stream."""
        more = True
        while more:
            try:
                part = self._tail.read()
            except StoreError:
                return
            yield from part.lines
            more = part.more
