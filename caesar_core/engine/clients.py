"""Registering our MCP server with a main agent's program, and taking it out again.

By the program's own command where it has one, else by changing one key of its file.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caesar_core.engine.json_file import JsonFile
from caesar_core.errors import CaesarError, OperationError, nearest
from caesar_core.home import known_home
from caesar_core.text import one_line

NAME: Final = "caesar"
_PATIENCE: Final = 60.0


class UnknownClientError(CaesarError):
    """A program that we do not know how to register with."""

    code = "unknown_client"


@dataclass(frozen=True, slots=True)
class Change:
    """What was done, or would be done.

    Attributes:
        done: `registered`, `removed`, `unchanged` (it was so already).
        command: the client's own command, where it has one.
        file, key, entry: else what is written where; `entry` is `None` when it is taken out.
    """

    client: str
    done: str
    dry_run: bool = False
    command: tuple[str, ...] = ()
    file: Path | None = None
    key: str = ""
    entry: dict[str, Any] | None = field(default=None, hash=False)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `mcp install` (docs/commands.md)."""
        head: dict[str, Any] = {"dry_run": self.dry_run, "client": self.client, "done": self.done}
        if self.file is None:
            return {**head, "action": "run-command", "command": list(self.command)}
        where = {"file": str(self.file), "key": self.key, "entry": self.entry}
        return {**head, "action": "write-file", **where}

    def sentence(self) -> str:
        """Return it for a person."""
        would = "would be " if self.dry_run and self.done != "unchanged" else ""
        said = f"{self.client}: {would}{self.done}"
        if self.file is None:
            return f"{said}\n  {shlex.join(self.command)}"
        what = "" if self.entry is None else f" = {self.entry}"
        return f"{said}\n  {self.file}: {self.key}.{NAME}{what}"


@dataclass(frozen=True, slots=True)
class _ByCommand:
    """A client with commands of its own; `add` is followed by the server's command line."""

    program: str
    add: tuple[str, ...]
    remove: tuple[str, ...]
    separator_after: int = 0  # how many words of the server's command stand before `--`


@dataclass(frozen=True, slots=True)
class _ByFile:
    """A client whose file holds the servers under `key`."""

    path: Callable[[Mapping[str, str]], Path]
    key: str
    entry: Callable[[list[str]], dict[str, Any]]


def install(
    client: str, root: Path, *, dry_run: bool = False, environment: Mapping[str, str] = os.environ
) -> Change:
    """Register the server of the project at `root`.

    Raises:
        UnknownClientError: no such client.
        OperationError: the client is not there, refuses, or its file cannot be changed.
    """
    way, serve = _way(client), [*own_argv(environment), "mcp", "serve", "--root", str(root)]
    if isinstance(way, _ByFile):
        return _edit(client, way, way.entry(serve), environment, dry_run=dry_run)
    words = way.separator_after
    command = (way.program, *way.add, *serve[:words], "--", *serve[words:])
    if not dry_run:
        _replace_by_command(client, way, command, root, environment)
    return Change(client, "registered", dry_run, command)


