"""`[worktree] setup`: a project's own commands, run in a new worktree."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from caesar_core.clock import Clock
from caesar_core.errors import OperationError
from caesar_core.text import visible

_TICK: Final = 0.05
_MOST: Final = 256 << 20
_TAIL_LINES: Final = 5
_TAIL_BYTES: Final = 8192


class SetupError(OperationError):
    """A setup command failed, took too long or was stopped.

    Attributes:
        command: the command as configured.
        returncode: its exit code; `None` when it was stopped.
        tail: the last lines of its output, made harmless.

    """

    code = "setup_failed"

    def __init__(
        self, command: str, returncode: int | None, what: str, tail: str, log: str
    ) -> None:
        self.command = command
        self.returncode = returncode
        self.tail = tail
        said = f":\n{tail}" if tail else ", without a word."
        super().__init__(f"Setup command `{command}` {what}{said}", f"All of it is in {log}.")


def run_setup(
    commands: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    *,
    clock: Clock,
    timeout: float,
    should_stop: Callable[[], bool],
) -> None:
    """Run commands one after the other with `/bin/sh -c`, each in a session of its own.

    Args:
        commands: what to run; the first failure ends it.
        cwd: where.
        env: the whole environment.
        log: their output is appended here.
        clock: what `timeout` is measured with.
        timeout: seconds for all of them together.
        should_stop: asked about every 50 ms; true kills the running command's group.

    Raises:
        SetupError: one failed, the time ran out, or `should_stop` said so.

    """
    deadline = clock.monotonic() + timeout
    with log.open("a+b") as out:
        for command in commands:
            out.write(f"$ {command}\n".encode())
            out.flush()
            _run(command, cwd, env, out, clock, deadline, should_stop)


def _run(
    command: str,
    cwd: Path,
    env: Mapping[str, str],
    out: BinaryIO,
    clock: Clock,
    deadline: float,
    should_stop: Callable[[], bool],
) -> None:
    start = out.seek(0, os.SEEK_END)
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    why = ""
    try:
        while process.poll() is None and not why:
            why = "was stopped" if should_stop() else ""
            if os.fstat(out.fileno()).st_size - start > _MOST:
                why = f"printed more than {_MOST >> 20} MiB and was stopped"
            if clock.monotonic() >= deadline:
                why = "took too long and was stopped"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TICK)
    finally:
        _kill_group(process)
    if why:
        raise SetupError(command, None, why, _tail(out, start), out.name)
    if process.returncode:
        what = f"failed (exit {process.returncode})"
        raise SetupError(command, process.returncode, what, _tail(out, start), out.name)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # Not reaped yet, the leader still holds the group's id, so it can be nobody else's.
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _tail(out: BinaryIO, start: int) -> str:
    end = out.seek(0, os.SEEK_END)
    out.seek(max(start, end - _TAIL_BYTES))
    text = visible(out.read().decode("utf-8", "replace"), keep_newlines=True)
    return "\n".join(text.rstrip().split("\n")[-_TAIL_LINES:])
