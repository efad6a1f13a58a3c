"""What is wrong with a configuration file, for the person who wrote it: where, what, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, get_args

from pydantic import BaseModel, ValidationError

from caesar_core.config.blocks import split_blocks
from caesar_core.config.models import ConfigFile
from caesar_core.errors import CaesarError

Location: TypeAlias = Sequence[int | str]
_REMEDIES: Final = {
    **dict.fromkeys(
        ("default_timeout", "timeout", "setup_timeout"), "Write for example 90s or 2h."
    ),
    "min_free_memory": "Write for example 512MiB or 2GiB.",
}
_TABLE: Final = ("not a table", "Write a table with keys of its own.")
# By the kind of a complaint: what is wrong and what to write instead.
_WORDS: Final = {
    "model_type": _TABLE,
    "dict_type": _TABLE,
    "list_type": ("not a list", 'Write a list, such as ["a", "b"].'),
    "int_type": ("not a whole number", "Write a whole number without quotes."),
    "string_type": ("not a text", "Write a text in quotes."),
    "bool_type": ("neither true nor false", "Write true or false, without quotes."),
    "string_too_short": ("is empty", "Write something, or leave the key out."),
    "string_pattern_mismatch": (
        "not a name",
        "Use letters, digits, '.', '_' and '-', beginning with a letter or a digit.",
    ),
    "greater_than_equal": ("less than {ge}", "Write {ge} or more."),
}


class ConfigError(CaesarError):
    """A configuration file that cannot be used.

    Attributes:
        wrong_kind: a value is of another kind than its key takes: text where a number belongs.
    """

    code = "config"
    wrong_kind = False


def explained(where: str, text: str, error: ValidationError) -> ConfigError:
    """Return the first complaint about a file, with its line and a remedy."""
    problem = error.errors(include_url=False)[0]
    location = [part for part in problem["loc"] if part != "[key]"]
    line = line_of(text, location)
    place = f"{where}:{line}" if line else where
    dotted = dotted_path(location)
    if problem["type"] == "extra_forbidden":
        return ConfigError(f"{place}: unknown key {dotted!r}.", nearest_key(location))
    if problem["type"] == "missing":
        return ConfigError(f"{place}: {dotted!r} is missing.", "Every entry needs it: add it.")
    return _about_value(f"{place}: {dotted}", problem, location)


def _about_value(place: str, problem: Any, location: Location) -> ConfigError:
    kind = problem["type"]
    if kind in _WORDS:
        said, hint = (text.format(**problem.get("ctx", {})) for text in _WORDS[kind])
    else:
        message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
        said, hint = f"{message[:1].lower()}{message[1:]}", _remedy(problem, location)
    error = ConfigError(f"{place}: {said}.", hint)
    error.wrong_kind = kind.endswith("_type")
    return error


def dotted_path(location: Location) -> str:
    """Return `role.0.mode` for a location."""
    return ".".join(str(part) or '""' for part in location)


def nearest_key(location: Location) -> str:
    """Return a hint for an unknown key: the known one most like it, else all of them."""
    known = known_keys(location[:-1])
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."


def known_keys(location: Location) -> list[str]:
    """Return the keys that may stand in the table at a location."""
    model: type[BaseModel] | None = ConfigFile
    for part in location:
        if isinstance(part, str) and model is not None:
            named = {spec.alias or name: spec for name, spec in model.model_fields.items()}
            model = _model_in(named[part].annotation) if part in named else None
    if model is None:
        return []
    return sorted(spec.alias or name for name, spec in model.model_fields.items())


def line_of(text: str, location: Location) -> int | None:
    """Return the line on which a value, or the table it is missing from, stands."""
    line = 1
    entries = next((part for part in location if isinstance(part, int)), 0)
    best: int | None = None
    for block in split_blocks(text.removeprefix("\ufeff")):
        held = block.data.get(str(location[0])) if location else None
        if held is not None:
            count = len(held) if isinstance(held, list) else 0
            if not isinstance(held, list) or entries < count:
                found = _line_in(block.core, location)
                if found is not None:
                    return line + found
                best = best or line + _header_line(block.core)
            entries -= count
        line += block.text.count("\n")
    return best


def _line_in(core: str, location: Location) -> int | None:
    """Return how many lines below the start of a block its key stands."""
    names = [part for part in location if isinstance(part, str)]
    for name in reversed(names):
        pattern = re.compile(rf"(?:^|[\s{{,.\[])[\"']?{re.escape(name)}[\"']?\s*[=.\]]")
        for number, line in enumerate(core.split("\n")):
            if pattern.search(line.partition("#")[0]):
                return number
        if name != names[-1]:
            return None
    return None


def _header_line(core: str) -> int:
    lines = core.split("\n")
    return next((n for n, line in enumerate(lines) if line.lstrip()[:1] not in {"", "#"}), 0)


def _remedy(problem: Any, location: Location) -> str:
    if problem["type"] == "literal_error":
        choices = re.findall(r"'([^']+)'", str(problem.get("ctx", {}).get("expected", "")))
        close = difflib.get_close_matches(str(problem["input"]), choices, n=1)
        return f"Did you mean {close[0]!r}?" if close else f"Write {' or '.join(choices)}."
    keys = [part for part in location if isinstance(part, str)]
    return _REMEDIES.get(keys[-1] if keys else "", "Correct the value.")


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)
