"""A stream as a timeline."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from caesar_core.board.timeline import Track
from caesar_core.clock import iso
from caesar_core.protocol.event import (
    Answer,
    Event,
    EventBody,
    Finished,
    Message,
    Question,
    ToolUse,
)

BEGIN = datetime(2026, 11, 30, 21, 0, tzinfo=UTC)


def track_of(*bodies: tuple[float, EventBody], closings: dict[str, float] | None = None) -> Track:
    track = Track()
    track.closings.update({k: BEGIN.timestamp() + v for k, v in (closings or {}).items()})
    track.feed(
        Event(seq=seq, at=iso(BEGIN + timedelta(seconds=at)), task_id="t_1", body=body)
        for seq, (at, body) in enumerate(bodies)
    )
    return track


def spans(track: Track, kind: str) -> list[tuple[float, float | None]]:
    begin = BEGIN.timestamp()
    return [
        (item.start - begin, None if item.end is None else item.end - begin)
        for item in track.items
        if item.kind == kind
    ]


ASKED = (10.0, Question(id="q1", question="Which way?"))


def test_a_question_lasts_until_its_answer() -> None:
    track = track_of(ASKED, (30, Answer(id="q1", answer="left")), closings={"q1": 60})
    assert spans(track, "question") == [(10, 30)]


def test_a_question_that_nobody_answered_ends_when_its_agent_goes_on_alone() -> None:
    track = track_of(ASKED, (70, Message(text="I went on")), (90, Finished()), closings={"q1": 60})
    assert spans(track, "question") == [(10, 60)]
    moment = track.at_moment(BEGIN.timestamp() + 80)
    assert (moment.question, moment.said) == ("", "I went on")
    assert track.at_moment(BEGIN.timestamp() + 20).question == "Which way?"


def test_a_question_without_an_end_is_open_to_the_last() -> None:
    assert spans(track_of(ASKED, (70, Message(text="x"))), "question") == [(10, None)]
    assert spans(track_of(ASKED, (70, Finished())), "question") == [(10, 70)]


def test_a_call_lasts_from_its_start_to_its_end() -> None:
    begun = ToolUse(tool="shell", id="c", input_summary="make", status="started")
    ended = ToolUse(tool="shell", id="c", status="failed")
    track = track_of((1, begun), (2, begun), (3, ended))
    assert spans(track, "tool")[-1] == (2, 3)
