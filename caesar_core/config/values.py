"""Effective values by dotted path, each with the layer that decided it (pure).

`policy.max_parallel`, `models.codex`, `environment.set.CI`, `role.reviewer.mode`, `agent.mine`,
`answer.<match>`. A name may hold dots itself: what follows a section's own key is one name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from caesar_core.config.edit import ENTRY_KEYS
from caesar_core.config.settings import (
    AnswerRule,
    Check,
    Config,
    DeclaredAgent,
    Layer,
    Role,
)
from caesar_core.config.sizes import format_size
from caesar_core.durations import format_duration
from caesar_core.errors import CaesarError

SECTIONS: Final = ("policy", "worktree", "environment", "checks")
_RENAMED: Final = {"passed": "pass", "assigned": "set"}
_TABLES: Final = ("policy.max_parallel_by_agent", "environment.set")
_DURATIONS: Final = frozenset(("default_timeout", "setup_timeout", "timeout"))
_ENTRY_KINDS: Final[dict[str, type]] = {"role": Role, "agent": DeclaredAgent, "answer": AnswerRule}


class UnknownSettingError(CaesarError):
    """There is no setting of that name."""

    code = "unknown_setting"


@dataclass(frozen=True, slots=True)
class Value:
    """One effective value: text, number, true or false, list or table."""

    path: str
    value: Any
    layer: Layer


@dataclass(frozen=True, slots=True)
class Target:
    """What a dotted path stands for in a file.

    Attributes:
        keys: where it stands, table by table; empty for a part of an entry.
        entry: the kind and the name of an entry.
        field: the entry's key, when it is not the whole entry.
    """

    keys: tuple[str, ...] = ()
    entry: tuple[str, str] | None = None
    field: str | None = None


def effective_values(config: Config) -> Iterator[Value]:
    """Yield every value, sections first; durations in milliseconds, sizes in bytes."""
    for section in SECTIONS:
        for name, value in _plain(getattr(config, section)).items():
            path = f"{section}.{name}"
            yield Value(path, value, config.layer_of(path))
    for model, name in config.models.items():
        yield Value(f"models.{model}", name, config.layer_of(f"models.{model}"))
    for kind, entries in _entries(config).items():
        for name, entry in entries.items():
            yield Value(f"{kind}.{name}", entry, config.layer_of(f"{kind}.{name}"))


def find_values(config: Config, path: str) -> list[Value]:
    """Return the value at a path, or all that stand below it.

    Raises:
        UnknownSettingError: there is none.
    """
    known = list(effective_values(config))
    found = [value for value in known if value.path == path]
    found = found or [value for value in known if value.path.startswith(f"{path}.")]
    found = found or [inner for value in known if (inner := _inside(config, value, path))]
    if found:
        return found
    if path in {*SECTIONS, "models", *ENTRY_KEYS}:
        return []
    raise unknown_setting(path, [value.path for value in known])


def _inside(config: Config, value: Value, path: str) -> Value | None:
    name = path.removeprefix(f"{value.path}.")
    if name == path or not isinstance(value.value, Mapping) or name not in value.value:
        return None
    layer = config.layer_of(path) if value.path in _TABLES else value.layer
    return Value(path, value.value[name], layer)


def target_of(path: str) -> Target:
    """Return what a dotted path stands for.

    Raises:
        UnknownSettingError: no file may hold it; the nearest that may is named.
    """
    section, _, rest = path.partition(".")
    if section == "models" and rest:
        return Target((section, rest))
    if section in ENTRY_KEYS and rest:
        return _entry_target(section, rest)
    known = known_paths()
    if path in known:
        return Target(tuple(path.split(".")))
    table = next((table for table in _TABLES if path.startswith(f"{table}.")), None)
    if table is not None:
        return Target((*table.split("."), path.removeprefix(f"{table}.")))
    raise unknown_setting(path, known)


def known_paths() -> list[str]:
    """Return the paths of all settings that every configuration has."""
    empty = Config()
    return [f"{name}.{key}" for name in SECTIONS for key in _plain(getattr(empty, name))]


def unknown_setting(path: str, known: list[str]) -> UnknownSettingError:
    """Return the complaint about a path, with the nearest one."""
    section, _, key = path.partition(".")
    keys = [name.partition(".")[2] for name in known if name.startswith(f"{section}.")]
    if keys:
        close = [f"{section}.{name}" for name in difflib.get_close_matches(key, keys, n=1)]
        others = f"Keys of {section}: {', '.join(keys)}."
        return UnknownSettingError(
            f"There is no setting {path!r}.", f"Did you mean {close[0]!r}?" if close else others
        )
    close = difflib.get_close_matches(path, known, n=1, cutoff=0.5)
    hint = f"Did you mean {close[0]!r}?" if close else "`caesar config show` lists them."
    return UnknownSettingError(f"There is no setting {path!r}.", hint)


def entry_values(entry: Role | DeclaredAgent | AnswerRule) -> dict[str, Any]:
    """Return an entry as a file says it, without what is its default anyway."""
    said = {}
    for spec in fields(entry):
        value = getattr(entry, spec.name)
        if value != spec.default:
            said[spec.name] = format_duration(value) if spec.name == "timeout" else _listed(value)
    return said


def shown_value(path: str, value: Any) -> Any:
    """Return a value as a person would write it: `10m`, `2GiB`, else as it is."""
    name = path.rpartition(".")[2]
    if isinstance(value, Mapping):
        return {key: shown_value(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shown_value("", item) for item in value]
    if name in _DURATIONS and isinstance(value, int):
        return format_duration(value)
    return format_size(value) if name == "min_free_memory" else value


def _entry_target(kind: str, rest: str) -> Target:
    if kind == "answer":
        return Target(entry=(kind, rest), field="answer")
    name, _, last = rest.rpartition(".")
    if name and last in {spec.name for spec in fields(_ENTRY_KINDS[kind])}:
        return Target(entry=(kind, name), field=last)
    return Target(entry=(kind, rest))


def _entries(config: Config) -> dict[str, dict[str, Any]]:
    return {
        "role": {name: _plain(role) for name, role in config.roles.items()},
        "agent": {name: _plain(agent) for name, agent in config.agents.items()},
        "answer": {rule.match: rule.answer for rule in config.answers},
    }


def _plain(record: Any) -> dict[str, Any]:
    return {
        _RENAMED.get(spec.name, spec.name): _listed(getattr(record, spec.name))
        for spec in fields(record)
    }


def _listed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_listed(item) for item in value]
    if isinstance(value, Check):
        return {key: said for key, said in _plain(value).items() if said is not None}
    return dict(value) if isinstance(value, Mapping) else value
