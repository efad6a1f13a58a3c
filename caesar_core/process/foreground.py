"""Running a program that a person works in: it has the terminal until it ends."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from caesar_core.errors import OperationError


def run_in_foreground(command: Sequence[str], folder: str) -> int:
    """Run it in `folder` with our terminal and environment; return its exit code.

    Raises:
        OperationError: it could not be started.

    """
    try:
        return subprocess.run(list(command), cwd=folder, check=False).returncode
    except (OSError, ValueError) as error:
        raise OperationError(
            f"{command[0]} could not be opened: {error}", "VISUAL or EDITOR names the editor."
        ) from error
