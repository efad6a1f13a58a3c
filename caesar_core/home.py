"""The person's home, where there is one: a container may run us as a user that nobody knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from caesar_core.errors import CaesarError


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return `$HOME`, else what the system says, else the root folder. Never raises."""
    env = os.environ if environment is None else environment
    named = Path(env.get("HOME") or "")
    if named.is_absolute():
        return named
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def expand_home(path: str | Path) -> Path:
    """Return a path with a leading `~` replaced, or as it is where that means nothing."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def known_home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the home to write something into.

    Raises:
        CaesarError: there is none; the root folder is no place for settings.
    """
    found = home_folder(environment)
    if found == Path("/"):
        raise CaesarError("Nobody knows where your home is.", "Set HOME.")
    return found
