"""The front door: answers what needs no command without importing one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

from caesar_core import VERSION

COMPLETION_VARIABLE: Final = "_CAESAR_COMPLETE"
__all__ = ["COMPLETION_VARIABLE", "VERSION", "main"]
_HELP: Final[tuple[list[str], ...]] = ([], ["--help"], ["-h"], ["help"])


def main() -> int:
    """Run `caesar` with the arguments of the process and return its exit code."""
    _open_standard_streams()
    arguments = sys.argv[1:]
    answer = _simple_answer(arguments)
    if answer is not None:
        with suppress(OSError):  # explained below, where every error is
            sys.stdout.write(answer)
            sys.stdout.flush()
            return 0
    from caesar_core.cli.main import run_cli

    return run_cli(arguments)


def _simple_answer(arguments: list[str]) -> str | None:
    if arguments in (["--version"], ["-V"]):
        return f"caesar {VERSION}\n"
    if arguments in _HELP and COMPLETION_VARIABLE not in os.environ:
        from caesar_core.cli.table import help_text

        return help_text()
    return None


def _open_standard_streams() -> None:
    """Put `/dev/null` where a standard stream was closed, as in `caesar ps >&-`.

    A file that is opened later would get its number, and what is printed would go there.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.set_inheritable(number, True)  # noqa: FBT003 - its only parameter
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


if __name__ == "__main__":
    raise SystemExit(main())
