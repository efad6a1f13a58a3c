"""Which keys hold: those of the table, or those that a person gave instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from textual.app import App
from textual.dom import DOMNode
from textual.keys import format_key

from caesar_tui.keymap import KEYS, Key, Scope, keys_of

_NAMES: Final = MappingProxyType(
    {
        "escape": "Esc",
        "enter": "Enter",
        "backspace": "Backspace",
        "pageup": "PgUp",
        "pagedown": "PgDn",
        "up": "↑",
        "down": "↓",
        "left": "←",
        "right": "→",
    }
)


class Keymap:
    """The table with the keys that a person changed.

    Args:
        changes: keys by the id of what they do; see `keymap.Key.id`.

    """

    def __init__(self, changes: Mapping[str, tuple[str, ...]] = MappingProxyType({})) -> None:
        self._changes = dict(changes)

    def of(self, scope: Scope) -> tuple[Key, ...]:
        """Return the keys of one kind of screen, in the order of the footer."""
        return tuple(map(self._changed, keys_of(scope)))

    def shown(self, key_id: str) -> str:
        """Return how the key that does something is written for people."""
        return next(self._changed(key).shown for key in KEYS if key.id == key_id)

    @property
    def bindings(self) -> dict[str, str]:
        """What Textual is told: keys by the ids of bindings."""
        return {key_id: ",".join(keys) for key_id, keys in self._changes.items()}

    def _changed(self, key: Key) -> Key:
        keys = self._changes.get(key.id)
        if keys is None:
            return key
        return replace(key, keys=",".join(keys), shown=" ".join(map(written, keys)))


class KeyedApp(App[int]):
    """An application with a keymap."""

    keys = Keymap()


def keys_here(node: DOMNode) -> Keymap:
    """Return the keys that hold where a widget is."""
    app = node.app
    assert isinstance(app, KeyedApp)
    return app.keys


def written(key: str) -> str:
    """Return how a key is written for people: `Ctrl A`, `PgUp`, `?`."""
    *modifiers, base = [key] if len(key) == 1 else key.split("+")
    sign = format_key(base)
    if base in _NAMES or len(sign) > 1:
        name = _NAMES.get(base, base.capitalize())
    else:
        name = sign.upper() if modifiers else sign
    return " ".join((*(modifier.capitalize() for modifier in modifiers), name))
