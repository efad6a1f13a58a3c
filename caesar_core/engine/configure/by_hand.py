"""`caesar config edit`: the file in the person's own editor, checked when it is closed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from caesar_core.config.read import read_config_text
from caesar_core.engine.configure.layer_file import (
    Scope,
    check_text,
    commands_now,
    layer_path,
    note_written,
    write_layer,
)
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError, OperationError

_FIRST: dict[Scope, str] = {
    "global": "# Yours, in every project.\n",
    "project": "# For everybody who works on this project.\n",
    "local": "# Yours, in this project only.\n",
}


def edit_by_hand(project: Project, scope: Scope, editor: str) -> Path:
    """Open a layer's file in an editor and wait; return the file.

    Raises:
        OperationError: the editor could not be started, or failed.
        ConfigError: what was saved is not valid; the file stays as it was saved.
    """
    path = layer_path(project, scope)
    if not path.exists():
        write_layer(project, scope, _FIRST[scope])
    before = commands_now(project)
    try:
        argv = [*shlex.split(editor), str(path)]
        code = subprocess.run(argv, check=False).returncode
    except (OSError, ValueError) as error:
        raise OperationError(
            f"The editor {editor!r} cannot be started: {error}.", "Correct $EDITOR."
        ) from None
    if code != 0:
        raise OperationError(f"The editor {editor!r} ended with {code}.")
    try:
        check_text(str(path), read_config_text(path))
    except CaesarError as error:
        again = "`caesar config edit` opens it again."
        raise CaesarError(error.message, f"{error.hint} {again}", code=error.code) from None
    project.forget_configuration()
    note_written(project, before)
    return path
