"""The front door: answers what needs no command without importing one."""

from __future__ import annotations

import os
import sys
from typing import Final

VERSION: Final = "0.1.0"
COMPLETION_VARIABLE: Final = "_CAESAR_COMPLETE"
_HELP: Final[tuple[list[str], ...]] = ([], ["--help"], ["-h"], ["help"])


def main() -> int:
    """Run `caesar` with the arguments of the process and return its exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"caesar {VERSION}\n")
        return 0
    if arguments in _HELP and COMPLETION_VARIABLE not in os.environ:
        from caesar_core.cli.table import help_text

        sys.stdout.write(help_text())
        return 0
    from caesar_core.cli.main import run_cli

    return run_cli(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
