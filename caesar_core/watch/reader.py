"""Reading one task's stream from where one has come to, for `run`, `logs` and `demo`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from caesar_core.store.atomic import StoreError, open_regular
from caesar_core.store.layout import Layout
from caesar_core.store.tail import Tail

_CHUNK: Final = 1 << 16


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


class RawReader:
    """Hands out the bytes of `raw.log`, each once."""

    def __init__(self, layout: Layout, task_id: str) -> None:
        self._path = layout.task(task_id).raw_log
        self._offset = 0

    def new_chunks(self) -> Iterator[bytes]:
        """Yield what has come since the last call.

        Raises:
            StoreError: something else than a file is in its place.
        """
        with suppress(FileNotFoundError), open_regular(self._path) as (descriptor, _):
            while chunk := os.pread(descriptor, _CHUNK, self._offset):
                self._offset += len(chunk)
                yield chunk
