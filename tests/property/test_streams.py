"""Adapters against streams that were cut, reordered, mistyped and blown up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caesar_core.agents.reading import read_object
from caesar_core.agents.stream import JsonTranslator
from caesar_core.protocol.event import Event, EventBody
from caesar_core.protocol.wire import decode_event, encode_event
from tests.unit.agents.recordings import new_translator, recordings

AGENTS = sorted({recording.agent_id for recording in recordings()})
LINES = {
    agent: sorted({line for one in recordings(agent) for line in one.lines if line})
    for agent in AGENTS
}
KINDS = {"type", "subtype", "event", "status", "role", "state", "step_type", "kind"}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.just("\ud800"),
    st.just([]),
    st.just({}),
    st.just([None, 1, {"type": []}]),
    st.just({"type": {"type": None}}),
)


def check(bodies: list[EventBody]) -> None:
    """Every event can be written and read again."""
    for body in bodies:
        line = encode_event(Event(seq=1, at="2026-01-01T00:00:00.000Z", task_id="t_1", body=body))
        decode_event(line)


def mistype(value: Any, draw: st.DataObject) -> Any:
    """Return `value` with one of its parts replaced, dropped or doubled."""
    if isinstance(value, dict) and value and draw.draw(st.integers(0, 3)):
        key = draw.draw(st.sampled_from(sorted(value)))
        if draw.draw(st.integers(0, 5)) == 0:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: mistype(value[key], draw)}
    if isinstance(value, list) and value and draw.draw(st.integers(0, 3)):
        at = draw.draw(st.integers(0, len(value) - 1))
        return [*value[:at], mistype(value[at], draw), *value[at:]]
    return draw.draw(JUNK)


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_mistyped_lines_never_defeat_an_adapter(agent: str, data: st.DataObject) -> None:
    """Case 26; `translate` is asked itself, so that nothing catches what it raises."""
    translator: object = new_translator(agent)
    assert isinstance(translator, JsonTranslator)
    for line in data.draw(st.lists(st.sampled_from(LINES[agent]), min_size=1, max_size=8)):
        record = mistype(json.loads(line), data)
        if isinstance(record, dict):
            clean = read_object(json.dumps(record))
            assert clean is not None
            check(list(translator.translate(clean) or ()))
    code = data.draw(st.sampled_from([0, 1, None]))
    check([*translator.end_open_tools(), *translator.conclude(code, data.draw(st.text()))])
    check_end(translator)


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_cut_lines_are_counted_and_nothing_else(agent: str, data: st.DataObject) -> None:
    translator = new_translator(agent)
    line = data.draw(st.sampled_from(LINES[agent]))
    cut = line[: data.draw(st.integers(1, len(line) - 1))]

    assert list(translator.feed(cut)) == []
    assert translator.unknown_lines == 1


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "plain text",
        "null",
        "[]",
        "NaN",
        '{"type":NaN}',
        "{" * 100_000,
        '{"type":' * 5_000 + "1" + "}" * 5_000,
        '{"type":"' + "x" * 10_000_000 + '"}',
        '{"type":"\\ud800","event":"\\udfff"}',
        '{"type":' + "9" * 5_000 + "}",
    ],
    ids=range(12),
)
def test_line_of_any_kind_is_taken(agent: str, line: str) -> None:
    """Case 26: empty, foreign, not JSON, too deep, 10 MB long."""
    translator = new_translator(agent)

    assert list(translator.feed(line)) == []
    assert translator.unknown_lines == (1 if line.strip() else 0)


@pytest.mark.parametrize("agent", AGENTS)
def test_huge_strings_become_bounded_events(agent: str) -> None:
    """Long strings in a line do not make an event as long."""
    translator = new_translator(agent)
    for line in {_shape(json.loads(line)): line for line in LINES[agent]}.values():
        bodies = list(translator.feed(json.dumps(_blow_up(json.loads(line)))))
        check(bodies)
        assert all(len(repr(body)) < 40_000 for body in bodies)


def _shape(value: Any) -> str:
    """Return what of a line decides how it is read: its keys and the words of its kinds."""
    if isinstance(value, dict):
        parts = (f"{k}={v if k in KINDS else _shape(v)}" for k, v in sorted(value.items()))
        return f"{{{','.join(parts)}}}"
    return f"[{_shape(value[0])}]" if isinstance(value, list) and value else ""


def _blow_up(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: v if k in KINDS else _blow_up(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_blow_up(item) for item in value[:2]]
    return "y" * 50_000 if isinstance(value, str) else value


def check_end(translator: JsonTranslator) -> None:
    """What a translator knows at the end has the types it promises."""
    assert translator.final_text is None or isinstance(translator.final_text, str)
    assert translator.session_id is None or isinstance(translator.session_id, str)
    assert translator.unknown_lines >= 0
