"""One configuration file, read and checked; every complaint names file, line and remedy."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from caesar_core.config.explain import ConfigError, explained, line_of
from caesar_core.config.models import ConfigFile

__all__ = ["ConfigError", "parse_config", "parse_toml", "read_config_file", "read_config_text"]

_LARGEST: Final = 1 << 20
_MOVE: Final = "Move it away or make it a TOML file."


def read_config_file(path: Path) -> ConfigFile:
    """Return what the file at `path` says.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key, a wrong value.
    """
    return parse_config(str(path), read_config_text(path))


def read_config_text(path: Path) -> str:
    """Return the text of a configuration file, byte order mark and line ends as they are.

    Raises:
        ConfigError: there is none, or it is not readable text.
    """
    try:
        if not path.is_file():
            raise ConfigError(f"{path} is not a file.", _MOVE)
        if path.stat().st_size > _LARGEST:
            raise ConfigError(f"{path} is larger than 1 MiB.", _MOVE)
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not UTF-8 text.", "Save it as UTF-8.") from None
    except OSError as error:
        hint = "Check who owns it and its permissions."
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", hint) from None


def parse_toml(where: str, text: str) -> dict[str, Any]:
    """Return a text's values.

    Raises:
        ConfigError: it is not TOML; line and column are named.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        last = len(text.splitlines())
        what = str(error).replace("at end of document", f"at the end, line {last}")
        raise ConfigError(f"{where} is not valid TOML: {what}.", "Mend that line.") from None


def parse_config(where: str, text: str) -> ConfigFile:
    """Return what a text says; `where` names it in complaints.

    Raises:
        ConfigError: not TOML, an unknown key, a wrong value.
    """
    document = parse_toml(where, text)
    try:
        file = ConfigFile.model_validate(document)
    except ValidationError as error:
        raise explained(where, text, error) from None
    _check_unique(where, text, file)
    return file


def _check_unique(where: str, text: str, file: ConfigFile) -> None:
    for kind, names in (
        ("role", [role.name for role in file.role or ()]),
        ("agent", [agent.id for agent in file.agent or ()]),
        ("answer", [rule.match for rule in file.answer or ()]),
    ):
        for place, name in enumerate(names):
            if name in names[:place]:
                line = line_of(text, (kind, place))
                raise ConfigError(
                    f"{where}:{line}: {kind} {name!r} stands there twice.", "Keep one of them."
                )
