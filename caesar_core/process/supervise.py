"""Watching over one agent until nothing of it is left.

The loop looks at files and processes, never at pipes, so nothing that holds a descriptor can
delay it: it ends when the agent does, whatever the agent left running.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from signal import SIGCONT, SIGKILL, SIGTERM, Signals
from typing import Final, Literal, TypeAlias

from caesar_core.clock import Clock
from caesar_core.process.identity import ProcessRef, is_alive, session_members, signal_group
from caesar_core.process.leftovers import marked, stop_all
from caesar_core.process.spawn import Child

EndKind: TypeAlias = Literal["exited", "timed_out", "cancelled", "lost"]
StopPlan: TypeAlias = tuple[tuple[Signals, float], ...]
GRACE: Final = 5.0
POLITE_STOP: Final[StopPlan] = ((SIGTERM, GRACE),)
_BUSY_PAUSE: Final = 0.02
_IDLE_PAUSE: Final = 0.25
_SLOWER: Final = 1.3
_KILL_WAIT: Final = 5.0
_LEFTOVER_GRACE: Final = 0.5
_LEFTOVER_BOUND: Final = 5.0
_LAST_PUMPS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Ending:
    """How an agent ended.

    Attributes:
        kind: `exited` by itself, `timed_out` or `cancelled` by us, or `lost`: it is gone and
            nobody can say how (it was not our child).
        exit_code: `None` when a signal ended it or when it is not known.
        signal: the name of the signal that ended it, such as `SIGKILL`.
        leftovers: how many processes it left behind that had to be stopped.
        survived: not even SIGKILL has ended it: it hangs in the system.

    """

    kind: EndKind
    exit_code: int | None = None
    signal: str | None = None
    leftovers: int = 0
    survived: bool = False


def watch_child(
    agent: Child | ProcessRef,
    *,
    deadline: float,
    clock: Clock,
    on_output: Callable[[], bool],
    should_cancel: Callable[[], bool],
    plan: StopPlan = POLITE_STOP,
    marker: str = "",
    spare: Collection[int] = (),
    wake_fd: int | None = None,
    on_end: Callable[[Ending], object] = lambda _: None,
) -> Ending:
    """Wait for the end of an agent, stop it when its time is over, and clear up after it.

    Whatever way this returns, the agent, its session and what carries `marker` are gone.

    Args:
        agent: our child, or the identity of an agent that somebody else started (adopted).
        deadline: on `clock.monotonic()`; `math.inf` for none.
        clock: measures the deadline and all waits.
        on_output: called about every 20 ms while it returns `True` (there was output) and up to
            every 250 ms while it does not; and at the end until it returns `False`.
        should_cancel: asked as often.
        plan: signals to the agent's session, each with the seconds it is given; SIGKILL follows.
        marker: `NAME=value` in the environment of everything that belongs to the agent.
        spare: pids that carry the marker and are left alone.
        wake_fd: a descriptor that becomes readable when the loop should look at once
            (see :func:`wakeup`).
        on_end: told how it ends as soon as that is known, before anything is cleared up: when it
            is decided to stop the agent, and when the agent has ended. Must not raise.

    """
    watch = _Watch(agent, clock, on_output, wake_fd)
    try:
        kind = watch.until_due(deadline, should_cancel)
        if kind != "exited":
            on_end(Ending(kind))
            watch.stop(plan)
        on_end(watch.ending(kind, 0))
    finally:
        leftovers = watch.clear(marker, spare)
    watch.pump_to_the_end()
    return watch.ending(kind, leftovers)


@contextmanager
def wakeup() -> Iterator[int]:
    """Yield a descriptor that becomes readable with every signal, the end of a child included.

    For the main thread. Handlers for other signals than SIGCHLD are the caller's.
    """
    reader, writer = _pipe()
    handler = signal.signal(signal.SIGCHLD, _do_nothing)
    previous = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(previous)
        signal.signal(signal.SIGCHLD, handler)
        os.close(reader)
        os.close(writer)


class _Watch:
    def __init__(
        self,
        agent: Child | ProcessRef,
        clock: Clock,
        on_output: Callable[[], bool],
        wake_fd: int | None,
    ) -> None:
        self._child = agent if isinstance(agent, Child) else None
        self._ref = agent.ref if isinstance(agent, Child) else agent
        self._clock = clock
        self._on_output = on_output
        self._wake_fd = wake_fd
        self._pause = _BUSY_PAUSE
        self._code: int | None = None
        self._over = False
        self._end_fd = _open_pidfd(self._ref)
        self._poll = select.poll()
        for descriptor in (self._end_fd, wake_fd):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def until_due(self, deadline: float, should_cancel: Callable[[], bool]) -> EndKind:
        """Wait until the agent ends or has to be ended."""
        while not self._is_over():
            if should_cancel():
                return "cancelled"
            if self._clock.monotonic() >= deadline:
                return "timed_out"
            self._turn(deadline)
        return "exited"

    def stop(self, plan: StopPlan) -> None:
        """Send one signal after the other until the agent has ended."""
        for number, seconds in (*plan, (SIGKILL, _KILL_WAIT)):
            until = self._clock.monotonic() + seconds
            signal_group(self._ref, number)
            signal_group(self._ref, SIGCONT)  # a stopped process ends only when it goes on
            self._pause = _BUSY_PAUSE
            while not self._is_over() and self._clock.monotonic() < until:
                self._turn(until)
            if self._over:
                return

    def clear(self, marker: str, spare: Collection[int]) -> int:
        """Stop what is left of the session and what carries the marker; how many there were."""

        def belonging() -> set[ProcessRef]:
            carrying = marked(marker, spare) if marker else ()
            return set(chain(session_members(self._ref), carrying))

        sweep = stop_all(belonging, clock=self._clock, grace=_LEFTOVER_GRACE, bound=_LEFTOVER_BOUND)
        self._is_over()
        if self._end_fd is not None:
            os.close(self._end_fd)
        return len(sweep.stopped)

    def pump_to_the_end(self) -> None:
        """Take in the last output; bounded, in case something that we may not stop goes on."""
        for _ in range(_LAST_PUMPS):
            if not self._on_output():
                return

    def ending(self, kind: EndKind, leftovers: int) -> Ending:
        """Say how it ended."""
        if not self._over:
            return Ending(kind, leftovers=leftovers, survived=True)
        if self._child is None and kind == "exited":
            return Ending("lost", leftovers=leftovers)
        if self._code is None or self._code >= 0:
            return Ending(kind, self._code, None, leftovers)
        return Ending(kind, None, _signal_name(-self._code), leftovers)

    def _is_over(self) -> bool:
        if not self._over and self._child is not None:
            self._code = self._child.poll()
            self._over = self._code is not None
        elif not self._over:
            self._over = not is_alive(self._ref)
        return self._over

    def _turn(self, until: float) -> None:
        if self._on_output():
            self._pause = _BUSY_PAUSE
        else:
            self._pause = min(self._pause * _SLOWER, _IDLE_PAUSE)
        left = until - self._clock.monotonic()
        self._poll.poll(max(0.0, min(self._pause, left)) * 1000)
        if self._wake_fd is not None:
            with suppress(BlockingIOError):
                os.read(self._wake_fd, 4096)


def _open_pidfd(ref: ProcessRef) -> int | None:
    try:
        return os.pidfd_open(ref.pid)
    except (AttributeError, OSError):  # not on this system: the pauses alone set the pace
        return None


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def _pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer


def _do_nothing(*_: object) -> None:
    pass
