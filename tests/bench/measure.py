"""How long a whole process takes, and how much memory; medians, because a shared machine lies."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from caesar_core.clock import SystemClock

CAESAR = str(Path(sys.executable).with_name("caesar"))
CLOCK = SystemClock()
_TIMED = Path(__file__).with_name("timed.py")


@dataclass(frozen=True, slots=True)
class Run:
    """What a process took: wall seconds and the largest resident size in MiB."""

    seconds: float
    mebibytes: float


@dataclass(slots=True)
class Bench:
    """A clean place to measure in.

    Attributes:
        folder: scratch space, removed at the end.
        repeat: how often a row is measured.
        program: what the rows that can be compared run: ours, or the reference implementation.
    """

    folder: Path
    repeat: int
    env: dict[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = (CAESAR,)

    def run(self, *command: str, cwd: Path) -> Run:
        """Run one command once; its output goes nowhere.

        Raises:
            RuntimeError: it failed; the text holds what it said on stderr.
        """
        timed = (sys.executable, str(_TIMED), *command)
        done = subprocess.run(timed, cwd=cwd, env=self.env, capture_output=True, check=True)
        took, kibibytes, code = json.loads(done.stdout)
        if code != 0:
            words = done.stderr.decode("utf-8", "replace").strip()
            raise RuntimeError(f"{command} exited with {code}: {words}")
        return Run(took, kibibytes / 1024)

    def median(self, *command: str, cwd: Path) -> Run:
        """Run a command once to warm the caches, then `repeat` times."""
        self.run(*command, cwd=cwd)
        runs = [self.run(*command, cwd=cwd) for _ in range(self.repeat)]
        return Run(
            statistics.median(run.seconds for run in runs),
            statistics.median(run.mebibytes for run in runs),
        )

    def output(self, *command: str, cwd: Path) -> str:
        """Return what a command prints, the last line of it stripped."""
        done = subprocess.run(
            command, cwd=cwd, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def median_of(self, work: Callable[[], object]) -> float:
        """Return the median seconds of a function of ours."""
        taken = []
        for _ in range(self.repeat):
            began = CLOCK.monotonic()
            work()
            taken.append(CLOCK.monotonic() - began)
        return statistics.median(taken)


def percent_of_a_core(process: psutil.Process, seconds: float) -> float:
    """Return how much of one core a process and its children use over the next `seconds`."""
    before = _cpu_seconds(process)
    CLOCK.sleep(seconds)
    return 100 * (_cpu_seconds(process) - before) / seconds


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a condition.

    Raises:
        TimeoutError: it did not come true.
    """
    deadline = CLOCK.monotonic() + seconds
    while not condition():
        if CLOCK.monotonic() > deadline:
            raise TimeoutError
        CLOCK.sleep(0.005)


@contextmanager
def bench(repeat: int, program: tuple[str, ...] = (CAESAR,)) -> Iterator[Bench]:
    """Give a bench whose programs know nothing of this person's settings."""
    with tempfile.TemporaryDirectory(prefix="caesar-bench-") as folder:
        home = Path(folder, "home")
        home.mkdir()
        (home / ".gitconfig").write_text("[user]\n name = Bench\n email = bench@example.org\n")
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        yield Bench(Path(folder), repeat, {**kept, "HOME": str(home)}, program)


def _cpu_seconds(process: psutil.Process) -> float:
    family = [process, *process.children(recursive=True)]
    return float(sum(sum(member.cpu_times()[:2]) for member in family))
