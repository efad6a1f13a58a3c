"""Watching real processes: P1, P2, P5, P6, 90, 91, 96, 98, 100, 101, 107."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from caesar_core.clock import SystemClock
from caesar_core.identity import ON_LINUX, ProcessRef, is_alive, pid_is_alive
from caesar_core.process import supervise
from caesar_core.process.identity import signal_process
from caesar_core.process.leftovers import marked, sweep_leftovers
from caesar_core.process.spawn import Child, spawn
from caesar_core.process.supervise import Ending, wakeup, watch_child
from tests.integration.waiting import wait_until

CLOCK = SystemClock()
FAST = ((signal.SIGTERM, 0.3),)


class Bench:
    """Starts agents with a marker of their own and watches over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marker = f"CAESAR_TASK_ID={folder.name}-{os.getpid()}"
        name, _, value = self.marker.partition("=")
        self.env = {"PATH": os.environ["PATH"], name: value}

    def start(self, script: str) -> Child:
        return spawn(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.env,
            stdout=self.folder / "out",
            stderr=self.folder / "err",
        )

    def out(self) -> str:
        return (self.folder / "out").read_text()

    def started(self, script: str) -> Child:
        """Start a script and wait until it has printed a line."""
        child = self.start(script)
        wait_until(lambda: "\n" in self.out(), CLOCK)
        return child

    def watch(self, agent: Child | ProcessRef, **options: Any) -> Ending:
        values: dict[str, Any] = {
            "deadline": math.inf,
            "on_output": lambda: False,
            "should_cancel": lambda: False,
            "marker": self.marker,
        }
        return watch_child(agent, clock=CLOCK, **(values | options))

    def nothing_is_left(self) -> bool:
        return not marked(self.marker)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    others = _children()
    yield bench
    left = sweep_leftovers(bench.marker, clock=CLOCK, grace=0).stopped
    assert left == ()
    assert _children() <= others  # nothing was left to be reaped


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def seconds(call: Callable[[], Ending]) -> tuple[Ending, float]:
    begin = CLOCK.monotonic()
    return call(), CLOCK.monotonic() - begin


@pytest.mark.parametrize("code", [0, 7])
def test_89_the_exit_code_is_told(bench: Bench, code: int) -> None:
    assert bench.watch(bench.start(f"exit {code}")) == Ending("exited", code)


def test_107_a_signal_is_named_and_is_no_exit_code(bench: Bench) -> None:
    assert bench.watch(bench.start("kill -9 $$")) == Ending("exited", None, "SIGKILL")
    assert bench.watch(bench.start("kill -SEGV $$")) == Ending("exited", None, "SIGSEGV")


def test_96_agents_that_end_at_once_never_hang(bench: Bench) -> None:
    begin = CLOCK.monotonic()
    for _ in range(50):
        assert bench.watch(bench.start("echo x"), deadline=CLOCK.monotonic() + 10).kind == "exited"
    assert bench.out() == "x\n" * 50
    assert CLOCK.monotonic() - begin < 20


def test_98_p1_a_grandchild_that_holds_stdout_delays_nothing(bench: Bench) -> None:
    child = bench.start("sleep 300 & echo done; exit 0")
    ending, took = seconds(lambda: bench.watch(child))
    assert ending == Ending("exited", 0, leftovers=1)
    assert took < 2
    assert bench.nothing_is_left()


def test_p1_a_session_is_cleared_even_without_the_marker(bench: Bench) -> None:
    child = bench.start("env -i sleep 300 & echo $!; exit 0")
    assert bench.watch(child).leftovers == 1
    assert not pid_is_alive(int(bench.out()))


def test_p2_what_left_the_session_is_found_by_the_marker(bench: Bench) -> None:
    child = bench.start("setsid sleep 300 & setsid sleep 300 & sleep 0.1; exit 0")
    assert bench.watch(child) == Ending("exited", 0, leftovers=2)
    assert bench.nothing_is_left()


