"""Whether the processes of a silent task work: a compiler that says nothing is not a stall."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from caesar_core.identity import read_stat

BUSY_SHARE: Final = 0.05
_PPID, _UTIME, _CSTIME = 1, 11, 14


class CpuProbe:
    """Compares the CPU time of process trees between two looks. Linux only; else knows nothing."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[float, float]] = {}

    def look(self, roots: Iterable[int], monotonic: float) -> dict[int, bool | None]:
        """Return for each root whether its tree used the CPU since the last look.

        `None` at the first look, and for a process that is gone.
        """
        wanted = set(roots)
        spent = _tree_seconds(wanted) if wanted and sys.platform == "linux" else {}
        answer: dict[int, bool | None] = dict.fromkeys(wanted)
        for root, seconds in spent.items():
            if root in self._before:
                earlier, at = self._before[root]
                elapsed = max(monotonic - at, 0.001)
                answer[root] = (seconds - earlier) / elapsed >= BUSY_SHARE
        self._before = {root: (seconds, monotonic) for root, seconds in spent.items()}
        return answer


def _tree_seconds(roots: set[int]) -> dict[int, float]:
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    for pid in _pids():
        stat = read_stat(pid)
        if stat is not None:
            parents[pid] = int(stat[_PPID])
            seconds[pid] = sum(map(int, stat[_UTIME : _CSTIME + 1])) / ticks
    totals = {root: 0.0 for root in roots if root in seconds}
    for pid, used in seconds.items():
        root = _root_of(pid, parents, totals)
        if root is not None:
            totals[root] += used
    return totals


def _pids() -> Iterator[int]:
    with os.scandir("/proc") as entries:
        yield from [int(entry.name) for entry in entries if entry.name.isdecimal()]


def _root_of(pid: int, parents: Mapping[int, int], roots: Mapping[int, float]) -> int | None:
    while pid and pid not in roots:
        pid = parents.get(pid, 0)
    return pid or None
