"""Which process is meant: a pid and the moment it started (ADR 0003).

A pid alone is somebody else's sooner or later. The start time is written as one number that does
not move when the wall clock is set and that differs between two boots:

- Linux: seconds since boot (`/proc/<pid>/stat`, exact to a hundredth) plus a multiple of 2**29
  that is derived from the boot's id. psutil's figure is not used: it adds a boot time that is
  recomputed from the wall clock, so setting the clock would make every process look dead.
- elsewhere: psutil's seconds since the epoch, which the kernel stores once.

Only equality means anything; never subtract it from a clock.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeGuard
from zlib import crc32

ON_LINUX: Final = os.uname().sysname == "Linux"
_TOLERANCE: Final = 0.015
_BOOT_SPAN: Final = 2.0**29
_BOOTS: Final = 2**17
_HUNDREDTHS: Final = 100
_SIGNATURE: Final = re.compile(r"(?<![0-9])([0-9]{1,10})-([0-9]{1,20})-([0-9a-f]{8})(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class ProcessRef:
    """A process, safely: a pid alone may be somebody else's by now.

    Attributes:
        pid: the process id.
        started: when it started, in the unit that the module describes.

    """

    pid: int
    started: float

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"pid": self.pid, "started": self.started}

    @classmethod
    def from_json(cls, value: object) -> ProcessRef | None:
        """Return the process that `value` names, `None` when it names none."""
        if not isinstance(value, dict):
            return None
        pid, started = value.get("pid"), value.get("started")
        if not is_pid(pid) or not isinstance(started, int | float) or not math.isfinite(started):
            return None
        return cls(pid, float(started))


def is_pid(value: object) -> TypeGuard[int]:
    """Whether `value` can be the id of a process: a positive integer that fits a C int."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31


def current() -> ProcessRef:
    """Return this process."""
    found = of(os.getpid())
    assert found is not None
    return found


def of(pid: int) -> ProcessRef | None:
    """Return the process that has `pid` now (a zombie too), `None` when there is none."""
    found = _look(pid)
    return None if found is None else ProcessRef(pid, found[0])


def is_alive(ref: ProcessRef) -> bool:
    """Whether exactly this process runs; a zombie and a successor under the same pid do not."""
    found = _look(ref.pid)
    return found is not None and found[1] and same_start(found[0], ref.started)


def signature() -> str:
    """Return what tells this process from all others, to be part of a file's name."""
    me = current()
    return f"{me.pid}-{round(me.started * _HUNDREDTHS)}-{_machine()}"


def is_signed_by_dead(name: str) -> bool:
    """Whether `name` holds the signature of a process of this machine that is dead for sure."""
    found = _SIGNATURE.search(name)
    if found is None or found[3] != _machine():
        return False
    return not is_alive(ProcessRef(int(found[1]), int(found[2]) / _HUNDREDTHS))


def pid_is_alive(pid: int) -> bool:
    """Whether any process has `pid`: all that can be known of a process that wrote no start time.

    A process of another user counts as alive.
    """
    found = _look(pid)
    return found is not None and found[1]


def same_start(left: float, right: float) -> bool:
    """Whether two start times are the same moment of the same boot."""
    return abs(left - right) <= _TOLERANCE


def _look(pid: int) -> tuple[float, bool] | None:
    """Return the start time and whether it still runs."""
    return _look_proc(pid) if ON_LINUX else _look_psutil(pid)


def _look_proc(pid: int) -> tuple[float, bool] | None:
    found = read_stat(pid)
    if found is None:
        return None
    return boot_offset() + int(found[19]) / _ticks(), found[0] not in (b"Z", b"X")


def read_stat(pid: int) -> list[bytes] | None:
    """Return the fields of `/proc/<pid>/stat` from the third (state) on; `None` without process."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - hot in sweeps
            text = file.read()
    except OSError:
        return None
    # The command may hold blanks and brackets: the fields begin behind the last bracket.
    return text.rpartition(b")")[2].split() or None


@cache
def boot_offset() -> float:
    """Return what tells this boot from others: a multiple of 2**29 (Linux), else 0."""
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except OSError:
        return 0.0
    return int(boot_id.replace("-", "")[:8], 16) % _BOOTS * _BOOT_SPAN


@cache
def _machine() -> str:
    """Return what tells machines, containers too, that share a folder: digits of the name."""
    return f"{crc32(os.uname().nodename.encode()):08x}"


@cache
def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK")


def _look_psutil(pid: int) -> tuple[float, bool] | None:
    import psutil

    try:
        process = psutil.Process(pid)
        return process.create_time(), process.status() != psutil.STATUS_ZOMBIE
    except psutil.ZombieProcess:
        return 0.0, False
    except psutil.NoSuchProcess:
        return None


def all_pids() -> list[int]:
    """Return the ids of all processes that can be seen."""
    if ON_LINUX:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - hot
    import psutil

    return psutil.pids()
