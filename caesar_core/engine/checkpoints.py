"""The folded view of a running task, stored now and then, so that looking at it stays cheap."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.reduce import fold_lines
from caesar_core.board.views import StreamView
from caesar_core.clock import Clock
from caesar_core.store.atomic import StoreError, size_of
from caesar_core.store.checkpoint import save_checkpoint
from caesar_core.store.layout import TaskFiles
from caesar_core.store.tail import Tail

_EVERY: Final = 5.0
_READ: Final = 1 << 20
_PORTION: Final = 4 << 20
LONGEST_STREAM: Final = 160 << 20
"""Bytes of a stream that are folded: a full one of ours, and its end."""
_END: Final = 1 << 20


class Checkpointer:
    """Folds one stream as it grows and keeps the view beside it (ADR 0010)."""

    def __init__(self, files: TaskFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._tail = Tail(files.events)
        self._view = StreamView()
        self._due = clock.monotonic() + _EVERY
        self._unsaved = False

    @property
    def view(self) -> StreamView:
        """The view as it was folded last."""
        return self._view

    def update(self) -> None:
        """Fold and store what is new, if it is time; a stream that cannot be read waits.

        What is much is taken in portions: an agent can write gigabytes there, and has a deadline.
        """
        if self._clock.monotonic() < self._due:
            return
        with suppress(StoreError):
            left = LONGEST_STREAM - self._tail.offset
            if left > 0 and self._fold(min(left, _PORTION)):
                return
            if self._unsaved:
                self._save()
        self._due = self._clock.monotonic() + _EVERY

    def finish(self) -> StreamView:
        """Fold what is left, store the view, and return it.

        Of a stream that is far longer than ours can get, the beginning and the end count.

        Raises:
            StoreError: the stream cannot be read, or the view not be written.
        """
        if self._fold(LONGEST_STREAM - self._tail.offset):
            self._tail = Tail(self._files.events, max(0, size_of(self._files.events) - _END))
            self._fold(LONGEST_STREAM)
        self._save()
        return self._view

    def _fold(self, most: int) -> bool:
        """Fold about so many bytes, a portion at least; whether there is more."""
        for _ in range(max(1, most // _READ)):
            part = self._tail.read(_READ)
            if part.reset:
                self._view = StreamView()
            self._view, _ = fold_lines(self._view, part.lines)
            self._unsaved = self._unsaved or bool(part.lines)
            if not part.more:
                return False
        return True

    def _save(self) -> None:
        self._unsaved = False
        save_checkpoint(self._files, Checkpoint(self._view, self._tail.offset).to_json())
