from __future__ import annotations

import json

import pytest

from caesar_core.board.checkpoint import Checkpoint
from caesar_core.board.reduce import MAX_RUNNING, MAX_SPEECH, fold_all, fold_lines
from caesar_core.board.views import StreamView
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event
from caesar_core.protocol.wire import encode_event
from tests.unit.board.build import at, event, say, tool


def folded(*events: Event) -> StreamView:
    return fold_all(StreamView(), events)


def test_an_end_closes_the_call_of_its_id() -> None:
    view = folded(tool("shell", call="a"), tool("shell", call="b"), tool("", "succeeded", call="a"))
    assert [call.id for call in view.running] == ["b"]
    assert view.last_tool is not None
    assert (view.last_tool.tool, view.last_tool.status) == ("shell", "succeeded")


def test_an_end_without_id_closes_the_same_tool_with_the_same_summary_first() -> None:
    view = folded(
        tool("shell", summary="ls"),
        tool("shell", summary="pytest"),
        tool("shell", "failed", summary="pytest"),
    )
    assert [call.summary for call in view.running] == ["ls"]


def test_an_end_without_id_and_summary_closes_the_oldest_call_of_the_tool() -> None:
    view = folded(
        tool("read", summary="x"),
        tool("shell", summary="ls"),
        tool("shell", summary="cat"),
        tool("shell", "succeeded"),
    )
    assert [call.summary for call in view.running] == ["x", "cat"]


def test_an_end_of_an_unknown_id_leaves_calls_of_other_ids_running() -> None:
    view = folded(tool("shell", call="a"), tool("shell", "succeeded", call="zz"))
    assert [call.id for call in view.running] == ["a"]


def test_an_end_that_names_nothing_closes_the_oldest_call() -> None:
    view = folded(tool("read"), tool("shell"), tool("", "succeeded"))
    assert [call.tool for call in view.running] == ["shell"]


def test_a_second_start_of_an_id_is_an_update_and_keeps_its_age() -> None:
    view = folded(
        tool("shell", call="a", seconds=1), tool("shell", call="a", summary="x", seconds=9)
    )
    assert [(call.summary, call.started_at) for call in view.running] == [("x", at(1))]


def test_running_calls_are_bounded_and_the_newest_are_kept() -> None:
    view = folded(*(tool("shell", call=str(i)) for i in range(MAX_RUNNING + 3)))
    assert [call.id for call in view.running] == [str(i) for i in range(3, MAX_RUNNING + 3)]


def test_177_fragments_are_glued_and_any_other_event_closes_the_paragraph() -> None:
    assert folded(say("The gu"), say("ard belongs")).speech == "The guard belongs"
    assert folded(say("one"), tool("shell"), say("two")).speech == "two"


def test_speech_keeps_its_end_and_knows_that_it_was_cut() -> None:
    view = folded(say("x" * MAX_SPEECH), say("the end"))
    assert view.speech.endswith("xthe end")
    assert (len(view.speech), view.speech_cut) == (MAX_SPEECH, True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (json.dumps({"status": "success", "summary": "All green."}), "All green."),
        ("{not json", "{not json"),
        ('{"no": "summary"}', '{"no": "summary"}'),
    ],
)
def test_178_a_message_that_is_a_report_shows_its_summary(text: str, shown: str) -> None:
    assert folded(say(text)).speech == shown


def test_trouble_is_superseded_by_work_unless_it_was_fatal() -> None:
    passing = event(ev.Error(message="retrying", reason="rate_limit"))
    fatal = event(ev.Error(message="no credit", fatal=True, reason="quota"))
    assert folded(passing).trouble is not None
    assert folded(passing, say("going on")).trouble is None
    assert folded(fatal, say("bye")).trouble is not None


def test_the_end_of_the_run_ends_its_calls() -> None:
    view = folded(tool("shell"), event(ev.Finished(status="partial", summary="half")))
    assert view.running == ()
    assert view.ending is not None
    assert view.ending.summary == "half"


def test_touched_files_are_unique_and_bounded() -> None:
    many = [event(ev.FileChanged(path=f"f{i % 700}")) for i in range(1_400)]
    view = folded(*many)
    assert (len(view.files), view.files[0]) == (500, "f0")


def test_lines_that_are_no_events_are_counted_and_lose_nothing_else() -> None:
    other = encode_event(say("x")).replace(b"event/v1", b"event/v9")
    unknown = encode_event(event(ev.Unknown(type="telemetry", data={"n": 1})))
    view, events = fold_lines(StreamView(), [encode_event(say("x")), b"{half", b"", other, unknown])
    assert (view.events, view.bad_lines, view.unknown, len(events)) == (2, 2, 1, 2)


def test_a_checkpoint_comes_back_as_it_was() -> None:
    view = folded(
        tool("shell", call="a"),
        say("hi \ud800"),
        event(ev.FileChanged(path="a")),
        event(ev.Error(message="e", reason="auth")),
        event(ev.Finished(status="failed")),
    )
    text = json.dumps(Checkpoint(view, 812).to_json())
    assert Checkpoint.from_json(json.loads(text)) == Checkpoint(view, 812)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"version": 99, "offset": 0, "stream": {}},
        {"version": 1, "offset": 1, "stream": {}},
    ],
)
def test_a_foreign_checkpoint_is_no_checkpoint(document: object) -> None:
    assert Checkpoint.from_json(document) is None
