"""`caesar` as a command on PATH, for scripts that call it by its name."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def command_on_path(folder: Path) -> Path:
    """Put a `caesar` that is this source into a new folder and return the folder."""
    folder.mkdir()
    script = folder / "caesar"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m caesar_core "$@"\n')
    script.chmod(0o755)
    return folder
