"""How an agent reaches us from inside its task: our command, and the return channel's server."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from caesar_core.agents.base import ChannelServer


def channel_server(task_dir: Path) -> ChannelServer:
    """Return the return channel of a task as an MCP server over stdio."""
    # -P: it runs in an agent's folder; a json.py there must not be imported.
    module = ("-P", "-m", "caesar_core.servers.channel")
    return ChannelServer(argv=(sys.executable, *module, "--task-dir", str(task_dir)))


def own_command() -> str:
    """Return how an agent calls us in a shell: by name where it finds us, see `with_own_command`.

    A program that was not installed with its command is run as a module.
    """
    if _own_script() is not None:
        return "caesar"
    return shlex.join((sys.executable, "-P", "-m", "caesar_core"))


def with_own_command(path: str) -> str:
    """Return a `PATH` on which `caesar` is found: ours comes last, unless there is one already."""
    script = _own_script()
    if script is None or shutil.which("caesar", path=path) is not None:
        return path
    return os.pathsep.join(part for part in (path, str(script.parent)) if part)


def _own_script() -> Path | None:
    script = Path(sys.executable).with_name("caesar")
    return script if os.access(script, os.X_OK) else None
