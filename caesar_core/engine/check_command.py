"""One check: a command of ours with a time limit, its output kept, nothing of it left behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock
from caesar_core.process.environment import Redactor
from caesar_core.process.spawn import TASK_MARKER, SpawnError, spawn
from caesar_core.process.supervise import Ending, watch_child
from caesar_core.store.atomic import StoreError, open_regular, size_of, write_atomic
from caesar_core.store.layout import TaskFiles
from caesar_core.text import human_duration

_TAIL: Final = 4_000
_KEPT: Final = 16 << 20
_MOST: Final = 256 << 20
_REMOVED: Final = "[what it printed was removed]"


@dataclass(frozen=True, slots=True)
class CheckOrder:
    """A check as it was decided before the task began; `timeout_ms` is its own limit."""

    run: str
    name: str = ""
    timeout_ms: int = 600_000

    def to_plan(self) -> tuple[str, str, int]:
        """Return it as a plan holds it."""
        return self.run, self.name, self.timeout_ms


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of a check (docs/commands.md, `checks`).

    Attributes:
        exit_code: `None` when it was stopped or never ran.
        output_tail: the end of what it printed, secrets taken out; a note of ours at its end in
            square brackets when it did not end by itself.
    """

    command: str
    passed: bool
    exit_code: int | None = None
    duration_ms: int = 0
    output_tail: str = ""
    name: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; `name` is there only where one was given."""
        document: dict[str, Any] = {
            "command": self.command,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "duration_ms": self.duration_ms,
            "output_tail": self.output_tail,
        }
        return {**document, "name": self.name} if self.name else document


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where checks run, and with what.

    Attributes:
        task_id: whose result is checked; what still carries it in its environment is stopped.
        files: where the outputs are kept.
        folder: the working directory: the result, checked out.
        env: the whole environment; it holds the task's marker.
        should_stop: asked several times a second.
    """

    task_id: str
    files: TaskFiles
    folder: Path
    env: Mapping[str, str]
    clock: Clock
    redactor: Redactor
    should_stop: Callable[[], bool]


def run_check(bench: Bench, order: CheckOrder, number: int) -> CheckResult | None:
    """Run one check with `/bin/sh -c`; `None` when `should_stop` ended it.

    The whole of its output is kept as the `number`-th log of the task, at most its last 16 MiB.
    """
    spool = bench.files.check_spool
    spool.unlink(missing_ok=True)
    growth = _Growth(spool)
    began = bench.clock.monotonic()
    try:
        child = spawn(
            ("/bin/sh", "-c", order.run),
            cwd=bench.folder,
            env=bench.env,
            stdout=spool,
            stderr=spool,
        )
    except SpawnError as error:
        return not_run(order, error.message)
    ending = watch_child(
        child,
        deadline=began + order.timeout_ms / 1000,
        clock=bench.clock,
        on_output=growth.look,
        should_cancel=lambda: growth.too_much or bench.should_stop(),
        marker=f"{TASK_MARKER}={bench.task_id}",
    )
    took = round((bench.clock.monotonic() - began) * 1000)
    tail = _keep_output(bench, spool, number)
    if ending.kind == "cancelled" and not growth.too_much:
        return None
    code = ending.exit_code if ending.kind == "exited" else None
    note = _note(ending, order)
    return CheckResult(order.run, code == 0, code, took, f"{tail}{note}", order.name)


def not_run(order: CheckOrder, why: str) -> CheckResult:
    """Return the result of a check that could not be run: it did not pass."""
    return CheckResult(order.run, passed=False, output_tail=f"[not run: {why}]", name=order.name)


class _Growth:
    """Watches how long an output gets."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0

    @property
    def too_much(self) -> bool:
        """Whether it fills the disk."""
        return self._size > _MOST

    def look(self) -> bool:
        """Whether it has grown since the last look."""
        before, self._size = self._size, size_of(self._path)
        return self._size > before and not self.too_much


def _keep_output(bench: Bench, spool: Path, number: int) -> str:
    try:
        with open_regular(spool) as (descriptor, status):
            printed = os.pread(descriptor, _KEPT, max(0, status.st_size - _KEPT))
    except (FileNotFoundError, StoreError):  # what a check runs is the agent's
        return _REMOVED
    output = bench.redactor.redact(printed)
    write_atomic(bench.files.check_log(number), output, durable=False)
    spool.unlink()
    with suppress(OSError):  # not empty: an agent's spools are not taken in yet
        spool.parent.rmdir()
    tail = output[-_TAIL:].decode("utf-8", "replace")
    if len(output) <= _TAIL:
        return tail
    return tail.partition("\n")[2] or tail  # one long line is worth its end


def _note(ending: Ending, order: CheckOrder) -> str:
    if ending.kind == "timed_out":
        return f"[stopped after its limit of {human_duration(order.timeout_ms / 1000)}]"
    if ending.kind == "cancelled":
        return f"[stopped: it printed more than {_MOST >> 20} MiB]"
    return f"[ended by {ending.signal}]" if ending.signal else ""


def orders_of(planned: tuple[tuple[str, str, int], ...]) -> tuple[CheckOrder, ...]:
    """Return the checks of a plan."""
    return tuple(CheckOrder(*each) for each in planned)
