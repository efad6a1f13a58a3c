"""Work that the end of a server must not tear."""

from __future__ import annotations

import threading

import pytest

from caesar_core.servers.critical import critical, wait_until_safe


def test_with_nothing_under_way_the_end_is_safe_at_once() -> None:
    assert wait_until_safe(0)


def test_the_end_waits_for_what_is_under_way_but_not_for_ever() -> None:
    with critical():
        assert not wait_until_safe(0.01)
    assert wait_until_safe(0)


def test_the_end_comes_when_the_work_is_done() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with critical():
            begun.set()
            assert go_on.wait(10)

    worker = threading.Thread(target=work)
    worker.start()
    assert begun.wait(10)
    go_on.set()
    assert wait_until_safe(10)
    worker.join()


def test_work_that_fails_is_under_way_no_longer() -> None:
    with pytest.raises(RuntimeError), critical():
        raise RuntimeError("on purpose")
    assert wait_until_safe(0)
