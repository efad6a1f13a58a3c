"""What a program says its version is, asked in a bounded way."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

VERSION_TIMEOUT: Final = 3.0
_LONGEST: Final = 4096


def program_version(
    program: Path, environment: Mapping[str, str], *, timeout: float = VERSION_TIMEOUT
) -> str | None:
    """Return the first line that `program --version` prints; `None` when it does not tell.

    It runs in an empty folder without input, and is killed with all it started after `timeout`
    seconds.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(
                [str(program), "--version"],
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError:
            return None
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        lines = out.read(_LONGEST).decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in lines if line.strip()), None) if code == 0 else None
