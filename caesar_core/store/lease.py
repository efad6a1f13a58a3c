"""Leases: a folder `<x>.lock` with a `marker.json` inside, as the reference implementation has it.

A lease outlives its holder on purpose: a stale one is the proof that a task was abandoned.
Doubt (no marker, not readable, another machine) never turns into proof.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

from caesar_core.clock import Clock
from caesar_core.errors import OperationError
from caesar_core.store.atomic import store_error, write_atomic
from caesar_core.store.drafts import draft_of
from caesar_core.store.lock import file_lock, try_lock
from caesar_core.store.marker import Marker, read_marker

LeaseState: TypeAlias = Literal["active", "stale", "unknown", "absent"]
_MARKER: Final = "marker.json"
_CLEANUP: Final = "cleanup.lock"
CLEANUP_AGE: Final = 30.0
"""Seconds after which whoever began to change a stale lease is taken for dead."""


class LeaseHeldError(OperationError):
    """The lease cannot be had.

    Attributes:
        state: `active`, `stale` or `unknown`.
        holder: who holds it, as far as its marker says.

    """

    code = "lease_held"

    def __init__(self, path: Path, state: LeaseState, holder: Marker | None) -> None:
        who = "somebody" if holder is None else f"{holder.label or 'process'} (pid {holder.pid})"
        super().__init__(f"{path.name} is held by {who}; it is {state}.")
        self.state = state
        self.holder = holder


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease that this process holds; `with` releases it at the end of the block."""

    path: Path
    token: str

    @classmethod
    def acquire(cls, path: Path, label: str = "") -> Self:
        """Take a lease that does not exist yet.

        Raises:
            LeaseHeldError: it exists, whatever its state.
            StoreError: it cannot be written.

        """
        marker = Marker.mine(label)
        prepared = draft_of(path)
        try:
            write_atomic(prepared / _MARKER, _encode(marker), durable=False)
            if path.exists():
                raise LeaseHeldError(path, lease_state(path), lease_holder(path))
            prepared.rename(path)
        except OSError as error:
            if path.exists():
                raise LeaseHeldError(path, lease_state(path), lease_holder(path)) from None
            raise store_error("create", path, error) from error
        finally:
            shutil.rmtree(prepared, ignore_errors=True)
        return cls(path, marker.token)

    @classmethod
    def take_over(cls, path: Path, label: str, clock: Clock) -> Self:
        """Take a stale lease from its dead holder; of several takers one wins.

        Raises:
            LeaseHeldError: it is not stale (any more), or is being removed.
            StoreError: it cannot be written.

        """
        with _cleanup(path, clock):
            state = lease_state(path)
            if state != "stale":
                raise LeaseHeldError(path, state, lease_holder(path))
            marker = Marker.mine(label)
            write_atomic(path / _MARKER, _encode(marker), durable=False)
        return cls(path, marker.token)

    def release(self) -> None:
        """Remove the lease if it is still ours; a second call does nothing."""
        holder = lease_holder(self.path)
        if holder is None or holder.token != self.token:
            return
        aside = draft_of(self.path)
        with suppress(FileNotFoundError):
            self.path.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
        forget_takeover(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lease_state(path: Path) -> LeaseState:
    """Return what is known of a lease.

    `active`: its holder lives. `stale`: its holder is dead for sure. `unknown`: nobody can tell.
    """
    holder = lease_holder(path)
    if holder is not None:
        return holder.state()
    return "unknown" if path.exists() or path.is_symlink() else "absent"


def lease_holder(path: Path) -> Marker | None:
    """Return who holds the lease, `None` when nobody does or the marker is not readable."""
    return read_marker(path / _MARKER)


def release_if_stale(path: Path, label: str, clock: Clock) -> None:
    """Remove a lease whose holder is dead for sure; another one stays. Never raises."""
    if lease_state(path) == "stale":
        with suppress(OperationError):
            Lease.take_over(path, label, clock).release()


def forget_takeover(path: Path) -> None:
    """Remove the file by which several takers of a lease took turns, unless one is at it now."""
    lock = try_lock(_takeover(path)) if _takeover(path).exists() else None
    if lock is not None:
        lock.remove()


def _takeover(path: Path) -> Path:
    return path.with_name(f"{path.name}.takeover")


def _encode(marker: Marker) -> bytes:
    return json.dumps(marker.to_json()).encode("ascii") + b"\n"


def _age(folder: Path, clock: Clock) -> float:
    """Return how many seconds old a folder is; one that is gone again is old enough."""
    try:
        return clock.now().timestamp() - folder.stat().st_mtime
    except FileNotFoundError:
        return CLEANUP_AGE


@contextmanager
def _cleanup(path: Path, clock: Clock) -> Iterator[None]:
    """Be the only one that changes a stale lease, among us and towards the reference.

    The file lock decides among us, so a folder that stands here while we hold it belongs to the
    reference implementation, or to a process that was killed in this block.
    """
    with file_lock(_takeover(path), clock=clock):
        folder = path / _CLEANUP
        try:
            folder.mkdir()
        except FileExistsError:
            if _age(folder, clock) < CLEANUP_AGE:
                raise LeaseHeldError(path, "unknown", lease_holder(path)) from None
        except (FileNotFoundError, NotADirectoryError):
            raise LeaseHeldError(path, lease_state(path), None) from None
        try:
            yield
        finally:
            with suppress(FileNotFoundError):
                folder.rmdir()
