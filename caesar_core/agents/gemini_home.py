"""A home of its own for one run of Gemini CLI: the user's, seen through links, with our settings.

Its settings are the only place for MCP servers and for the number of retries. Settings of an
administrator are refused unless they are root's, so ours stand where those of the user would.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import ChannelServer, Mirror, TaskFile
from caesar_core.home import home_folder

HOME: Final = "GEMINI_CLI_HOME"
SERVER: Final = "caesar"
_FOLDER: Final = ".gemini"
_SETTINGS: Final = "settings.json"
# What it reads in a home besides its own folder.
_BESIDES: Final = (".agents", ".env")
_ATTEMPTS: Final = 5
_LARGEST: Final = 4 << 20
_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


class BadSettingsError(ValueError):
    """The user's settings cannot be read, so nothing can be added to them."""


def user_home() -> Path:
    """Return the home that Gemini CLI would take by itself."""
    return Path(os.environ.get(HOME) or home_folder())


def user_settings() -> dict[str, Any]:
    """Return the user's settings, empty without a file.

    Raises:
        BadSettingsError: they are no JSON object, comments aside; says so in a clause.
    """
    path = user_home() / _FOLDER / _SETTINGS
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadSettingsError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise BadSettingsError(f"{path} is too large")
    return _settings_in(path, data)


def _settings_in(path: Path, data: bytes) -> dict[str, Any]:
    try:
        bare = _COMMENT.sub(lambda found: found[1] or " ", data.decode("utf-8-sig"))
        document = json.loads(bare)
    except (ValueError, RecursionError):
        raise BadSettingsError(f"{path} is not JSON") from None
    if not isinstance(document, dict):
        raise BadSettingsError(f"{path} does not hold a JSON object")
    return document


def private_settings(settings: dict[str, Any], channel: ChannelServer | None) -> dict[str, Any]:
    """Return the settings of a run: the user's, with few retries and the channel."""
    general = _table(settings, "general")
    asked = general.get("maxAttempts")
    is_less = isinstance(asked, int) and not isinstance(asked, bool) and asked < _ATTEMPTS
    ours = {**settings, "general": {**general, "maxAttempts": asked if is_less else _ATTEMPTS}}
    if channel is None:
        return ours
    command, *arguments = channel.argv
    # Trusted: nobody is there to confirm a call.
    server = {"command": command, "args": arguments, "env": channel.env, "trust": True}
    ours["mcpServers"] = {**_table(settings, "mcpServers"), SERVER: server}
    allowed = _table(settings, "mcp").get("allowed")
    if isinstance(allowed, list) and SERVER not in allowed:
        ours["mcp"] = {**settings["mcp"], "allowed": [*allowed, SERVER]}
    return ours


def private_home(home: Path, settings: dict[str, Any]) -> tuple[TaskFile, tuple[Mirror, ...]]:
    """Return the file and the mirrors that make `home` the user's home with these settings."""
    source, folder = user_home(), home / _FOLDER
    file = TaskFile(folder / _SETTINGS, json.dumps(settings, indent=2))
    return file, (Mirror(folder, source / _FOLDER), Mirror(home, source, only=_BESIDES))


def _table(settings: dict[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}
