"""One line of `events.jsonl`: what is read, what is tolerated, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caesar_core.protocol.event import Error, Message, ToolUse, Unknown
from caesar_core.protocol.versions import EVENT_V1
from caesar_core.protocol.wire import (
    BadEventError,
    UnknownVersionError,
    decode_event,
    encode_event,
)

ENVELOPE: dict[str, Any] = {"protocol": EVENT_V1, "seq": 7, "at": "then", "task_id": "t_1"}


def line(**keys: Any) -> bytes:
    return json.dumps({**ENVELOPE, **keys}).encode()


def test_case_17_an_event_without_id_has_an_empty_one() -> None:
    assert decode_event(line(type="tool_use", tool="shell", status="started")).body == ToolUse(
        tool="shell", id="", status="started"
    )


def test_an_unknown_type_is_kept_with_its_keys_and_written_again() -> None:
    event = decode_event(line(type="weather", rain=True, seen=None))
    assert event.type == "weather"
    assert event.body == Unknown(type="weather", data={"rain": True, "seen": None})
    assert decode_event(encode_event(event)) == event


def test_extra_keys_of_a_known_type_are_dropped() -> None:
    assert decode_event(line(type="message", text="hi", mood="good")).body == Message(text="hi")


def test_a_reason_that_is_too_new_reads_as_other() -> None:
    assert decode_event(line(type="error", message="x", reason="solar_flare")).body == Error(
        message="x", reason="other"
    )


def test_another_version_is_refused_by_name() -> None:
    with pytest.raises(UnknownVersionError, match=r"caesar\.event/v2"):
        decode_event(line(protocol="caesar.event/v2", type="message", text="x"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"prose", "not JSON"),
        (line(type="message", text="x")[:-1], "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"\xff\xfe\xfd", "not JSON"),
        (b"[]", "not a JSON object"),
        (line(type="message"), "message: text is missing"),
        (line(type="message", text=None), "message: text is missing"),
        (line(type="message", text=1), "message: text is not str"),
        (line(type="message", text="x", seq="7"), "seq is missing or not an integer"),
        (line(type="message", text="x", seq=True), "seq is missing or not an integer"),
        (line(type=None), "type is missing or not text"),
        (line(type="error", message="x", reason=5), "error: reason is not str"),
        (line(type="question", id="q", question="?", options="a"), "options is not a list"),
        (line(type="progress", pct=True), "pct is not a number"),
        (line(type="progress", pct=0).replace(b"0}", b"NaN}"), "NaN is not a JSON number"),
        (line(type="progress", pct=0).replace(b"0}", b"1e999}"), "too large a number"),
        (line(type="progress", pct=10**400), "too large a number"),
        (line(type="finished", status="great"), "finished: status is none of success"),
    ],
)
def test_a_bad_line_says_what_is_wrong(data: bytes, reason: str) -> None:
    with pytest.raises(BadEventError, match=reason):
        decode_event(data)


def test_whatever_can_be_read_can_be_written_and_read_again() -> None:
    """An infinity that slipped in once could never be read back."""
    with pytest.raises(BadEventError):
        decode_event(line(type="weather", wind=0).replace(b"0}", b"1e999}"))


def test_an_absent_optional_key_stays_absent_in_the_line() -> None:
    event = decode_event(line(type="error", message="x", reason=None))
    assert b"reason" not in encode_event(event)
    assert b"retry_at" not in encode_event(event)
