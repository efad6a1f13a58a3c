"""Filling an object up until a strict schema, which requires every key, takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = {
    "array": [],
    "boolean": False,
    "integer": 0,
    "null": None,
    "number": 0,
    "string": "",
}


def complete(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return `value` with everything that the schema requires and `value` does not have."""
    return _complete(value, schema, schema.get("$defs") or {})


def _complete(value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    reference = str(schema.get("$ref") or "").rpartition("/")[2]
    if reference:
        return _complete(value, defs[reference], defs)
    if "anyOf" in schema:
        return value  # one of the choices is null
    if schema.get("type") == "array":
        return [_complete(item, schema.get("items") or {}, defs) for item in value or ()]
    if schema.get("type") == "object":
        properties: Mapping[str, Any] = schema.get("properties") or {}
        given: Mapping[str, Any] = value or {}
        required = (name for name in schema.get("required") or () if name not in given)
        whole = {**given, **dict.fromkeys(required)}
        return {
            name: _complete(part, properties.get(name, {}), defs) for name, part in whole.items()
        }
    if value is not None:
        return value
    return schema["enum"][0] if "enum" in schema else _EMPTY.get(str(schema.get("type")))
