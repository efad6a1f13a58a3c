"""Task ids: made, checked, and found by a unique prefix."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from typing import Final

from caesar_core.errors import CaesarError, NotFoundError

_SAFE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)


class AmbiguousIdError(CaesarError):
    """A prefix fits more than one id."""

    code = "ambiguous_id"


def new_task_id() -> str:
    """Return `t_` and 32 hexadecimal digits."""
    return f"t_{uuid.uuid4().hex}"


def is_safe_id(text: str) -> bool:
    """Whether `text` can be a file name of ours: no separator, no dot file, no NUL, short."""
    return _SAFE.fullmatch(text) is not None and ".." not in text


def check_id(text: str, kind: str = "task") -> str:
    """Return `text` when it is a safe id.

    Raises:
        CaesarError: it could name something outside of the store.

    """
    if not is_safe_id(text):
        raise CaesarError(
            f"{text!r} is not a {kind} id.", "Ids hold letters, digits, '.', '_' and '-'."
        )
    return text


def resolve_prefix(prefix: str, ids: Iterable[str], kind: str = "task") -> str:
    """Return the one id that is `prefix` or starts with it (`t_` may be left out).

    Raises:
        NotFoundError: nothing fits.
        AmbiguousIdError: several fit; the message lists them.

    """
    check_id(prefix, kind)
    known = sorted(set(ids))
    if prefix in known:
        return prefix
    found = [i for i in known if i.startswith((prefix, f"t_{prefix}"))]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"No {kind} {prefix}.", "`caesar ps --all` lists every task.")
    shown = ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
    raise AmbiguousIdError(f"{prefix} fits {len(found)} {kind}s: {shown}.", "Give more characters.")


def shortest_prefixes(ids: Iterable[str], least: int = 6) -> dict[str, str]:
    """Map each id to its shortest unique prefix of at least `least` characters."""
    ordered = sorted(set(ids))
    shortened: dict[str, str] = {}
    for position, current in enumerate(ordered):
        neighbours = ordered[max(0, position - 1) : position] + ordered[position + 1 : position + 2]
        length = max([least, *(_common(current, other) + 1 for other in neighbours)])
        shortened[current] = current[:length]
    return shortened


def _common(left: str, right: str) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))
