"""Finding the program behind a launcher of npm.

The launcher is a Node script that keeps 40 MB resident and does not pass every signal on, so the
platform's own binary is started where it lies beside it.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

_MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_LEVELS: Final = 6


def native_program(name: str, *patterns: str) -> str:
    """Return the native binary behind the launcher `name` on PATH, else `name` as it is.

    Args:
        name: the program as a person calls it.
        patterns: where the binary lies below a `node_modules` folder, as globs; `{platform}`
            stands for the like of `linux-x64`.
    """
    launcher = shutil.which(name)
    if launcher is None:
        return name
    here = Path(os.path.realpath(launcher))
    tags = _platform()
    for folder in here.parents[:_LEVELS]:
        modules = folder if folder.name == "node_modules" else folder / "node_modules"
        for pattern in patterns:
            for found in sorted(modules.glob(pattern.format(platform=tags))):
                if os.access(found, os.X_OK) and found.is_file():
                    return str(found)
    return name


def _platform() -> str:
    machine = platform.machine().lower()
    return f"{sys.platform}-{_MACHINES.get(machine, machine)}"
