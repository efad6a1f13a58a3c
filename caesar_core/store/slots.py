"""At most `limit` tasks at a time, first come first served, across processes.

A slot is `slots/<n>.json` as the reference implementation writes it; the order of who waits is
ours alone: a numbered ticket in `queue/`. A killed process leaves its file behind, and whoever
looks next removes it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from caesar_core.clock import Clock, iso
from caesar_core.errors import CaesarError
from caesar_core.store.atomic import create_exclusive
from caesar_core.store.layout import Layout
from caesar_core.store.lock import file_lock
from caesar_core.store.marker import Marker, read_marker
from caesar_core.store.record_store import RecordStore

_UNREADABLE_FOR: Final = 2.0


@dataclass(frozen=True, slots=True)
class Ticket:
    """A place in the queue; it ends with `try_acquire`, `withdraw` or the process."""

    path: Path
    marker: Marker

    @property
    def number(self) -> int:
        """Its place among all that ever waited: the lower, the earlier."""
        return _number(self.path)


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that this process holds; it ends with `release` or the process."""

    path: Path
    marker: Marker


class Slots:
    """The slots of one project.

    Args:
        limit: how many tasks may run at a time; make a new object when it changes.

    Raises:
        CaesarError: `limit` is less than 1.

    """

    def __init__(self, layout: Layout, limit: int, clock: Clock) -> None:
        if limit < 1:
            raise CaesarError(
                f"The number of parallel tasks must be at least 1, not {limit}.",
                "Set policy.max_parallel to 1 or more.",
            )
        self._limit = limit
        self._clock = clock
        self._slots = layout.slots
        self._queue = layout.queue
        self._records = RecordStore(layout, clock)

    def enqueue(
        self, label: str = "", *, agent: str = "", agent_limit: int | None = None
    ) -> Ticket:
        """Queue up behind everybody who waits.

        Args:
            agent: whom the slot is for.
            agent_limit: how many slots it may have at a time; who is held up by that alone holds
                up nobody else.
        """
        since = iso(self._clock.now())
        marker = Marker.mine(label, since, agent=agent, agent_limit=agent_limit)
        with self._alone():
            number = max((_number(path) for path in _files(self._queue)), default=-1) + 1
            path = self._queue / f"{number:012d}.json"
            create_exclusive(path, _encode(marker), durable=False)
        return Ticket(path, marker)

    def try_acquire(self, ticket: Ticket) -> Slot | None:
        """Take a slot if it is the ticket's turn, else `None`: ask again a little later.

        The ticket is used up by success.

        Raises:
            CaesarError: the ticket is not in the queue (any more).

        """
        if not ticket.path.exists():
            raise _gone(ticket)
        # The usual answer, without a lock and without reading the queue.
        if self.held_up_by(ticket):
            return None
        with self._alone():
            slot = self._take(ticket.marker, self._limit) if self._is_its_turn(ticket) else None
            if slot is not None:
                ticket.path.unlink(missing_ok=True)
            return slot

    def held_up_by(self, ticket: Ticket) -> Literal["", "slots", "agent"]:
        """Return which limit is reached, apart from who else waits; empty when none is."""
        holders = self.holders()
        if len(holders) >= self._limit:
            return "slots"
        return "agent" if _is_full(ticket.marker, Counter(m.agent for m in holders)) else ""

    def _is_its_turn(self, ticket: Ticket) -> bool:
        """Deal the free slots out to those that wait, in their order, up to this ticket."""
        holders = self.holders()
        free, taken = self._limit - len(holders), Counter(holder.agent for holder in holders)
        for path, marker in self._living(self._queue):
            if free <= 0:
                return False
            if path == ticket.path:
                return not _is_full(marker, taken)
            if not _is_full(marker, taken):
                taken[marker.agent] += 1
                free -= 1
        return False

    def occupy(self, label: str = "", *, agent: str = "") -> Slot:
        """Take a slot at once, beyond the limit if need be: for a task that runs already."""
        with self._alone():
            self.holders()
            marker = Marker.mine(label, iso(self._clock.now()), agent=agent)
            slot = self._take(marker, 1 << 20)
        assert slot is not None
        return slot

    def position(self, ticket: Ticket) -> int:
        """Return how many wait before this ticket.

        Raises:
            CaesarError: the ticket is not in the queue (any more).

        """
        waiting = [path for path, _ in self._living(self._queue)]
        if ticket.path not in waiting:
            raise _gone(ticket)
        return waiting.index(ticket.path)

    def holders(self) -> tuple[Marker, ...]:
        """Return who holds a slot, ordered by slot; slots of dead processes are freed.

        A file that is not readable yet counts as held and is left out of the list.
        """
        return tuple(marker for _, marker in self._living(self._slots))

    def waiting(self) -> tuple[Marker, ...]:
        """Return who waits, the first first."""
        return tuple(marker for _, marker in self._living(self._queue))

    def release(self, slot: Slot) -> None:
        """Free the slot if it is still ours; a second call does nothing."""
        _remove(slot.path, slot.marker.token)

    def withdraw(self, ticket: Ticket) -> None:
        """Leave the queue; a second call does nothing."""
        _remove(ticket.path, ticket.marker.token)

    def _take(self, marker: Marker, limit: int) -> Slot | None:
        for number in range(limit):
            path = self._slots / f"{number}.json"
            if not path.exists() and create_exclusive(path, _encode(marker), durable=False):
                return Slot(path, marker)
        return None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with file_lock(self._queue / ".lock", clock=self._clock):
            yield

    def _living(self, folder: Path) -> Iterator[tuple[Path, Marker]]:
        for path in _files(folder):
            marker = read_marker(path)
            if marker is None:
                self._remove_unreadable(path)
            elif marker.state() == "stale" or self._is_over(marker):
                _remove(path, marker.token)
            else:
                yield path, marker

    def _is_over(self, marker: Marker) -> bool:
        """Whether the task of a marker that names another machine is over.

        It may be this one under another name, and then nobody else would ever free the slot.
        """
        if marker.state() != "unknown":
            return False
        try:
            record = self._records.get(marker.label.partition(" ")[0])
        except CaesarError:
            return False
        return record is not None and not record.is_active

    def _remove_unreadable(self, path: Path) -> None:
        """Remove what has been unreadable for so long that nobody is still writing it."""
        try:
            age = self._clock.now().timestamp() - path.lstat().st_mtime
        except FileNotFoundError:
            return
        if age > _UNREADABLE_FOR:
            path.unlink(missing_ok=True)


def _is_full(marker: Marker, taken: Counter[str]) -> bool:
    return marker.agent_limit is not None and taken[marker.agent] >= marker.agent_limit


def _gone(ticket: Ticket) -> CaesarError:
    return CaesarError(f"{ticket.marker.label or 'The task'} no longer waits for a slot.")


def _files(folder: Path) -> list[Path]:
    try:
        found = [path for path in folder.iterdir() if path.suffix == ".json"]
    except FileNotFoundError:
        return []
    return sorted((path for path in found if path.stem.isdecimal()), key=_number)


def _number(path: Path) -> int:
    return int(path.stem)


def _remove(path: Path, token: str) -> None:
    found = read_marker(path)
    if found is not None and found.token == token:
        path.unlink(missing_ok=True)


def _encode(marker: Marker) -> bytes:
    return json.dumps(marker.to_json()).encode("ascii") + b"\n"
