"""Changes to a configuration file that leave everything else in it as it was (pure).

Only the block that changes goes through the TOML editor; comments, order, quotes and spacing of
the rest stay byte for byte. What comes out is read back and compared before anybody may write it:
a file whose form defeats the editor is refused instead of being damaged.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, Item

from caesar_core.config.blocks import Block, split_blocks
from caesar_core.errors import CaesarError

ENTRY_KEYS: Final = {"role": "name", "agent": "id", "answer": "match"}
_BOM: Final = "\ufeff"


class CannotEditError(CaesarError):
    """The file's form is beyond the editor."""

    code = "config"


class ConfigDocument:
    """The text of one configuration file, to be changed.

    `text` must be valid TOML. Keys are paths of names: `("policy", "max_parallel")`.
    """

    def __init__(self, text: str, where: str) -> None:
        self._before, self._where = text, where
        body = text.removeprefix(_BOM)
        self._wanted: dict[str, Any] = tomllib.loads(body)
        self._original = copy.deepcopy(self._wanted)
        # What is added begins a line of its own.
        self._blocks = split_blocks(body if body.endswith("\n") or not body else f"{body}\n")

    @property
    def data(self) -> Mapping[str, Any]:
        """What the file says now, as plain values."""
        return self._wanted

    def set(self, keys: Sequence[str], value: Any) -> None:
        """Give the value at `keys`; missing tables are made.

        Raises:
            CannotEditError: the file's form is beyond the editor.
        """
        _plain_set(self._wanted, keys, value)
        block = self._block_for(keys)
        if block is None:
            self._add_block(_rendered(keys[:1], keys[1:], value))
        else:
            self._edit(block, lambda table: _put(table, keys, value))

    def unset(self, keys: Sequence[str]) -> bool:
        """Take the value at `keys` out, and its table when nothing is left in it.

        Returns:
            Whether it was there.

        Raises:
            CannotEditError: the file's form is beyond the editor.
        """
        if not _remove(self._wanted, keys):
            return False
        for block in list(self._blocks):
            if _depth(block.data, keys) == len(keys):
                # The header's own tables stay for now: comments may stand in them.
                header = block.header
                self._edit(block, partial(_remove, keys=keys, keep=len(header)))
                if header and not _at(block.data, header):
                    self._drop(block)
        return True

    def entry(self, kind: str, name: str) -> Mapping[str, Any] | None:
        """Return an entry of `[[role]]`, `[[agent]]` or `[[answer]]` by its name."""
        index = self._index(kind, name)
        return None if index is None else self._wanted[kind][index]

    def put_entry(self, kind: str, values: Mapping[str, Any]) -> bool:
        """Write a whole entry; one of the same name is replaced where it stands.

        Returns:
            Whether there was one.

        Raises:
            CannotEditError: the file's form is beyond the editor.
        """
        name = values[ENTRY_KEYS[kind]]
        index = self._index(kind, name)
        entries = self._wanted.setdefault(kind, [])
        if index is None:
            entries.append(dict(values))
            self._add_entry(kind, values)
            return False
        entries[index] = dict(values)
        block, place = self._place_of(kind, index)
        self._edit(block, lambda table: _become(table[kind][place], values))
        return True

    def drop_entry(self, kind: str, name: str) -> bool:
        """Take a whole entry out; whether there was one.

        Raises:
            CannotEditError: the file's form is beyond the editor.
        """
        index = self._index(kind, name)
        if index is None:
            return False
        block, place = self._place_of(kind, index)
        del self._wanted[kind][index]
        if not self._wanted[kind]:
            del self._wanted[kind]
        if block.entry(kind) is not None:
            self._drop(block)
        else:
            self._edit(block, lambda table: _drop_element(table, kind, place))
        return True

    def text(self) -> str:
        """Return the file's new text.

        Raises:
            CannotEditError: it would not say what was meant.
        """
        if self._wanted == self._original:
            return self._before
        text = "".join(block.text for block in self._blocks)
        if "\r\n" in self._before and "\n" not in self._before.replace("\r\n", ""):
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            faithful = tomllib.loads(text) == self._wanted
        except tomllib.TOMLDecodeError:
            faithful = False
        if not faithful:
            raise self._refused("its form is too unusual")
        return (_BOM if self._before.startswith(_BOM) else "") + text

    def _block_for(self, keys: Sequence[str]) -> Block | None:
        """Return the block where a value stands or, for a new one, that of its table."""
        deepest = max(self._blocks, key=lambda b: _depth(b.data, keys), default=None)
        return deepest if deepest and _depth(deepest.data, keys) else None

    def _edit(self, block: Block, change: Callable[[Any], object]) -> None:
        try:
            document = tomlkit.parse(block.core)
            change(document)
            block.core = tomlkit.dumps(document)
        except (TOMLKitError, LookupError, TypeError) as error:
            raise self._refused(str(error)) from None

    def _add_entry(self, kind: str, values: Mapping[str, Any]) -> None:
        blocks = [block for block in self._blocks if block.entry(kind) is not None]
        if blocks:
            last = blocks[-1]
            added = Block(f"\n{_rendered_entry(kind, values)}", last.tail)
            last.tail = ""
            self._blocks.insert(self._blocks.index(last) + 1, added)
        elif (block := self._block_for((kind,))) is not None:
            self._edit(block, lambda table: table[kind].append(_item(values)))
        else:
            self._add_block(_rendered_entry(kind, values))

    def _add_block(self, text: str) -> None:
        before = "".join(block.text for block in self._blocks)
        gap = "" if not before or before.endswith(("\n\n", "\n\r\n")) else "\n"
        self._blocks.append(Block(gap + text))

    def _drop(self, block: Block) -> None:
        place = self._blocks.index(block)
        comments = block.comments()
        self._blocks[place : place + 1] = [Block("", comments)] if comments else []
        if comments or not self._blocks:
            return
        # The blank lines that parted it from its neighbour are no longer needed.
        if place == 0:
            self._blocks[0].core = self._blocks[0].core.lstrip("\r\n")
        elif place == len(self._blocks) and not self._blocks[-1].tail.strip():
            self._blocks[-1].tail = ""

    def _index(self, kind: str, name: str) -> int | None:
        names = [entry.get(ENTRY_KEYS[kind]) for entry in self._wanted.get(kind, ())]
        return names.index(name) if name in names else None

    def _place_of(self, kind: str, index: int) -> tuple[Block, int]:
        """Return the block that holds an entry, and which of the block's entries it is."""
        for block in self._blocks:
            held = block.data.get(kind)
            count = len(held) if isinstance(held, list) else 0
            if index < count:
                return block, index
            index -= count
        raise self._refused(f"its {kind} entries were not found")

    def _refused(self, why: str) -> CannotEditError:
        return CannotEditError(
            f"{self._where} cannot be edited safely: {why}.", "Change it by hand."
        )