def test_p2_leftovers_that_ignore_sigterm_are_killed(bench: Bench) -> None:
    deaf = "trap '' TERM; echo; while :; do sleep 0.05; done"
    child = bench.started(f'setsid bash -c "{deaf}" & wait')
    ending, took = seconds(lambda: bench.watch(child, deadline=0))
    assert (ending.kind, ending.signal) == ("timed_out", "SIGTERM")
    assert took < 3
    assert bench.nothing_is_left()


def test_a_nested_task_is_spared(bench: Bench) -> None:
    nested = replace_marker(bench).start("exec sleep 300")
    child = bench.start("exit 0")
    assert bench.watch(child) == Ending("exited", 0)
    assert is_alive(nested.ref)
    assert replace_marker(bench).watch(nested, deadline=0).kind == "timed_out"


def replace_marker(bench: Bench) -> Bench:
    other = Bench(bench.folder)
    other.marker += "-nested"
    other.env["CAESAR_TASK_ID"] += "-nested"
    return other


def test_100_a_cooperative_agent_is_cancelled_within_three_seconds(bench: Bench) -> None:
    child = bench.started("setsid sleep 300 & sleep 300 & echo; sleep 300")
    ending, took = seconds(lambda: bench.watch(child, should_cancel=lambda: True))
    assert (ending.kind, ending.exit_code, ending.signal) == ("cancelled", None, "SIGTERM")
    assert took < 3
    assert bench.nothing_is_left()


def test_an_agent_may_end_in_its_own_way_when_asked(bench: Bench) -> None:
    child = bench.started("trap 'echo bye; exit 5' INT; echo; while :; do sleep 0.02; done")
    plan = ((signal.SIGINT, 5.0), (signal.SIGTERM, 5.0))
    ending = bench.watch(child, should_cancel=lambda: True, plan=plan)
    assert ending == Ending("cancelled", 5)
    assert bench.out().endswith("bye\n")


def test_90_p5_a_deaf_agent_is_killed_after_the_grace(bench: Bench) -> None:
    child = bench.started("trap '' TERM INT; echo; while :; do sleep 0.05; done")
    ending, took = seconds(lambda: bench.watch(child, should_cancel=lambda: True, plan=FAST))
    assert (ending.kind, ending.signal) == ("cancelled", "SIGKILL")
    assert 0.3 <= took < 1.3


def test_a_stopped_agent_can_be_cancelled(bench: Bench) -> None:
    child = bench.started("echo; kill -STOP $$; sleep 300")
    ending, took = seconds(lambda: bench.watch(child, should_cancel=lambda: True))
    assert (ending.kind, ending.signal) == ("cancelled", "SIGTERM")
    assert took < 2


def test_101_the_deadline_ends_it_and_may_be_far_away(bench: Bench) -> None:
    child = bench.start("exec sleep 300")
    ending, took = seconds(lambda: bench.watch(child, deadline=CLOCK.monotonic() + 0.2))
    assert (ending.kind, ending.signal) == ("timed_out", "SIGTERM")
    assert 0.2 <= took < 1.5
    far = CLOCK.monotonic() + 600 * 3600
    assert bench.watch(bench.start("exit 0"), deadline=far) == Ending("exited", 0)


def test_output_is_taken_in_to_the_end(bench: Bench) -> None:
    seen = 0

    def pump() -> bool:
        nonlocal seen
        with (bench.folder / "out").open("rb") as file:
            file.seek(seen)
            data = file.read(7)
        seen += len(data)
        return bool(data)

    child = bench.start("for i in 1 2 3 4 5; do echo line $i; sleep 0.02; done")
    assert bench.watch(child, on_output=pump).kind == "exited"
    assert seen == len(bench.out()) == 35


def test_91_an_error_while_reading_leaves_no_process(bench: Bench) -> None:
    def fail() -> bool:
        raise RuntimeError("defect")

    child = bench.started("setsid sleep 300 & echo; sleep 300")
    with pytest.raises(RuntimeError, match="defect"):
        bench.watch(child, on_output=fail)
    assert bench.nothing_is_left()
    assert child.poll() is not None


