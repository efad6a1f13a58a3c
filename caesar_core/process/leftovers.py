"""What a task leaves behind: every process whose environment carries its marker (ADR 0003)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGTERM
from typing import Final

from caesar_core.clock import Clock
from caesar_core.identity import ON_LINUX, all_pids
from caesar_core.process.identity import ProcessRef, is_alive, of, signal_process

_POLL: Final = 0.02


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep did: which processes it stopped, and which are still there."""

    stopped: tuple[ProcessRef, ...] = ()
    left: tuple[ProcessRef, ...] = ()


def sweep_leftovers(
    marker: str,
    *,
    clock: Clock,
    spare: Collection[int] = (),
    grace: float = 1.0,
    bound: float = 5.0,
) -> Sweep:
    """Stop every process whose environment holds `marker`, and wait until none is left.

    Args:
        marker: `NAME=value`, exactly.
        clock: measures both waits.
        spare: pids that are left alone, besides our own.
        grace: seconds between SIGTERM and SIGKILL.
        bound: seconds after which it gives up and says what is left.

    """
    return stop_all(lambda: marked(marker, spare), clock=clock, grace=grace, bound=bound)


def stop_all(
    find: Callable[[], Collection[ProcessRef]], *, clock: Clock, grace: float, bound: float
) -> Sweep:
    """Stop what `find` returns until it returns nothing: SIGTERM, after `grace` SIGKILL."""
    begin = clock.monotonic()
    signalled: dict[ProcessRef, None] = {}
    while found := find():
        elapsed = clock.monotonic() - begin
        if elapsed >= bound:
            return Sweep(tuple(signalled), tuple(found))
        for ref in found:
            if elapsed >= grace:
                signal_process(ref, SIGKILL)
            elif ref not in signalled:
                signal_process(ref, SIGTERM)
                signal_process(ref, SIGCONT)  # a stopped process ends only when it goes on
            signalled[ref] = None
        clock.sleep(_POLL)
    return Sweep(tuple(signalled))


def marked(marker: str, spare: Collection[int] = ()) -> list[ProcessRef]:
    """Return the living processes whose environment holds `marker`, ours excepted."""
    found: list[ProcessRef] = []
    for pid in all_pids():
        if pid == os.getpid() or pid in spare:
            continue
        ref = of(pid)
        # Looked at in this order, the identity is never newer than what was read.
        if ref is not None and _carries(pid, marker) and is_alive(ref):
            found.append(ref)
    return found


def _carries(pid: int, marker: str) -> bool:
    if not ON_LINUX:
        return _carries_psutil(pid, marker)
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return os.fsencode(marker) in environment.split(b"\0")


def _carries_psutil(pid: int, marker: str) -> bool:
    import psutil

    name, _, value = marker.partition("=")
    try:
        return psutil.Process(pid).environ().get(name) == value
    except (psutil.Error, OSError):
        return False
