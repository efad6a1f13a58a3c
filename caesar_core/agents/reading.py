"""Reading the JSON lines of strangers' programs: whatever stands in them, nothing raises.

Every accessor takes any value and gives the type it is named for, or an empty one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, Final, TypeAlias

from caesar_core.text import one_line

Record: TypeAlias = Mapping[str, Any]
LONGEST_TEXT: Final = 32_000
LONGEST_FINAL_TEXT: Final = 1 << 20
_SUMMARY: Final = 200
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_TELLING: Final = (
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "pattern",
    "query",
    "url",
    "description",
)
_EMPTY: Final[Record] = {}


def read_object(line: str) -> Record | None:
    """Return the JSON object that a line holds, `None` for everything else.

    Lone surrogates become `?`, so that what comes out can always be written as UTF-8.
    """
    try:
        value = json.loads(line)
        if _SURROGATE.search(line):
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def get(record: object, *keys: str) -> Any:
    """Return the value at the end of a path of keys, `None` when the path is not there."""
    for key in keys:
        if not isinstance(record, Mapping):
            return None
        record = record.get(key)
    return record


def text(record: object, *keys: str, limit: int = LONGEST_TEXT) -> str:
    """Return the string there, cut to `limit` characters; empty when there is no string."""
    value = get(record, *keys)
    if not isinstance(value, str):
        return ""
    return value if len(value) <= limit else f"{value[: limit - 1]}…"


def mapping(record: object, *keys: str) -> Record:
    """Return the object there; empty when there is none."""
    value = get(record, *keys)
    return value if isinstance(value, Mapping) else _EMPTY


def objects(record: object, *keys: str) -> Iterator[Record]:
    """Return the objects of the list there, leaving out everything else."""
    value = get(record, *keys)
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def whole(record: object, *keys: str) -> int | None:
    """Return the whole number there; `None` for anything else."""
    value = number(record, *keys)
    return None if value is None else int(value)


def number(record: object, *keys: str) -> float | None:
    """Return the finite number there, never a boolean; `None` for anything else."""
    value = get(record, *keys)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def count(record: object, *keys: str) -> int | None:
    """Return the number there when it can be a count of tokens."""
    value = whole(record, *keys)
    return None if value is None or not 0 <= value < 1 << 53 else value


def cost(record: object, *keys: str) -> float | None:
    """Return the number there when it can be an amount of money."""
    value = number(record, *keys)
    return None if value is None or value < 0 else float(value)


def summarize(value: object) -> str:
    """Return a tool's input as one harmless line: its command or path, else all of it."""
    if isinstance(value, Mapping):
        for key in _TELLING:
            told = value.get(key)
            if isinstance(told, list) and told:
                told = " ".join(str(part)[:_SUMMARY] for part in told[:_SUMMARY])
            if isinstance(told, str) and told.strip():
                return one_line(told, _SUMMARY)
        if not value:
            return ""
    if isinstance(value, str):
        return one_line(value, _SUMMARY)
    return "" if value is None else one_line(_compact(value), _SUMMARY)


def _compact(value: object) -> str:
    """Return the beginning of a value as JSON, without writing out all of a huge one."""
    try:
        encoder = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "), default=str)
        kept, size = [], 0
        for piece in encoder.iterencode(value):
            kept.append(piece[:_SUMMARY])
            size += len(piece)
            if size > _SUMMARY * 2:
                break
        return "".join(kept)
    except (ValueError, RecursionError):
        return "…"


def relative(path: str, workspace: Path | None) -> str:
    """Return a path as reports speak of it: relative to the workspace, else absolute; with `/`."""
    given = PurePath(path)
    if workspace is None or not given.is_absolute():
        return given.as_posix()
    for top in (workspace, Path(str(workspace)).resolve()):
        if given.is_relative_to(top):
            return given.relative_to(top).as_posix()
    return given.as_posix()
