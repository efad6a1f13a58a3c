"""JSON from strangers, read without surprises (specification, "Reports").

`json.loads` lets NaN, duplicate keys and lone surrogates through and lets a document of a hundred
thousand brackets exhaust the stack. Here each of them is refused with a reason.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

MAX_DEPTH: Final = 200
_STRING_OR_BRACKET: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class BadJsonError(ValueError):
    """A document that is not acceptable JSON; the text says why."""


def strict_json(data: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Return the value that `data` holds; a byte order mark is tolerated.

    Raises:
        BadJsonError: not UTF-8, not JSON, NaN or an infinity, a key given twice, a lone
            surrogate, or nesting deeper than `max_depth`.

    """
    _check_depth(data, max_depth)
    try:
        value = json.loads(
            data.decode("utf-8-sig"),
            parse_constant=refuse_constant,
            parse_float=finite,
            object_pairs_hook=_unique,
        )
    except BadJsonError:
        raise
    except UnicodeDecodeError as error:
        raise BadJsonError(f"not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise BadJsonError(f"not JSON: {error}") from None
    if _SURROGATE.search(data):
        _check_surrogates(value)
    return value


def _check_depth(data: bytes, limit: int) -> None:
    if data.count(b"[") + data.count(b"{") <= limit:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(data):
        token = match[0]
        if token in b"[{":
            depth += 1
            if depth > limit:
                raise BadJsonError(f"nested deeper than {limit} levels")
        elif token in b"]}":
            depth -= 1


def _check_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadJsonError("a lone surrogate is not text") from None


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, for `json.loads`. Raises BadJsonError."""
    raise BadJsonError(f"{name} is not a JSON number")


def finite(digits: str) -> float:
    """Read a number, for `json.loads`. Raises BadJsonError when it is too large for one."""
    value = float(digits)
    if math.isinf(value):
        raise BadJsonError(f"{digits[:40]} is too large a number")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadJsonError(f"the key {key[:80]!r} is given twice")
            seen.add(key)
    return found
