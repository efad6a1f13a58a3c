"""The board, live: an asynchronous stream of changes that every face consumes (ADR 0009)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final

from caesar_core.board.delta import BoardDelta
from caesar_core.clock import Clock, SystemClock
from caesar_core.store.layout import Layout
from caesar_core.watch.dirty import Marks, Notices
from caesar_core.watch.ledger import Ledger

FRAME: Final = 0.1
RECHECK_LIVE: Final = 2.0
RECHECK_POLLING: Final = 0.25
BATCH: Final = 500


class Follower:
    """Follows the tasks of a project.

    Iterate over it once: the first delta holds the newest tasks and comes at once, the older
    ones follow, then whatever changes, at most one delta a frame. It never ends by itself; stop
    it by leaving the loop and calling :meth:`aclose` (`contextlib.aclosing` does).

    Args:
        ids: follow only these tasks; `None` follows all, those to come included.
        replay: deliver also the events that the streams hold already.
        frame: seconds between two deltas.
        notices: whether to ask the system for change notices; without them it polls.

    """

    def __init__(
        self,
        layout: Layout,
        ids: Collection[str] | None = None,
        *,
        clock: Clock | None = None,
        replay: bool = False,
        frame: float = FRAME,
        notices: bool = True,
    ) -> None:
        self._clock = clock or SystemClock()
        self._ledger = Ledger(layout, self._clock, ids, replay=replay)
        self._marks = Marks(layout, self._wake_up)
        self._notices = Notices(layout, self._marks)
        self._wants_notices = notices
        self._frame = frame
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._recheck_at = 0.0
        self._looked_at = 0.0
        self._last: BoardDelta | None = None

    async def __aiter__(self) -> AsyncIterator[BoardDelta]:
        self._loop = asyncio.get_running_loop()
        try:
            yield self._stamped(await asyncio.to_thread(self._ledger.begin))
            while True:
                delta = await self._next()
                if self._says_something(delta):
                    yield delta
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """End the observer and its threads. May be called twice."""
        await asyncio.to_thread(self._notices.stop)

    async def _next(self) -> BoardDelta:
        if self._ledger.is_behind:
            await asyncio.sleep(self._frame / 4)
        elif not await self._has_notices() or not self._recheck_is_due():
            noticed = await self._wait()
            await asyncio.sleep(self._rest_of_frame() if noticed else 0)
        return self._stamped(await asyncio.to_thread(self._look))

    async def _has_notices(self) -> bool:
        """Whether notices come; where they do not yet, try."""
        if self._notices.is_alive():
            return True
        if not self._wants_notices or not await asyncio.to_thread(self._notices.start):
            return False
        self._recheck_at = 0.0  # what happened before the first notice
        return True

    async def _wait(self) -> bool:
        """Wait for a notice; `False` when it is time to look without one."""
        pause = self._pause()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), pause)
        noticed = self._wake.is_set()
        self._wake.clear()
        return noticed

    def _pause(self) -> float:
        return RECHECK_LIVE if self._notices.is_alive() else RECHECK_POLLING

    def _recheck_is_due(self) -> bool:
        return self._clock.monotonic() >= self._recheck_at

    def _rest_of_frame(self) -> float:
        """Return how long to wait: what happens after a silence is seen at once."""
        passed = self._clock.monotonic() - self._looked_at
        return min(self._frame, max(0.0, self._frame - passed))

    def _look(self) -> BoardDelta:
        self._looked_at = self._clock.monotonic()
        due = self._recheck_is_due()
        if due:
            self._recheck_at = self._clock.monotonic() + self._pause()
        return self._ledger.look(self._marks.take(), records=BATCH, recheck=due)

    def _wake_up(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop ended while a notice was under way
                self._loop.call_soon_threadsafe(self._wake.set)

    def _stamped(self, delta: BoardDelta) -> BoardDelta:
        if self._notices.is_alive():
            return replace(delta, health=replace(delta.health, mode="live", note=""))
        return replace(delta, health=replace(delta.health, note=self._notices.note))

    def _says_something(self, delta: BoardDelta) -> bool:
        """Whether there is news in it; an idle project yields nothing."""
        before, self._last = self._last, delta
        if delta.changed or delta.removed or delta.appended:
            return True
        return before is None or (before.health, before.complete) != (delta.health, delta.complete)
