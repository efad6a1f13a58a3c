from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock
from caesar_core.identity import current
from caesar_core.store.lease import Lease, LeaseHeldError, lease_holder, lease_state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "leases" / "x.lock"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="module")
def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def mark(path: Path, **document: object) -> None:
    path.mkdir(parents=True, exist_ok=True)
    (path / "marker.json").write_text(json.dumps(document))


def test_a_lease_is_active_while_it_is_held_and_leaves_nothing(path: Path) -> None:
    assert lease_state(path) == "absent"
    with Lease.acquire(path, "task t_1") as lease:
        assert lease_state(path) == "active"
        holder = lease_holder(path)
        assert holder is not None
        assert (holder.pid, holder.token, holder.label) == (os.getpid(), lease.token, "task t_1")
    lease.release()
    assert lease_state(path) == "absent"
    assert list(path.parent.iterdir()) == []


def test_123_a_second_holder_is_refused_and_the_first_named(path: Path) -> None:
    with Lease.acquire(path, "task t_1"), pytest.raises(LeaseHeldError, match="task t_1") as e:
        Lease.acquire(path, "task t_2")
    assert e.value.state == "active"
    assert list(path.parent.iterdir()) == []


def test_157_a_reused_pid_is_stale(path: Path) -> None:
    mark(path, pid=os.getpid(), token="t", started=current().started - 5)
    assert lease_state(path) == "stale"


def test_a_marker_of_the_reference_is_judged_by_its_pid(path: Path, dead_pid: int) -> None:
    mark(path, pid=os.getpid(), token="t")
    assert lease_state(path) == "active"
    mark(path, pid=dead_pid, token="t")
    assert lease_state(path) == "stale"


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"pid": 1}', b'{"pid": -1, "token": "t"}'])
def test_147_doubt_is_unknown_and_never_taken_over(
    path: Path, clock: FakeClock, content: bytes | None
) -> None:
    path.mkdir(parents=True)
    if content is not None:
        (path / "marker.json").write_bytes(content)
    assert lease_state(path) == "unknown"
    with pytest.raises(LeaseHeldError, match="unknown"):
        Lease.take_over(path, "me", clock)
    with pytest.raises(LeaseHeldError, match="unknown"):
        Lease.acquire(path, "me")


def test_another_machine_is_unknown(path: Path, dead_pid: int) -> None:
    mark(path, pid=dead_pid, token="t", host="elsewhere", started=1.0)
    assert lease_state(path) == "unknown"


def test_a_stale_lease_is_taken_over_once(path: Path, clock: FakeClock, dead_pid: int) -> None:
    mark(path, pid=dead_pid, token="old", label="dead")
    with pytest.raises(LeaseHeldError, match=r"dead .*stale"):
        Lease.acquire(path, "me")
    lease = Lease.take_over(path, "me", clock)
    assert lease_state(path) == "active"
    with pytest.raises(LeaseHeldError, match="active"):
        Lease.take_over(path, "other", clock)
    Lease(path, "old").release()
    assert lease_state(path) == "active"
    lease.release()
    assert lease_state(path) == "absent"


def test_a_lease_that_the_reference_is_removing_is_left_alone(
    path: Path, clock: FakeClock, dead_pid: int
) -> None:
    mark(path, pid=dead_pid, token="old")
    cleanup = path / "cleanup.lock"
    cleanup.mkdir()
    moment = clock.now().timestamp()
    os.utime(cleanup, (moment, moment))
    with pytest.raises(LeaseHeldError, match="unknown"):
        Lease.take_over(path, "me", clock)
    clock.advance(31)
    Lease.take_over(path, "me", clock)
    assert not cleanup.exists()


def test_a_cleanup_of_the_reference_that_ends_meanwhile_is_no_error(
    path: Path, dead_pid: int
) -> None:
    mark(path, pid=dead_pid, token="old")
    cleanup = path / "cleanup.lock"
    cleanup.mkdir()

    class Meanwhile(FakeClock):
        def now(self) -> datetime:
            if cleanup.is_dir():
                cleanup.rmdir()
            return super().now()

    Lease.take_over(path, "me", Meanwhile())
    assert lease_state(path) == "active"


def test_an_absent_lease_is_not_taken_over(path: Path, clock: FakeClock) -> None:
    with pytest.raises(LeaseHeldError, match="absent"):
        Lease.take_over(path, "me", clock)
