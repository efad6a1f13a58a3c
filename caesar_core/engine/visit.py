"""Going where a task works: in the person's editor, else in a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from caesar_core.errors import OperationError
from caesar_core.process.foreground import run_in_foreground
from caesar_core.store.records import Record


@dataclass(frozen=True, slots=True)
class Visit:
    """A program, and the folder that it is to be run in."""

    folder: str
    command: tuple[str, ...]

    def begin(self) -> int:
        """Give the terminal to it until it ends; return its exit code.

        Raises:
            OperationError: it could not be started.

        """
        return run_in_foreground(self.command, self.folder)


def visit_of(record: Record, environ: Mapping[str, str]) -> Visit:
    """Return what opens the folder of a task: `$VISUAL`, else `$EDITOR`, else `$SHELL`.

    Raises:
        OperationError: the folder is gone, or the editor's command line cannot be read.

    """
    folder = str(record.worktree or record.workspace)
    if not Path(folder).is_dir():
        raise OperationError("The task's folder is gone.", "Its result is kept: see its diff.")
    return Visit(folder, _command(environ))


def _command(environ: Mapping[str, str]) -> tuple[str, ...]:
    editor = environ.get("VISUAL") or environ.get("EDITOR") or ""
    if not editor.strip():
        return (environ.get("SHELL") or "/bin/sh",)
    try:
        return (*shlex.split(editor), ".")
    except ValueError as error:
        raise OperationError(
            f"The editor's command {editor!r} cannot be read: {error}", "See VISUAL and EDITOR."
        ) from error