ORPHAN = """
import os, sys
from pathlib import Path
from caesar_core.process.spawn import spawn
here = Path(sys.argv[1])
child = spawn(["bash", "-c", sys.argv[2]], cwd=here, env=dict(os.environ),
              stdout=here / "agent", stderr=here / "err")
print(child.ref.pid, repr(child.ref.started), flush=True)
os._exit(0)
"""


def orphan(bench: Bench, script: str) -> ProcessRef:
    """Return an agent whose supervisor is gone."""
    folder = bench.folder
    supervisor = spawn(
        [sys.executable, "-c", ORPHAN, str(folder), script],
        cwd=folder,
        env=bench.env | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=folder / "out",
        stderr=folder / "err",
    )
    assert supervisor.process.wait(timeout=20) == 0, (folder / "err").read_text()
    pid, started = bench.out().split()
    return ProcessRef(int(pid), float(started))


def test_p6_an_adopted_agent_is_stopped_at_its_deadline(bench: Bench) -> None:
    agent = orphan(bench, "sleep 300 & sleep 300")
    assert is_alive(agent)
    ending, took = seconds(lambda: bench.watch(agent, deadline=CLOCK.monotonic() + 0.2))
    assert (ending.kind, ending.exit_code) == ("timed_out", None)
    assert took < 2
    assert not is_alive(agent)


def test_p6_an_adopted_agent_that_ends_by_itself_is_lost(bench: Bench) -> None:
    agent = orphan(bench, "sleep 0.3; exit 0")
    ending, took = seconds(lambda: bench.watch(agent))
    assert ending.kind == "lost"
    assert took < 5


def test_157_a_dead_agent_whose_pid_was_reused_costs_the_successor_nothing(bench: Bench) -> None:
    innocent = bench.start("exec sleep 300")
    dead = replace(innocent.ref, started=innocent.ref.started - 1)
    assert bench.watch(dead, marker="").kind == "lost"
    assert innocent.poll() is None
    signal_process(innocent.ref, signal.SIGKILL)
    innocent.process.wait()


@pytest.fixture
def slow_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the loop look so seldom that only being woken can make it quick."""
    for pause in ("_BUSY_PAUSE", "_IDLE_PAUSE"):
        monkeypatch.setattr(supervise, pause, 50.0)


@pytest.mark.skipif(not ON_LINUX, reason="needs pidfd")
def test_the_end_is_seen_at_once(bench: Bench, slow_looks: None) -> None:
    assert bench.watch(bench.start("sleep 0.2; exit 4")) == Ending("exited", 4)


def test_a_wake_up_is_seen_at_once(bench: Bench, slow_looks: None) -> None:
    cancelled = False

    def on_signal(*_: object) -> None:
        nonlocal cancelled
        cancelled = True

    previous = signal.signal(signal.SIGUSR1, on_signal)
    try:
        with wakeup() as wake_fd:
            child = bench.start(f"sleep 0.2; kill -USR1 {os.getpid()}; exec sleep 300")
            ending = bench.watch(child, should_cancel=lambda: cancelled, wake_fd=wake_fd)
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert ending.kind == "cancelled"
    assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL


def test_a_silent_agent_costs_a_few_looks_a_second(bench: Bench) -> None:
    looks = 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return False

    used = os.times()
    bench.watch(bench.start("exec sleep 300"), deadline=CLOCK.monotonic() + 2, on_output=look)
    now = os.times()
    assert looks < 30
    assert now.user + now.system - used.user - used.system < 0.2


def test_no_descriptor_leaks(bench: Bench) -> None:
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    for script in ("exit 0", "sleep 300 & exit 1"):
        bench.watch(bench.start(script))
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


def test_a_sweep_is_bounded_and_spares(bench: Bench) -> None:
    child = bench.started("echo; exec sleep 300")
    assert sweep_leftovers(bench.marker, clock=CLOCK, spare={child.ref.pid}).stopped == ()
    sweep = sweep_leftovers(bench.marker, clock=CLOCK, bound=0)
    assert sweep.left == (child.ref,)
    assert sweep_leftovers(bench.marker, clock=CLOCK).stopped == (child.ref,)
    child.process.wait()
