"""`caesar config get|set|unset|validate`: single values by dotted path."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from caesar_core.config.edit import ENTRY_KEYS, ConfigDocument
from caesar_core.config.explain import nearest_key
from caesar_core.config.read import read_config_text
from caesar_core.config.settings import DeclaredAgent, Role
from caesar_core.config.values import Target, Value, entry_values, find_values, target_of
from caesar_core.engine.configure.layer_file import (
    SCOPES,
    Scope,
    check_text,
    edit_layer,
    layer_path,
)
from caesar_core.engine.project import Project
from caesar_core.errors import CaesarError, NotFoundError


@dataclass(frozen=True, slots=True)
class Written:
    """What a change of one value did.

    Attributes:
        took_over: a whole entry or list of a weaker layer was copied into this one.
        effective: what holds now; differs from what was written when a stronger layer says more.
    """

    path: str
    scope: Scope
    file: str
    changed: bool
    took_over: bool
    effective: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether one layer's file can be used, and the complaint when it cannot."""

    scope: Scope
    path: str
    exists: bool
    error: CaesarError | None


def set_value(project: Project, path: str, words: Sequence[str], scope: Scope) -> Written:
    """Write one value; text, number, list or table, as the setting wants it.

    Raises:
        CaesarError: no such setting, a value that it cannot have; nothing was written.
    """
    target = target_of(path)
    if target.entry is None:
        changes = [partial(_set_plain, target.keys, value) for value in _readings(words)]
        taken = edit_layer(project, scope, *changes)
    else:
        base = _base_of(project, target, scope)
        changes = [partial(_set_field, target, base, value) for value in _readings(words)]
        taken = edit_layer(project, scope, *changes)
    return _written(project, path, scope, changed=True, took_over=taken)


def unset_value(project: Project, path: str, scope: Scope) -> Written:
    """Take a value, or a whole entry, out of a layer; what is weaker holds again.

    Raises:
        CaesarError: no such setting.
    """
    target = target_of(path)

    def change(document: ConfigDocument) -> bool:
        if target.entry is None:
            return document.unset(target.keys)
        kind, name = target.entry
        if target.field in {None, "answer"}:
            return document.drop_entry(kind, name)
        entry = dict(document.entry(kind, name) or {})
        gone = entry.pop(target.field, None) is not None
        if gone:
            document.put_entry(kind, entry)
        return gone

    return _written(project, path, scope, changed=edit_layer(project, scope, change))


def check_files(project: Project) -> list[FileCheck]:
    """Return for every layer whether its file can be used."""
    return [_check_file(project, scope) for scope in SCOPES]


def _check_file(project: Project, scope: Scope) -> FileCheck:
    path = layer_path(project, scope)
    exists = os.path.lexists(path)
    error: CaesarError | None = None
    if exists:
        try:
            check_text(str(path), read_config_text(path))
        except CaesarError as caught:
            error = caught
    return FileCheck(scope, str(path), exists, error)


def _readings(words: Sequence[str]) -> list[Any]:
    """Return what the words may mean: a text, a TOML value, a list; in this order."""
    if len(words) != 1:
        return [list(words)]
    try:
        value = [tomllib.loads(f"v = {words[0]}")["v"]]
    except tomllib.TOMLDecodeError:
        value = []
    # What is a list or a table in TOML is not one text in a list.
    return [words[0], *value, *([] if _is_compound(value) else [list(words)])]


def _is_compound(value: list[Any]) -> bool:
    return any(isinstance(item, list | dict) for item in value)


def _set_plain(keys: tuple[str, ...], value: Any, document: ConfigDocument) -> bool:
    document.set(keys, value)
    return False


def _set_field(
    target: Target, base: dict[str, Any] | None, value: Any, document: ConfigDocument
) -> bool:
    assert target.entry is not None
    kind, name = target.entry
    own = document.entry(kind, name)
    entry = own if own is not None else base
    if entry is None:
        raise NotFoundError(f"There is no {kind} {name!r}.", _how_to_add(kind))
    if target.field is None:
        raise CaesarError(f"{kind}.{name} is a whole entry.", f"Name a key: {kind}.{name}.KEY.")
    document.put_entry(kind, {**entry, target.field: value})
    return own is None


def _base_of(project: Project, target: Target, scope: Scope) -> dict[str, Any] | None:
    """Return the entry that a layer inherits, as a file would say it."""
    assert target.entry is not None
    kind, name = target.entry
    if kind == "answer":
        return {ENTRY_KEYS[kind]: name}
    config = project.config_up_to(scope)
    known: Mapping[str, Role | DeclaredAgent] = config.roles if kind == "role" else config.agents
    found = known.get(name)
    owner, _, key = name.rpartition(".")
    if found is None and owner in known:
        raise CaesarError(f"A {kind} has no key {key!r}.", nearest_key((kind, 0, key)))
    return None if found is None else entry_values(found)


def _how_to_add(kind: str) -> str:
    return f"`caesar {kind} add` makes one." if kind == "role" else "`caesar agents add` makes one."


def _written(
    project: Project, path: str, scope: Scope, *, changed: bool, took_over: bool = False
) -> Written:
    try:
        effective = tuple(find_values(project.config, path))
    except CaesarError:
        effective = ()
    file = str(layer_path(project, scope))
    return Written(path, scope, file, changed, took_over, effective)
