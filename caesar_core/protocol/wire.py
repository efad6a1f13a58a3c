"""Events to lines and back (specification, "events.jsonl - the stream").

Explicit nulls read as absent, an unknown type is kept as :class:`Unknown`, an unknown version is
refused by name. `json` with a table instead of pydantic: see ADR 0011.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final, TypeAlias, cast, get_args

from caesar_core.protocol.event import (
    BODIES,
    Event,
    EventBody,
    FileAction,
    Reason,
    ReportStatus,
    ToolStatus,
    Unknown,
)
from caesar_core.protocol.strictjson import finite, refuse_constant
from caesar_core.protocol.versions import EVENT_V1, UnknownVersionError, check_version

_ENVELOPE: Final = frozenset(("protocol", "seq", "at", "task_id", "type"))
_Coerce: TypeAlias = Callable[[Any], Any]


class BadEventError(ValueError):
    """A line that is not an event; the text says why."""


def decode_event(line: bytes | str) -> Event:
    """Return the event that one line holds.

    Raises:
        BadEventError: not JSON, not an object, an envelope key missing, or a wrong value.
        UnknownVersionError: the line declares another version of the standard.

    """
    try:
        document = json.loads(line, parse_constant=refuse_constant, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise BadEventError(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadEventError("not a JSON object")
    check_version(document.get("protocol"), EVENT_V1)
    return Event(
        seq=_integer(document, "seq"),
        at=_text(document, "at"),
        task_id=_text(document, "task_id"),
        body=decode_body(_text(document, "type"), document),
    )


def decode_body(kind: str, data: Mapping[str, Any]) -> EventBody:
    """Return the body of type `kind` from its keys; extra keys are dropped.

    Raises:
        BadEventError: a required key is missing or a value has the wrong type.

    """
    specs = _SPECS.get(kind)
    if specs is None:
        return Unknown(type=kind, data={k: v for k, v in data.items() if k not in _ENVELOPE})
    body, columns = specs
    values: dict[str, Any] = {}
    for name, coerce, required in columns:
        value = data.get(name)
        if value is not None:
            values[name] = _coerced(kind, name, coerce, value)
        elif required:
            raise BadEventError(f"{kind}: {name} is missing")
    return cast("EventBody", body(**values))


def encode_event(event: Event) -> bytes:
    """Return the event as one line, newline included; defaults of optional keys are left out."""
    document: dict[str, Any] = {
        "protocol": EVENT_V1,
        "seq": event.seq,
        "at": event.at,
        "task_id": event.task_id,
        "type": event.type,
        **body_keys(event.body),
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def body_keys(body: EventBody) -> dict[str, Any]:
    """Return what the body adds to the envelope, ready for JSON."""
    if isinstance(body, Unknown):
        return dict(body.data)
    found = {f.name: getattr(body, f.name) for f in fields(body)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value is not None
    }


def _integer(document: Mapping[str, Any], name: str) -> int:
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadEventError(f"{name} is missing or not an integer")
    return value


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if not isinstance(value, str):
        raise BadEventError(f"{name} is missing or not text")
    return value


def _coerced(kind: str, name: str, coerce: _Coerce, value: object) -> object:
    try:
        return coerce(value)
    except (TypeError, ValueError) as error:
        raise BadEventError(f"{kind}: {name} {error}") from None


def _is(*types: type) -> _Coerce:
    wanted = " or ".join(t.__name__ for t in types)

    def coerce(value: Any) -> Any:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise TypeError(f"is not {wanted}")
        return value

    return coerce


def _one_of(*choices: str) -> _Coerce:
    def coerce(value: Any) -> Any:
        if value not in choices:
            raise ValueError(f"is none of {', '.join(choices)}")
        return value

    return coerce


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError("is not a list of texts")
    return tuple(value)


def _number(value: Any) -> int | float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError("is not a number")
    try:
        float(value)
    except OverflowError:
        raise ValueError("is too large a number") from None
    return value


def _reason(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("is not str")
    return value if value in get_args(Reason) else "other"


_COERCE: Final[dict[str, _Coerce]] = {
    "str": _is(str),
    "str | None": _is(str),
    "bool": _is(bool),
    "int | None": _is(int),
    "float | None": _number,
    "tuple[str, ...]": _texts,
    "ToolStatus": _one_of(*get_args(ToolStatus)),
    "FileAction": _one_of(*get_args(FileAction)),
    "ReportStatus": _one_of(*get_args(ReportStatus)),
    "Reason | None": _reason,
}
REQUIRED: Final = frozenset(
    (
        ("thinking", "text"),
        ("message", "text"),
        ("tool_use", "status"),
        ("file_changed", "path"),
        ("question", "id"),
        ("question", "question"),
        ("answer", "id"),
        ("error", "message"),
        ("finished", "status"),
    )
)


def _column(kind: str, spec: Field[Any]) -> tuple[str, _Coerce, bool]:
    assert spec.default is not MISSING or spec.default_factory is not MISSING
    return spec.name, _COERCE[cast("str", spec.type)], (kind, spec.name) in REQUIRED


_SPECS: Final = {
    body.kind: (body, tuple(_column(body.kind, spec) for spec in fields(body))) for body in BODIES
}
__all__ = [
    "BadEventError",
    "UnknownVersionError",
    "body_keys",
    "decode_body",
    "decode_event",
    "encode_event",
]
