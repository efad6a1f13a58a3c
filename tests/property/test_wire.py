"""The decoder of events and the published schema accept the same lines (ADR 0013)."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from caesar_core.protocol import event as ev
from caesar_core.protocol.document import without_nulls
from caesar_core.protocol.event import EVENT_TYPES, Event, EventBody, Unknown
from caesar_core.protocol.schema import event_adapter
from caesar_core.protocol.versions import EVENT_V1
from caesar_core.protocol.wire import (
    BadEventError,
    UnknownVersionError,
    decode_event,
    encode_event,
)

Document = dict[str, Any]

TEXT = st.text(max_size=12)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
STATUS = st.sampled_from(get_args(ev.ReportStatus))
BODIES: st.SearchStrategy[EventBody] = st.one_of(
    st.builds(ev.Started, agent=TEXT, command=TEXT),
    st.builds(ev.Thinking, text=TEXT),
    st.builds(ev.Message, text=TEXT),
    st.builds(
        ev.ToolUse,
        tool=TEXT,
        id=TEXT,
        input_summary=TEXT,
        status=st.sampled_from(get_args(ev.ToolStatus)),
    ),
    st.builds(ev.FileChanged, path=TEXT, action=st.sampled_from(get_args(ev.FileAction))),
    st.builds(ev.Progress, message=TEXT, pct=st.none() | st.floats(0, 100) | st.integers(0, 100)),
    st.builds(ev.Question, id=TEXT, question=TEXT, options=st.lists(TEXT, max_size=3).map(tuple)),
    st.builds(ev.Answer, id=TEXT, answer=TEXT),
    st.builds(
        ev.Error,
        message=TEXT,
        fatal=st.booleans(),
        reason=st.none() | st.sampled_from(get_args(ev.Reason)),
        retry_at=st.none() | TEXT,
    ),
    st.builds(ev.Finished, status=STATUS, summary=TEXT, exit_code=st.none() | st.integers()),
)
FOREIGN = st.builds(
    Unknown,
    type=TEXT.filter(lambda kind: kind not in EVENT_TYPES),
    data=st.dictionaries(TEXT.map(lambda name: f"x{name}"), JSON, max_size=3),
)


def events(bodies: st.SearchStrategy[EventBody]) -> st.SearchStrategy[Event]:
    return st.builds(Event, seq=st.integers(), at=TEXT, task_id=TEXT, body=bodies)


def parsed(event: Event) -> Document:
    document: Document = json.loads(encode_event(event))
    return document


SAMPLES: tuple[EventBody, ...] = (
    *(ev.Started(), ev.Thinking(), ev.Message(), ev.ToolUse(), ev.FileChanged()),
    *(ev.Progress(), ev.Question(), ev.Answer(), ev.Error(), ev.Finished()),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**80, 10**400, 1.5, 2.0, "", "x", "success", "quota"),
    *([], ["a"], [1], [None], {}, {"a": 1}),
)
KEYS = sorted(
    {"protocol", "seq", "at", "task_id", "type", "extra"}
    | {spec.name for body in ev.BODIES for spec in fields(body)}
)
VALUES = st.one_of(
    JSON,
    st.sampled_from([*EVENT_TYPES, EVENT_V1, "caesar.event/v2", "succeeded", "success", "quota"]),
)


@st.composite
def mutated(draw: st.DrawFn) -> Document:
    """Return a valid event with up to three keys set to something else, or taken away."""
    event = draw(events(BODIES))
    document = parsed(event)
    own = sorted({*document, *(spec.name for spec in fields(event.body))})
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(own) | st.sampled_from(own) | st.sampled_from(KEYS))
        if draw(st.booleans()):
            document.pop(name, None)
        else:
            document[name] = draw(VALUES)
    return document


@cache
def adapter() -> TypeAdapter[Any]:
    return event_adapter()


def by_schema(document: Document) -> Document | None:
    """Return what the generated models read, `None` where they refuse.

    Two differences are meant, because an old reader has to live with newer writers: a reason that
    is not in the vocabulary reads as "other", and a type that is not one of the ten is kept.
    """
    document = without_nulls(document)
    kind = document.get("type")
    if isinstance(kind, str) and kind not in EVENT_TYPES:
        envelope = {**document, "type": "message", "text": ""}
        return None if by_schema(envelope) is None else {**document, "type": kind}
    if kind == "error" and isinstance(document.get("reason"), str):
        known = document["reason"] in get_args(ev.Reason)
        document = {**document, "reason": document["reason"] if known else "other"}
    try:
        model = adapter().validate_json(json.dumps(document))
    except ValidationError:
        return None
    found: Document = model.model_dump()
    return found


def by_wire(document: Document) -> Event | None:
    try:
        return decode_event(json.dumps(document).encode())
    except (BadEventError, UnknownVersionError):
        return None


def assert_same(document: Document) -> None:
    expected, found = by_schema(document), by_wire(document)
    if expected is None or found is None:
        assert expected is None, document
        assert found is None, document
        return
    assert (found.seq, found.at, found.task_id, found.type) == tuple(
        expected[name] for name in ("seq", "at", "task_id", "type")
    )
    if not isinstance(found.body, Unknown):
        for spec in fields(found.body):
            assert getattr(found.body, spec.name) == expected[spec.name]


@given(mutated())
@settings(max_examples=600, deadline=None)
def test_decoder_and_schema_accept_the_same_and_read_the_same(document: Document) -> None:
    assert_same(document)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda body: body.kind)
def test_every_column_refuses_the_same_values(sample: EventBody) -> None:
    valid = parsed(Event(seq=1, at="", task_id="t_1", body=sample))
    assert by_wire(valid) is not None
    for name in {*valid, *(spec.name for spec in fields(sample))}:
        for value in ODD:
            assert_same({**valid, name: value})
        assert_same({key: kept for key, kept in valid.items() if key != name})


@given(events(BODIES | FOREIGN))
@settings(max_examples=300, deadline=None)
def test_an_event_survives_its_line(event: Event) -> None:
    line = encode_event(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_event(line) == event


@given(events(BODIES), st.sampled_from(KEYS))
@settings(max_examples=200, deadline=None)
def test_case_5_an_explicit_null_reads_as_absent(event: Event, name: str) -> None:
    document = parsed(event)
    without = {key: value for key, value in document.items() if key != name}
    assert by_wire({**document, name: None}) == by_wire(without)


@given(st.binary(max_size=80) | mutated().map(lambda document: json.dumps(document).encode()[:-2]))
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise_anything_but_a_refusal(line: bytes) -> None:
    with suppress(BadEventError, UnknownVersionError):
        decode_event(line)


@given(st.text(st.characters(exclude_categories=()), max_size=20))
@settings(max_examples=100, deadline=None)
def test_any_text_becomes_one_readable_line(text: str) -> None:
    event = Event(seq=1, at="", task_id="t_1", body=ev.Message(text=text))
    assert decode_event(encode_event(event)).type == "message"
