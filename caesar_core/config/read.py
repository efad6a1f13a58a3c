"""One configuration file, read and checked; every complaint names file, line and remedy."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from caesar_core.config.models import ConfigFile
from caesar_core.errors import CaesarError

_LARGEST: Final = 1 << 20
_DURATION: Final = "Write for example 90s, 10m or 2h."
_REMEDIES: Final = dict.fromkeys(("default_timeout", "timeout", "setup_timeout"), _DURATION)


class ConfigError(CaesarError):
    """A configuration file that cannot be used."""

    code = "config"


def read_config_file(path: Path) -> ConfigFile:
    """Return what the file at `path` says.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key, a wrong value.
    """
    text = _text(path)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        last = len(text.splitlines())
        where = str(error).replace("at end of document", f"at the end, line {last}")
        raise ConfigError(f"{path} is not valid TOML: {where}.", "Mend that line.") from None
    try:
        file = ConfigFile.model_validate(document)
    except ValidationError as error:
        raise _explained(path, text, error) from None
    _check_unique(path, file)
    return file


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise ConfigError(f"{path} is not a file.", "Move it away or make it a TOML file.")
        if path.stat().st_size > _LARGEST:
            raise ConfigError(f"{path} is larger than 1 MiB.", "Is it a configuration file?")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text.", "Save it as UTF-8.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None


def _check_unique(path: Path, file: ConfigFile) -> None:
    for kind, names in (
        ("role", [role.name for role in file.role or ()]),
        ("agent", [agent.id for agent in file.agent or ()]),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConfigError(f"{path} declares {kind} {twice[0]!r} twice.", "Keep one of them.")


def _explained(path: Path, text: str, error: ValidationError) -> ConfigError:
    problem = error.errors(include_url=False)[0]
    location = problem["loc"]
    line = _line_of(text, location)
    where = f"{path}:{line}" if line else str(path)
    dotted = ".".join(str(part) for part in location)
    if problem["type"] == "extra_forbidden":
        known = _known_keys(location[:-1])
        close = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
        hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."
        return ConfigError(f"{where}: unknown key {dotted!r}.", hint)
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    return ConfigError(
        f"{where}: {dotted}: {message[:1].lower()}{message[1:]}.",
        _REMEDIES.get(str(location[-1]), "Correct the value."),
    )


def _known_keys(location: Sequence[int | str]) -> list[str]:
    model: type[BaseModel] | None = ConfigFile
    for part in location:
        if isinstance(part, str) and model is not None:
            named = {spec.alias or name: spec for name, spec in model.model_fields.items()}
            model = _model_in(named[part].annotation) if part in named else None
    if model is None:
        return []
    return sorted(spec.alias or name for name, spec in model.model_fields.items())


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)


def _line_of(text: str, location: Sequence[int | str]) -> int | None:
    """Return the line on which a value was most likely written."""
    lines = text.splitlines()
    table = str(location[0]) if location else ""
    keys = [part for part in location if isinstance(part, str)]
    index = next((part for part in location if isinstance(part, int)), 0)
    header = re.compile(rf"\s*\[\[?\s*{re.escape(table)}\s*\]\]?")
    starts = [number for number, line in enumerate(lines, 1) if header.match(line)]
    start = starts[min(index, len(starts) - 1)] if starts else 0
    pattern = re.compile(rf"\s*[\"']?{re.escape(keys[-1] if keys else '')}[\"']?\s*[=.\]]")
    for number, line in enumerate(lines[start:], start + 1):
        if pattern.match(line):
            return number
        if start and line.lstrip().startswith("["):
            break
    return start or None
