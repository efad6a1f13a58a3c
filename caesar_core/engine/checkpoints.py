"""The folded view of a running task, stored now and then, so that looking at it stays cheap."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import StreamView
from caesar_core.clock import Clock
from caesar_core.store.atomic import StoreError
from caesar_core.store.checkpoint import save_checkpoint
from caesar_core.store.layout import TaskFiles
from caesar_core.store.tail import Tail

_EVERY: Final = 5.0


class Checkpointer:
    """Folds one stream as it grows and keeps the view beside it (ADR 0010)."""

    def __init__(self, files: TaskFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._tail = Tail(files.events)
        self._view = StreamView()
        self._due = clock.monotonic() + _EVERY

    @property
    def view(self) -> StreamView:
        """The view as it was folded last."""
        return self._view

    def update(self) -> None:
        """Fold and store what is new, if it is time; a stream that cannot be read waits."""
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + _EVERY
        with suppress(StoreError):
            if self._fold():
                self._save()

    def finish(self) -> StreamView:
        """Fold all that is left, store the view, and return it.

        Raises:
            StoreError: the stream cannot be read, or the view not be written.
        """
        self._fold()
        self._save()
        return self._view

    def _fold(self) -> bool:
        before, more = self._tail.offset, True
        while more:
            part = self._tail.read()
            if part.reset:
                self._view = StreamView()
            self._view, _ = fold_lines(self._view, part.lines)
            more = part.more
        return self._tail.offset != before

    def _save(self) -> None:
        save_checkpoint(self._files, Checkpoint(self._view, self._tail.offset).to_json())
