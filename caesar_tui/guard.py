"""A tiny parent that restores the terminal when the dashboard dies, even by `kill -9`.

The dashboard runs in a child; the parent has imported nothing and only waits. When the child ends
by a signal, the parent writes what switches mouse, alternate screen and so on off and gives the
terminal its old settings back. When the parent dies, the child sees its lifeline end and leaves.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Final

RESTORE: Final = (
    b"\x1b[?2026l"  # synchronised output off
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse off
    b"\x1b[?1004l\x1b[?2004l\x1b[?2048l"  # focus reports, bracketed paste, resize reports off
    b"\x1b[<u"  # kitty's keyboard back
    b"\x1b[?1049l\x1b[?25h\x1b[0m"  # main screen, cursor, plain colours
)
_PASSED_ON: Final = (signal.SIGTERM, signal.SIGHUP)
_LEFT_TO_CHILD: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)


def guarded(run: Callable[[int], int]) -> int:
    """Run `run` in a child and return its exit code; 128 and the signal when one ended it.

    Args:
        run: gets a descriptor that reads as ended when the guarding parent is gone.

    """
    settings = _settings()
    lifeline, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        # A caller such as `nohup` may have it ignored; without a terminal there is nothing to do.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        _leave(run, lifeline)
    os.close(lifeline)
    _hand_signals_to(child)
    status = _wait(child)
    if os.WIFSIGNALED(status):
        _restore(settings)
        return 128 + os.WTERMSIG(status)
    return os.WEXITSTATUS(status)


def _leave(run: Callable[[int], int], lifeline: int) -> None:
    """Run in the child and never come back into the parent's code."""
    code = 1
    try:
        code = run(lifeline)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it was
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _hand_signals_to(child: int) -> None:
    def pass_on(number: int, _: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    for number in _LEFT_TO_CHILD:
        signal.signal(number, signal.SIG_IGN)


def _wait(child: int) -> int:
    """Wait for the child's end; when it is suspended, be suspended with it."""
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)


def _settings() -> list[Any] | None:
    try:
        return termios.tcgetattr(sys.__stdin__ or 0)
    except (termios.error, OSError, ValueError):
        return None


def _restore(settings: list[Any] | None) -> None:
    with suppress(OSError):
        os.write(1, RESTORE)
    if settings is not None:
        with suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSAFLUSH, settings)
