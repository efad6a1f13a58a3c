from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.store.lock import LockBusyError, file_lock, try_lock

HOLD = """
import sys, time
from pathlib import Path
from caesar_core.store.lock import try_lock
lock = try_lock(Path(sys.argv[1]))
print("held" if lock else "busy", flush=True)
time.sleep(60)
"""


def test_a_held_lock_is_refused_at_once_and_free_after_release(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "lock"
    first = try_lock(path)
    assert first is not None
    assert try_lock(path) is None
    first.release()
    first.release()
    with file_lock(path, clock=FakeClock()):
        assert try_lock(path) is None
    again = try_lock(path)
    assert again is not None
    again.release()


def test_waiting_is_bounded(tmp_path: Path) -> None:
    clock = FakeClock()
    begin = clock.monotonic()
    held = try_lock(tmp_path / "lock")
    assert held is not None
    with (
        held,
        pytest.raises(LockBusyError, match="2 seconds"),
        file_lock(tmp_path / "lock", timeout=2, clock=clock),
    ):
        pytest.fail("nobody may get here")
    assert 2 <= clock.monotonic() - begin < 2.1


def test_kill_9_releases_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    with holder.stdout:
        assert holder.stdout.readline() == b"held\n"
    assert try_lock(path) is None
    holder.kill()
    holder.wait()
    with file_lock(path, timeout=1, clock=SystemClock()):
        pass
