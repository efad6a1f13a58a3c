"""Starting programs: agents into spool files, supervisors into their own life.

No shell reads a command line here; the one `sh` below is given its arguments as arguments.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import OperationError
from caesar_core.process.identity import ProcessRef, of

TASK_MARKER: Final = "CAESAR_TASK_ID"
_HINTS: Final = {
    errno.E2BIG: "Its arguments and environment are too long: give the brief by file or stdin.",
    errno.ENOEXEC: "It is no program for this machine, or a script without a `#!` line.",
    errno.EACCES: "Make it executable (`chmod +x`).",
    errno.EAGAIN: "The system allows no more processes: wait, or lower policy.max_parallel.",
    errno.ENOMEM: "The system has no memory left: wait, or lower policy.max_parallel.",
}
# The shell returns at once and leaves the program to init, which also reaps it.
_DETACH: Final = '"$@" >&2 & echo $!'


class SpawnError(OperationError):
    """A program could not be started."""

    code = "spawn"


@dataclass(frozen=True, slots=True)
class Child:
    """A child process that leads its own session.

    Attributes:
        ref: its identity; valid until it is reaped by :meth:`poll`.

    """

    ref: ProcessRef
    process: subprocess.Popen[bytes]

    def poll(self) -> int | None:
        """Reap it if it has ended; its exit code, `-n` for signal n, or `None` while it runs."""
        return self.process.poll()


def which(binary: str, path: str) -> Path | None:
    """Return the executable file that `binary` names.

    Args:
        binary: with a `/`, the path of a file; else a name to look for.
        path: the folders to search, as in `$PATH`.

    """
    if "/" in binary:
        file = Path(binary)
        return file if file.is_file() and os.access(file, os.X_OK) else None
    found = shutil.which(binary, path=path)
    return None if found is None else Path(found)


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: Path | None = None,
    stdout: Path,
    stderr: Path,
) -> Child:
    """Start `argv` as the leader of a new session.

    Both outputs are appended to files, so that nobody needs to live for the agent to go on;
    stdin is a file or empty. No descriptor of ours, no ignored and no blocked signal is inherited.
    To be called from a process with one thread (the supervisor).

    Raises:
        SpawnError: the program or `cwd` is missing, is not executable, the arguments are too
            long, … with what to do about it.

    """
    _check(argv, cwd, env)
    try:
        process = _start(argv, cwd, env, (stdin, stdout, stderr))
    except (OSError, ValueError) as error:
        raise _spawn_error(argv, error) from error
    ref = of(process.pid)
    assert ref is not None, "a child that was not waited for has an entry"
    return Child(ref, process)


def spawn_detached(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path
) -> ProcessRef:
    """Start a supervisor that depends on nobody: own session, no terminal, output into `log`.

    The process becomes a child of init, so neither a closed terminal nor the end of the caller
    matters to it, and a caller that lives for days collects no zombies. It does not carry the
    task marker of the agent in whose task it may have been started. It begins with SIGINT and
    SIGQUIT ignored: it installs its own handlers. Safe in a process with threads.

    Raises:
        SpawnError: the program or `cwd` is missing, or the program ended at once.

    """
    _check(argv, cwd, env)
    clean = {name: value for name, value in env.items() if name != TASK_MARKER}
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab", buffering=0) as file:
            done = subprocess.run(
                ["/bin/sh", "-c", _DETACH, "sh", *argv],
                cwd=cwd,
                env=clean,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                start_new_session=True,
                check=False,
            )
    except (OSError, ValueError) as error:
        raise _spawn_error(argv, error) from error
    return _detached(done.stdout, argv, log)


def default_signals() -> None:
    """Undo ignored and blocked signals, which a program would otherwise inherit."""
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _check(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
    """Refuse what would fail, while it can still be said clearly what is missing."""
    if not cwd.is_dir():
        raise SpawnError(f"The working directory {cwd} does not exist.", "Was it removed?")
    binary = argv[0]
    if "/" in binary:
        if not (cwd / binary).is_file():
            raise SpawnError(f"The program {binary} does not exist.", "Check its path.")
    elif which(binary, env.get("PATH", os.defpath)) is None:
        raise SpawnError(f"The program {binary} is not installed.", "Install it, or extend $PATH.")


def _start(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    streams: tuple[Path | None, Path, Path],
) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = streams
    for path in (stdout, stderr):
        path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=_placed(env, cwd),
            stdin=stack.enter_context((stdin or Path(os.devnull)).open("rb", buffering=0)),
            stdout=stack.enter_context(stdout.open("ab", buffering=0)),
            stderr=stack.enter_context(stderr.open("ab", buffering=0)),
            start_new_session=True,
            preexec_fn=default_signals,  # noqa: PLW1509 - one thread only, see `spawn`
        )


def _placed(env: Mapping[str, str], cwd: Path) -> dict[str, str]:
    """Return the environment with the folder in it: some programs believe `PWD` before the system.

    An agent that did would work where the caller stands instead of in its worktree.
    """
    kept = {name: value for name, value in env.items() if name != "OLDPWD"}
    return {**kept, "PWD": str(cwd)}


def _detached(printed: bytes, argv: Sequence[str], log: Path) -> ProcessRef:
    found = of(int(printed)) if printed.strip().isdigit() else None
    if found is None:
        raise SpawnError(f"{argv[0]} ended as soon as it was started.", f"Look at {log}.")
    return found


def _spawn_error(argv: Sequence[str], error: Exception) -> SpawnError:
    if not isinstance(error, OSError):
        return SpawnError(f"Cannot start {argv[0]}: {error}.", "Remove the NUL character.")
    if error.errno == errno.ENOENT and error.filename in (None, argv[0]):  # it is there: _check
        what = f"Cannot start {argv[0]}: the interpreter that its first line names does not exist."
        return SpawnError(what, "Mend its `#!` line.")
    where = f" ({error.filename})" if error.filename not in (None, argv[0]) else ""
    hint = _HINTS.get(error.errno or 0, "")
    return SpawnError(f"Cannot start {argv[0]}: {error.strerror}{where}.", hint)