def _depth(data: Any, keys: Sequence[str]) -> int:
    """Return how many of `keys` can be followed."""
    for depth, key in enumerate(keys):
        if not isinstance(data, Mapping) or key not in data:
            return depth
        data = data[key]
    return len(keys)


def _put(table: Any, keys: Sequence[str], value: Any) -> None:
    depth = min(_depth(table, keys), len(keys) - 1)
    for key in keys[:depth]:
        table = table[key]
    for key in reversed(keys[depth + 1 :]):
        value = {key: value}
    _assign(table, keys[depth], value)


def _assign(table: Any, key: str, value: Any) -> None:
    if isinstance(value, list | tuple) and isinstance(table.get(key), Array):
        _become_list(table[key], list(value))
    else:
        table[key] = _item(value)


def _become_list(array: Array, values: list[Any]) -> None:
    """Change what differs, so that the comments beside the others stay."""
    for place in reversed(range(len(array))):
        if array[place] not in values:
            del array[place]
    kept = list(array)
    if values[: len(kept)] != kept:
        array.clear()
        kept = []
    for value in values[len(kept) :]:
        array.append(_item(value))


def _at(data: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        data = data[key]
    return data


def _remove(data: Any, keys: Sequence[str], keep: int = 0) -> bool:
    """Take a value out, and the tables that it leaves empty but for the first `keep`."""
    key = keys[0]
    if not isinstance(data, Mapping) or key not in data:
        return False
    if len(keys) > 1:
        if not _remove(data[key], keys[1:], keep - 1):
            return False
        if data[key] or keep > 0:
            return True
    del data[key]  # type: ignore[attr-defined]
    return True


def _become(entry: Any, values: Mapping[str, Any]) -> None:
    for key in [key for key in entry if key not in values]:
        del entry[key]
    for key, value in values.items():
        if key not in entry or entry[key] != value:
            _assign(entry, key, value)


def _drop_element(table: Any, kind: str, place: int) -> None:
    del table[kind][place]
    if not table[kind]:
        del table[kind]


def _rendered(header: Sequence[str], keys: Sequence[str], value: Any) -> str:
    document = tomlkit.document()
    table = tomlkit.table()
    document.append(header[0], table)
    _put(table, keys, value)
    return tomlkit.dumps(document)


def _rendered_entry(kind: str, values: Mapping[str, Any]) -> str:
    table = tomlkit.document()
    for key, value in values.items():
        table.append(key, _item(value))
    return f"[[{kind}]]\n{tomlkit.dumps(table)}"


def _item(value: Any) -> Item:
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, inner in value.items():
            table.append(key, _item(inner))
        return table
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for element in value:
            array.append(_item(element))
        return array
    found: Item = tomlkit.item(value)
    return found


def _plain_set(data: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        data = data.setdefault(key, {})
    data[keys[-1]] = value