def uninstall(
    client: str,
    root: Path,
    *,
    dry_run: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Change:
    """Take the server out of a client; what is not there is no error.

    Raises:
        UnknownClientError: no such client.
        OperationError: the client is not there, or its file cannot be changed.
    """
    way = _way(client)
    if isinstance(way, _ByFile):
        return _edit(client, way, None, environment, dry_run=dry_run)
    command = (way.program, *way.remove)
    done = "removed"
    if not dry_run and not _run(client, command, root, environment):
        done = "unchanged"
    return Change(client, done, dry_run, command)


def own_argv(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return how another program starts us: by a path, because its `PATH` may be another."""
    beside = Path(sys.executable).with_name("caesar")
    found = shutil.which("caesar", path=environment.get("PATH", os.defpath))
    if found is not None and Path(found).resolve() == beside.resolve():
        return [found]  # a link that outlives an update
    if os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "caesar_core"]


def _way(client: str) -> _ByCommand | _ByFile:
    way = CLIENTS.get(client)
    if way is None:
        raise UnknownClientError(f"There is no client {client!r}.", nearest(client, CLIENTS))
    return way


def _edit(
    client: str,
    way: _ByFile,
    entry: dict[str, Any] | None,
    environment: Mapping[str, str],
    *,
    dry_run: bool,
) -> Change:
    """Set or remove our key, and leave everything else in the file as it is."""
    path = way.path(environment)
    file = JsonFile.load(path)
    servers = file.table(way.key)
    before = servers.get(NAME)
    if before == entry:
        return Change(client, "unchanged", dry_run, file=path, key=way.key, entry=entry)
    if entry is None:
        del servers[NAME]
    else:
        servers[NAME] = entry
    if not dry_run:
        file.save()
    done = "removed" if entry is None else "registered"
    return Change(client, done, dry_run, file=path, key=way.key, entry=entry)


def _replace_by_command(
    client: str,
    way: _ByCommand,
    command: tuple[str, ...],
    root: Path,
    environment: Mapping[str, str],
) -> None:
    """Add; a client that refuses because the name is taken is asked to forget the old entry."""
    if _run(client, command, root, environment):
        return
    _run(client, (way.program, *way.remove), root, environment)
    done = _completed(client, command, root, environment)
    if done.returncode:
        said = one_line(done.stderr or done.stdout, 300)
        raise OperationError(f"`{shlex.join(command)}` exited with {done.returncode}: {said}")


def _run(client: str, command: tuple[str, ...], root: Path, environment: Mapping[str, str]) -> bool:
    return _completed(client, command, root, environment).returncode == 0


def _completed(
    client: str, command: tuple[str, ...], root: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    program = shutil.which(command[0], path=environment.get("PATH", os.defpath))
    if program is None:
        raise OperationError(
            f"{client} is not installed: {command[0]} was not found.",
            "Install it first; --dry-run shows the command for another machine.",
        )
    try:
        return subprocess.run(
            [program, *command[1:]],
            cwd=root,  # some register a server for the folder they are called in
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise OperationError(
            f"`{shlex.join(command)}` did not come to an end.", "Run it yourself."
        ) from None


def _copilot(environment: Mapping[str, str]) -> Path:
    return known_home(environment) / ".copilot" / "mcp-config.json"


def _opencode(environment: Mapping[str, str]) -> Path:
    base = Path(environment.get("XDG_CONFIG_HOME") or known_home(environment) / ".config")
    folder = base / "opencode"
    with_comments = folder / "opencode.jsonc"
    # It reads both; a second file beside the person's own would be found by nobody.
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _antigravity(environment: Mapping[str, str]) -> Path:
    return known_home(environment) / ".gemini" / "config" / "mcp_config.json"


CLIENTS: Final[dict[str, _ByCommand | _ByFile]] = {
    "claude": _ByCommand("claude", ("mcp", "add", NAME), ("mcp", "remove", NAME)),
    "codex": _ByCommand("codex", ("mcp", "add", NAME), ("mcp", "remove", NAME)),
    "gemini": _ByCommand(
        "gemini",
        ("mcp", "add", "--scope", "user", NAME),
        ("mcp", "remove", "--scope", "user", NAME),
        separator_after=1,
    ),
    "copilot": _ByFile(
        _copilot,
        "mcpServers",
        lambda argv: {"type": "stdio", "command": argv[0], "args": argv[1:], "tools": ["*"]},
    ),
    "opencode": _ByFile(
        _opencode, "mcp", lambda argv: {"type": "local", "command": argv, "enabled": True}
    ),
    "antigravity": _ByFile(
        _antigravity, "mcpServers", lambda argv: {"command": argv[0], "args": argv[1:]}
    ),
}
