"""The front door: answers what needs no command without importing one."""

from __future__ import annotations

import sys
from typing import Final

VERSION: Final = "0.1.0"


def main() -> int:
    """Run `caesar` with the arguments of the process and return its exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"caesar {VERSION}\n")
        return 0
    from caesar_core.cli.main import run_cli

    return run_cli(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
