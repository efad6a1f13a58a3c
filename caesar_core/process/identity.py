"""Signals that reach the process that was meant, or nobody (ADR 0003)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from signal import Signals

from caesar_core.identity import ProcessRef, all_pids, current, is_alive, of, same_start

__all__ = [
    "ProcessRef",
    "current",
    "is_alive",
    "of",
    "session_members",
    "signal_group",
    "signal_process",
]


def signal_process(ref: ProcessRef, number: Signals) -> bool:
    """Signal exactly this process; whether it was there to be signalled.

    A pid that has become somebody else's, ourselves, and pid 1 are never signalled.
    """
    if ref.pid in (1, os.getpid()):
        return False
    try:
        descriptor = os.pidfd_open(ref.pid)
    except ProcessLookupError:
        return False
    except (AttributeError, OSError):
        return _signal_by_pid(ref, number)
    try:
        # The descriptor pins the process, so nothing can slip in between look and signal.
        if not is_alive(ref):
            return False
        signal.pidfd_send_signal(descriptor, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(descriptor)
    return True


def _signal_by_pid(ref: ProcessRef, number: Signals) -> bool:
    if not is_alive(ref):
        return False
    try:
        os.kill(ref.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def signal_group(ref: ProcessRef, number: Signals) -> int:
    """Signal all processes of the session that `ref` leads; return how many there were.

    Works after the leader's end too: a session's id is not given out again while it has members.
    Our own session is never signalled.
    """
    members = session_members(ref)
    apart = [member for member in members if _group_of(member.pid) != ref.pid]
    if len(apart) < len(members):
        # In one step, so that a member cannot fork away in the middle.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(ref.pid, number)
    for member in apart:
        signal_process(member, number)
    return len(members)


def session_members(ref: ProcessRef) -> list[ProcessRef]:
    """Return the living processes of the session that `ref` leads or led.

    One that leads no session, because a foreign program started it, stands for itself.
    """
    if ref.pid in (1, os.getpid(), os.getsid(0)):
        return []
    leader = of(ref.pid)
    if leader is not None and not same_start(leader.started, ref.started):
        return []
    members = list(_members(ref.pid))
    if leader is not None and leader not in members and is_alive(ref):
        members.append(leader)
    return members


def _members(session: int) -> Iterator[ProcessRef]:
    for pid in all_pids():
        with suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) != session:
                continue
            found = of(pid)
            if found is not None and is_alive(found):
                yield found


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except (ProcessLookupError, PermissionError):
        return None
