from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.store.lock import FileLock, LockBusyError, claimed, file_lock, try_lock

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


def test_a_lock_whose_file_was_removed_keeps_out_whoever_comes_now(tmp_path: Path) -> None:
    """A waits, B removes the lock it holds, C makes it anew: A and C must not both have it."""
    path = tmp_path / "lock"
    held = try_lock(path)
    assert held is not None
    clock = RemovingClock(held, path)

    with pytest.raises(LockBusyError), file_lock(path, timeout=2, clock=clock):
        pytest.fail("somebody else holds the lock of this name")

    assert clock.third is not None
    clock.third.remove()
    assert not path.exists()
    with file_lock(path, clock=FakeClock()):
        assert try_lock(path) is None


class RemovingClock(FakeClock):
    """While somebody waits, the holder removes the lock and a third one makes it anew."""

    def __init__(self, held: FileLock, path: Path) -> None:
        super().__init__()
        self._held, self._path = held, path
        self.third: FileLock | None = None

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.third is None:
            self._held.remove()
            self.third = try_lock(self._path)


class _LetsGo(FakeClock):
    """While somebody waits, whoever holds the lock tidies up and lets go."""

    def __init__(self, held: FileLock) -> None:
        super().__init__()
        self._held = held

    def sleep(self, seconds: float) -> None:
        self._held.remove()
        super().sleep(seconds)


def test_who_claims_a_new_id_waits_for_whoever_tidies_up_there(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    held = try_lock(path)
    assert held is not None
    with claimed(path, clock=_LetsGo(held)):
        assert try_lock(path) is None
    assert not path.exists()
