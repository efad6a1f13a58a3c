"""Opening a task's folder in an editor or a shell while the dashboard is suspended."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path


def command_for(environ: Mapping[str, str]) -> list[str]:
    """Return what opens a folder: the person's editor with it, else a shell in it."""
    editor = environ.get("VISUAL") or environ.get("EDITOR") or ""
    if editor.strip():
        return [*shlex.split(editor), "."]
    return [environ.get("SHELL") or "/bin/sh"]


def go_to(folder: str, environ: Mapping[str, str]) -> str:
    """Run it there and wait for its end; return what went wrong, empty when nothing did."""
    if not Path(folder).is_dir():
        return "The task's folder is gone."
    try:
        subprocess.run(command_for(environ), cwd=folder, check=False)
    except (OSError, ValueError) as error:
        return f"It could not be opened: {error}"
    return ""
