"""The head of one file in a git patch: names, modes, and what happens to the file. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["created", "modified", "deleted", "renamed", "copied"]

_ESCAPE: Final = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_ESCAPES: Final = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_FIELDS: Final = (
    "rename from",
    "rename to",
    "copy from",
    "copy to",
    "old mode",
    "new mode",
    "deleted file mode",
    "new file mode",
    "---",
    "+++",
)


@dataclass(frozen=True, slots=True)
class Header:
    """What the lines before the first hunk say.

    Attributes:
        old_path: the name before.
        new_path: the name after.
        action: what happens to the file.
        old_mode: git's mode before, where it is said.
        new_mode: git's mode after, where it is said.

    """

    old_path: str
    new_path: str
    action: Action
    old_mode: str | None
    new_mode: str | None

    @classmethod
    def of(cls, lines: list[bytes]) -> Header:
        """Read them; the first is the `diff --git` line."""
        fields = dict(filter(None, map(_field, lines[1:])))
        both = _git_line_names(lines[0].removeprefix(b"diff --git "))
        old = fields.get("rename from") or fields.get("copy from") or fields.get("---") or both[0]
        new = fields.get("rename to") or fields.get("copy to") or fields.get("+++") or both[1]
        mode = fields.get("index")
        return cls(
            old_path=text_of(old),
            new_path=text_of(new),
            action=_action(fields),
            old_mode=_mode(fields, "old mode", "deleted file mode", mode),
            new_mode=_mode(fields, "new mode", "new file mode", mode),
        )


def _field(line: bytes) -> tuple[str, bytes] | None:
    for name in _FIELDS:
        start = name.encode() + b" "
        if line.startswith(start):
            value = unquote(line[len(start) :].removesuffix(b"\t"))
            is_side = name in ("---", "+++")
            if is_side and value == b"/dev/null":
                return None
            return name, value[2:] if is_side else value
    if line.startswith(b"index ") and line.count(b" ") == 2:
        return "index", line.rpartition(b" ")[2]
    return None


def _action(fields: dict[str, bytes]) -> Action:
    if "new file mode" in fields:
        return "created"
    if "deleted file mode" in fields:
        return "deleted"
    if "rename to" in fields:
        return "renamed"
    return "copied" if "copy to" in fields else "modified"


def _mode(fields: dict[str, bytes], first: str, second: str, same: bytes | None) -> str | None:
    found = fields.get(first) or fields.get(second) or same
    return None if found is None else found.decode("ascii", "replace")


def _git_line_names(names: bytes) -> tuple[bytes, bytes]:
    """Split `a/x b/x`: without other lines both names are the same, so the middle is the cut."""
    if names.startswith(b'"'):
        end = re.match(rb'"(?:[^"\\]|\\.)*"', names)
        old = names[: end.end()] if end else names
        return unquote(old)[2:], unquote(names[len(old) + 1 :])[2:]
    middle = len(names) // 2
    return names[2:middle], unquote(names[middle + 1 :])[2:]


def unquote(name: bytes) -> bytes:
    """Undo git's quoting of a file name; a name without quotes is returned as it is."""
    if not (name.startswith(b'"') and name.endswith(b'"') and len(name) > 1):
        return name
    return _ESCAPE.sub(_unescaped, name[1:-1])


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return _ESCAPES[code] if code in _ESCAPES else bytes([int(code, 8) & 0xFF])


def text_of(data: bytes) -> str:
    """Return a line or name as text without its line end; bytes that are not UTF-8 are U+FFFD."""
    return data.removesuffix(b"\n").decode("utf-8", "replace")
