"""Any batching of a stream gives the same view."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.reduce import MAX_RUNNING, MAX_SPEECH, fold, fold_all, fold_lines
from caesar_core.board.views import StreamView
from caesar_core.board.window import EventWindow
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event, EventBody
from caesar_core.protocol.wire import encode_event
from tests.unit.board.build import at

NAMES = st.sampled_from(["", "a", "b", "shell"])
TEXTS = st.text(max_size=40) | st.just('{"summary": "s"}') | st.just("y" * 300)
BODIES: st.SearchStrategy[EventBody] = st.one_of(
    st.builds(ev.Started, agent=NAMES),
    st.builds(ev.Thinking, text=TEXTS),
    st.builds(ev.Message, text=TEXTS),
    st.builds(ev.ToolUse, tool=NAMES, id=NAMES, input_summary=NAMES),
    st.builds(ev.ToolUse, tool=NAMES, id=NAMES, input_summary=NAMES, status=st.just("succeeded")),
    st.builds(ev.FileChanged, path=NAMES),
    st.builds(ev.Progress, message=TEXTS, pct=st.none() | st.floats(0, 100)),
    st.builds(ev.Error, message=TEXTS, fatal=st.booleans()),
    st.builds(ev.Finished),
    st.builds(ev.Unknown, type=st.just("odd")),
)
EVENTS = st.lists(BODIES, max_size=40).map(
    lambda bodies: [
        Event(seq=i, at=at(i), task_id="t_1", body=body) for i, body in enumerate(bodies)
    ]
)


def cut(items: list[Event], places: list[int]) -> list[list[Event]]:
    edges = [0, *sorted(min(place, len(items)) for place in places), len(items)]
    return [items[a:b] for a, b in pairwise(edges)]


@given(EVENTS, st.lists(st.integers(0, 40), max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_batching_gives_the_same_view(events: list[Event], places: list[int]) -> None:
    whole = fold_all(StreamView(), events)
    batched = StreamView()
    for batch in cut(events, places):
        batched = fold_all(batched, batch)
    single = StreamView()
    for item in events:
        single = fold(single, item)
    assert whole == batched == single


@given(EVENTS, st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_a_checkpoint_in_the_middle_changes_nothing(events: list[Event], place: int) -> None:
    half = fold_all(StreamView(), events[:place])
    kept = Checkpoint.from_json(json.loads(json.dumps(Checkpoint(half, 0).to_json())))
    assert kept is not None
    assert fold_all(kept.stream, events[place:]) == fold_all(StreamView(), events)


@given(EVENTS)
@settings(max_examples=100, deadline=None)
def test_a_view_stays_bounded(events: list[Event]) -> None:
    view = fold_all(StreamView(), events * 3)
    assert len(view.running) <= MAX_RUNNING
    assert len(view.speech) <= MAX_SPEECH
    assert view.events == 3 * len(events)


@given(EVENTS, st.binary(max_size=60), st.integers(1, 4_000))
@settings(max_examples=100, deadline=None)
def test_a_window_holds_the_well_formed_lines_of_its_bytes(
    events: list[Event], noise: bytes, page: int
) -> None:
    data = b"".join(map(encode_event, events)) + noise.replace(b"\n", b" ") + b"\n"
    data += b"".join(map(encode_event, events))
    window = EventWindow(len(data))
    while not window.is_complete:
        start, end = window.page_before()
        window.prepend(data[max(start, end - page) : end])
        page *= 2
    assert window.events == fold_lines(StreamView(), data.split(b"\n"))[1]
