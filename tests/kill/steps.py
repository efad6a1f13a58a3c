"""Each thing that a process does to the world, by name, and a signal before one of them.

The interpreter announces every file that is opened for writing, renamed, linked or removed, every
lock, every program and every signal. That is all that can be half done, so to die before each of
them in turn is to die everywhere; nothing of what is tested knows about it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_PATHS: Final = {
    "os.rename": 1,
    "os.link": 1,
    "os.symlink": 1,
    "os.remove": 0,
    "os.mkdir": 0,
    "os.rmdir": 0,
    "os.truncate": 0,
    "os.chmod": 0,
}
_SIGNALS: Final = ("os.kill", "os.killpg")
_NAMES: Final = re.compile(
    r"\d+-\d+-[0-9a-f]{8}|[0-9a-f]{64}|t_[0-9a-f-]{20,}|r_[0-9a-f]{12}|[0-9a-f]{32}|caesar-[a-z]+-[\w-]+|(?<=tmp/)\w{8}$"
)
REACHED: Final = "---"
_IGNORED: Final = re.compile(r"^/(dev|proc)/|__pycache__|/child\.log$")


@dataclass(frozen=True, slots=True)
class Death:
    """Where a process dies.

    Attributes:
        pattern: it dies before a step whose label this matches …
        nth: … the n-th such step, from 1.
        number: the signal that it gets; SIGKILL where it is to die for sure.
    """

    pattern: str = ""
    nth: int = 1
    number: signal.Signals = signal.SIGKILL


class Steps:
    """What a process does, told to a file, and where it ends.

    Args:
        root: is left out of the labels.
        trace: gets one line a step.
        death: `None` to let it live.
    """

    def __init__(self, root: Path, trace: Path, death: Death | None) -> None:
        self._root = f"{root}/"
        self._trace = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._pattern = re.compile(death.pattern) if death else None
        self._left = death.nth if death else 0
        self._number = death.number if death else signal.SIGKILL
        self._pid = os.getpid()

    def install(self) -> None:
        """Watch this process from now on; there is no way back."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        label = self._label(event, args)
        if label is None or os.getpid() != self._pid:
            return
        os.write(self._trace, f"{label}\n".encode())
        if self._pattern is not None and self._pattern.search(label):
            self._left -= 1
            if self._left == 0:
                os.write(self._trace, f"{REACHED}\n".encode())
                os.kill(self._pid, self._number)

    def _label(self, event: str, args: tuple[Any, ...]) -> str | None:
        if event == "open":
            path, _, flags = args
            written = isinstance(flags, int) and flags & _WRITES
            return self._named("write", path) if written else None
        if event in _PATHS:
            return self._named(event.removeprefix("os."), args[_PATHS[event]])
        if event == "subprocess.Popen":
            words = [os.fsdecode(word) for word in args[1]]
            return self._short(f"start {Path(words[0]).name} {' '.join(words[1:])}")
        if event in _SIGNALS and args[0] != self._pid:
            return f"signal {signal.Signals(args[1]).name}" if args[1] else None
        return None

    def _named(self, verb: str, path: object) -> str | None:
        if not isinstance(path, str | bytes | os.PathLike):
            return None
        text = os.fsdecode(path)
        return None if _IGNORED.search(text) else self._short(f"{verb} {text}")

    def _short(self, text: str) -> str:
        return _NAMES.sub("*", text.replace(self._root, "").replace("\n", " "))[:160]


def forked(
    root: Path, action: Callable[[], object], death: Death | None, trace: Path | None = None
) -> int:
    """Run `action` in a child of its own session that dies where it is told to; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        log = os.open(root.parent / "child.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for stream in (1, 2):
            os.dup2(log, stream)
        Steps(root, trace or root.parent / "trace", death).install()
        action()
        code = 0
    except BaseException:  # noqa: BLE001 - the child of a test must not go on as the test
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def outcome_of(pid: int) -> int:
    """Wait for a child, and wake it when it sleeps; its exit code, or `-n` for signal n."""
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)
        os.kill(pid, signal.SIGCONT)
