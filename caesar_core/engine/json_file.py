"""Changing one key of a JSON file that belongs to another program."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from caesar_core.errors import OperationError
from caesar_core.protocol.strictjson import BadJsonError, strict_json
from caesar_core.store.atomic import read_bounded, write_atomic

_LIMIT: Final = 16 << 20
_INDENT: Final = re.compile(rb"\A\s*\{\r?\n([ \t]+)\"")


class BadJsonFileError(OperationError):
    """A file of another program that cannot be changed safely."""

    code = "bad_json_file"


@dataclass(slots=True)
class JsonFile:
    """A JSON object in a file; what is not changed stays, in its order.

    Attributes:
        path: where it really is: links are followed.
        existed: whether there was a file.
        mode: its permission bits; a new one may hold secrets one day, so it is the person's alone.
    """

    path: Path
    document: dict[str, Any] = field(default_factory=dict)
    existed: bool = False
    mode: int = 0o600
    indent: int | str = 2

    @classmethod
    def load(cls, path: Path) -> JsonFile:
        """Read a file; a missing or empty one is an empty object.

        Raises:
            BadJsonFileError: it is not a plain JSON object: comments, trailing commas, …
            StoreError: it cannot be read.
        """
        try:
            real = path.resolve()
        except (OSError, RuntimeError):
            raise BadJsonFileError(
                f"{path} is a link that leads to itself.", "Mend the file first."
            ) from None
        try:
            data = read_bounded(real, _LIMIT)
        except FileNotFoundError:
            return cls(real)
        found = _INDENT.match(data)
        indent = found[1].decode("ascii") if found else 2
        mode = real.stat().st_mode & 0o7777
        document = _parse(real, data) if data.strip() else {}
        return cls(real, document, existed=True, mode=mode, indent=indent)

    def table(self, name: str) -> dict[str, Any]:
        """Return the object under `name`, made when it is missing.

        Raises:
            BadJsonFileError: something else stands there.
        """
        value = self.document.setdefault(name, {})
        if not isinstance(value, dict):
            raise BadJsonFileError(f"{self.path}: {name} is not an object.", "Mend the file first.")
        return value

    def to_text(self) -> str:
        """Return what `save` writes."""
        return json.dumps(self.document, ensure_ascii=False, indent=self.indent) + "\n"

    def save(self) -> None:
        """Replace the file in one step; its permissions stay.

        Raises:
            StoreError: it cannot be written.
        """
        data = self.to_text().encode("utf-8", "surrogatepass")
        write_atomic(self.path, data, mode=self.mode)


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    try:
        document = strict_json(data)
    except BadJsonError as error:
        raise BadJsonFileError(
            f"{path} cannot be changed safely: {error}.",
            "It is not plain JSON (comments?). Add the entry by hand.",
        ) from None
    if not isinstance(document, dict):
        raise BadJsonFileError(f"{path} does not hold a JSON object.", "Mend the file first.")
    return document
