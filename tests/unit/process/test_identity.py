from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from caesar_core import identity
from caesar_core.identity import ProcessRef
from caesar_core.process.identity import signal_group, signal_process


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


def ref_of(process: subprocess.Popen[bytes]) -> ProcessRef:
    found = identity.of(process.pid)
    assert found is not None
    return found


def test_we_are_alive_and_the_same_for_every_process() -> None:
    me = identity.current()
    assert identity.is_alive(me)
    code = f"from caesar_core.identity import of; print(repr(of({os.getpid()})))"
    seen = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert seen.strip() == repr(me)
    assert ProcessRef.from_json(me.to_json()) == me


def test_the_start_time_does_not_follow_the_wall_clock() -> None:
    seen = identity.of(os.getpid())
    assert seen is not None
    since_boot = seen.started - identity.boot_offset()
    if identity.ON_LINUX:
        with open("/proc/uptime", encoding="ascii") as uptime:  # noqa: PTH123
            assert 0 < since_boot <= float(uptime.read().split()[0])


@pytest.mark.parametrize("value", [None, 1, {}, {"pid": 0, "started": 1}, {"pid": True}])
def test_what_names_no_process_is_none(value: object) -> None:
    assert ProcessRef.from_json(value) is None
    assert ProcessRef.from_json({"pid": 2**40, "started": 1.0}) is None
    assert ProcessRef.from_json({"pid": 1, "started": float("nan")}) is None


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs waitid")
def test_a_zombie_is_dead_and_a_reaped_pid_is_nobody() -> None:
    process = sleeper()
    ref = ref_of(process)
    assert identity.is_alive(ref)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert identity.of(process.pid) == ref
    assert not identity.is_alive(ref)
    assert not identity.pid_is_alive(ref.pid)
    process.wait()
    assert identity.of(ref.pid) is None
    assert not identity.is_alive(ref)


def test_157_a_successor_under_the_same_pid_is_never_signalled() -> None:
    process = sleeper()
    predecessor = replace(ref_of(process), started=ref_of(process).started - 1)
    assert not identity.is_alive(predecessor)
    assert not signal_process(predecessor, signal.SIGKILL)
    assert signal_group(predecessor, signal.SIGKILL) == 0
    assert process.poll() is None
    assert signal_process(ref_of(process), signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


def test_157_the_same_without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    process = sleeper()
    assert not signal_process(replace(ref_of(process), started=1.0), signal.SIGKILL)
    assert process.poll() is None
    ref = ref_of(process)
    assert signal_process(ref, signal.SIGKILL)
    process.wait()
    assert not signal_process(ref, signal.SIGKILL)


def test_ourselves_our_session_and_init_are_never_signalled() -> None:
    for pid in (1, os.getpid(), os.getsid(0)):
        found = identity.of(pid)
        if found is not None:
            assert signal_group(found, signal.SIGKILL) == 0
    assert not signal_process(identity.current(), signal.SIGKILL)
    assert not signal_process(ProcessRef(1, 0.0), signal.SIGKILL)


def test_a_group_is_signalled_with_all_its_members() -> None:
    script = "set -m; sleep 60 & sleep 60 & echo; wait"
    leader = subprocess.Popen(
        ["bash", "-c", script], stdout=subprocess.PIPE, start_new_session=True
    )
    assert leader.stdout is not None
    with leader.stdout:
        leader.stdout.readline()
    assert signal_group(ref_of(leader), signal.SIGKILL) == 3
    assert leader.wait() == -signal.SIGKILL
