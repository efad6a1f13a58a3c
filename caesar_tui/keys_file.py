"""The file in which a person gives keys of their own; every complaint names place and remedy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from textual.binding import Binding
from textual.keys import Keys

from caesar_core.config.explain import ConfigError, line_of
from caesar_core.config.layers import global_config_path
from caesar_core.config.read import parse_toml, read_config_text
from caesar_core.errors import nearest
from caesar_core.text import visible
from caesar_tui.keyed import Keymap, written
from caesar_tui.keymap import KEYS, TOGETHER, Key, Scope, keys_of

_ALIASES: Final = MappingProxyType(
    {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete"}
)
_MODIFIERS: Final = frozenset(("ctrl", "shift", "alt"))
_RESERVED: Final = frozenset(("enter", "escape", "tab"))
_SAME: Final = MappingProxyType({"ctrl+i": "tab", "ctrl+m": "enter"})
"""What a terminal sends for a key as well, so that nobody could tell them apart."""
_BASES: Final = frozenset(key.value.rpartition("+")[2] for key in Keys if "<" not in key.value)
_SCOPES: Final[dict[str, Scope]] = {scope: scope for scope in get_args(Scope)}
_FORMS: Final = 'Write keys like "a", "A", "?", "f5", "space", "ctrl+a" or "alt+left".'


def keys_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the file lies: beside the person's own configuration."""
    return global_config_path(environment).with_name("keys.toml")


def read_keymap(path: Path) -> Keymap:
    """Return the keys that hold; those of the table where there is no file.

    Raises:
        ConfigError: unreadable, not TOML, an unknown name, no key, or one key for two things.
    """
    if not os.path.lexists(path):
        return Keymap()
    return parse_keymap(str(path), read_config_text(path))


def parse_keymap(where: str, text: str) -> Keymap:
    """Return the keys that a text gives; `where` names it in complaints.

    Raises:
        ConfigError: see `read_keymap`.
    """
    changes: dict[str, tuple[str, ...]] = {}
    for name, table in parse_toml(where, text).items():
        place = _Place(where, text, (name,))
        scope = _SCOPES.get(name)
        if scope is None:
            raise place.error("there is no such place", nearest(name, _SCOPES))
        if not isinstance(table, dict):
            raise place.error("not a table", f"Begin with [{scope}], one line for each key.")
        for what, value in table.items():
            key = _key_of(place.below(what), scope, what)
            changes[key.id] = tuple(_keys(place.below(what), value))
    _check_clear(where, text, changes)
    return Keymap(changes)


class _Place:
    """Where in the file something stands."""

    def __init__(self, where: str, text: str, path: tuple[str, ...]) -> None:
        self._where, self._text, self._path = where, text, path

    def below(self, name: str) -> _Place:
        return _Place(self._where, self._text, (*self._path, name))

    def error(self, what: str, hint: str) -> ConfigError:
        line = line_of(self._text, self._path)
        place = f"{self._where}:{line}" if line else self._where
        return ConfigError(f"{place}: {'.'.join(self._path)}: {what}.", hint)


def _key_of(place: _Place, scope: Scope, name: str) -> Key:
    keys = {key.id.partition(".")[2]: key for key in keys_of(scope)}
    if name not in keys:
        free = [known for known, key in keys.items() if not key.is_fixed]
        raise place.error("there is no such key", nearest(name, free))
    if keys[name].is_fixed:
        why = "Enter, Esc, Tab, digits and the keys of lines to type in keep their meaning."
        raise place.error("this key cannot be changed", why)
    return keys[name]


def _keys(place: _Place, value: Any) -> Iterator[str]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not given:
        raise place.error("not a key", f"Give one key, or several in a list. {_FORMS}")
    for one in given:
        name = _name(one) if isinstance(one, str) else None
        if name is None:
            raise place.error(f"there is no key {one!r}", _FORMS)
        if _SAME.get(name, name) in _RESERVED:
            raise place.error(f"{written(name)} keeps its meaning", "Choose another key.")
        yield name


def _name(given: str) -> str | None:
    """Return Textual's name of a key, `None` when there is no such key."""
    *modifiers, base = [given] if len(given) == 1 else given.strip().split("+")
    modifiers = [modifier.strip().lower() for modifier in modifiers]
    if len(base) > 1:
        base = _ALIASES.get(base.lower(), base.lower())
        if base not in _BASES:
            return None
    elif not base or not base.isprintable() or "shift" in modifiers:
        return None  # a terminal sends the letter that shift makes, not shift
    elif modifiers:
        base = base.lower()
    else:
        return next(iter(Binding.make_bindings([Binding(base, "")]))).key
    if len(set(modifiers)) != len(modifiers) or not _MODIFIERS.issuperset(modifiers):
        return None
    return "+".join((*sorted(modifiers), base))


def _check_clear(where: str, text: str, changes: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a key that would mean two things at one place."""
    for together in TOGETHER:
        owners: dict[str, Key] = {}
        for key in (key for key in KEYS if key.scope in together):
            for name in changes.get(key.id) or key.keys.split(","):
                other = owners.setdefault(name, key)
                if other is not key:
                    last = key if key.id in changes else other
                    first = other if last is key else key
                    place = _Place(where, text, tuple(last.id.split(".")))
                    hint = f"Choose another one, or give {first.id} another key as well."
                    raise place.error(f"{visible(written(name))} is {first.id} already", hint)
