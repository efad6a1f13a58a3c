from __future__ import annotations

from dataclasses import replace

import pytest

from caesar_core.board.activity import activity, quick_stream
from caesar_core.board.reduce import fold_all
from caesar_core.board.standing import Group, standing
from caesar_core.board.views import CheckView, QuestionView, StreamView, TaskView
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event
from caesar_core.protocol.wire import encode_event
from tests.unit.board.build import at, ended, event, now, running, say, tool

PASSED, FAILED = CheckView(command="a", passed=True), CheckView(command="b", passed=False)
ASKED = QuestionView(task_id="t_1", id="q_1", question="Keep it?", asked_at=at(5))


def stream(*events: Event) -> StreamView:
    return fold_all(StreamView(), events)


def headline(*events: Event) -> str:
    return activity(running(stream(*events)), now(20)).headline


def test_the_headline_prefers_what_says_most() -> None:
    progress, last = event(ev.Progress(message="3 of 4")), tool("shell", "succeeded", summary="ls")
    speech, error = say("I think so"), event(ev.Error(message="net down"))
    assert headline() == ""
    assert headline(progress) == "3 of 4"
    assert headline(progress, last) == "shell ls"
    assert headline(speech, last, progress) == "I think so"
    assert headline(speech, error) == "net down"
    assert headline(tool("read", summary="a"), error) == "read a"
    finished = event(ev.Finished(status="success", summary="done it"))
    assert headline(tool("read"), finished) == "done it"


def test_a_running_tool_has_an_age_and_the_number_of_others() -> None:
    view = running(stream(tool("read", summary="a"), tool("shell", summary="pnpm test", seconds=7)))
    found = activity(view, now(20))
    assert found.text == "shell pnpm test 13s (+1)"
    assert found.since == at(7)
    assert found.tools_running == ("read a", "shell pnpm test")


def test_s2_a_question_replaces_the_headline_and_needs_a_person() -> None:
    view = replace(running(stream(tool("shell"))), questions=(ASKED,))
    assert activity(view, now(90)).headline == "Keep it?"
    assert not activity(view, now(90)).stalled
    assert standing(view, now(90)).state == "asking"


@pytest.mark.parametrize("agent", ["codex", "claude", "opencode", "copilot", "antigravity"])
@pytest.mark.parametrize(
    ("quiet", "state"), [(1, "working"), (29, "working"), (30, "silent"), (300, "silent")]
)
def test_s1_the_state_is_right_after_each_pause(agent: str, quiet: int, state: str) -> None:
    view = running(stream(say("hm")), agent=agent)
    assert standing(view, now(quiet)).state == state


def test_s3_a_usage_limit_reads_as_quota_with_its_end() -> None:
    limit = event(ev.Error(message="limit", reason="quota", retry_at=at(3600)))
    found = standing(running(stream(limit)), now(600))
    assert (found.state, found.group) == ("quota", Group.NEEDS_YOU)
    assert found.word.startswith("over its quota until ")


def test_s4_silence_is_shown_with_its_evidence_and_a_busy_process_is_not_stalled() -> None:
    view = running(stream(tool("shell", summary="make")))
    assert activity(view, now(48)).text == "shell make 48s · no event for 48s"
    busy = replace(view, facts=replace(view.facts, busy=True))
    assert standing(busy, now(48)).state == "busy"
    assert not activity(busy, now(48)).stalled


def test_179_a_task_without_events_is_not_silent_since_1970() -> None:
    assert activity(running(started_at=None), now(5)).silent_ms is None
    assert activity(running(), now(5)).silent_ms == 5_000
    assert standing(running(), now(5)).word == "starting"


@pytest.mark.parametrize(
    ("view", "state", "group"),
    [
        (running(phase="slot"), "slot", Group.RUNNING),
        (running(phase="worktree"), "preparing", Group.RUNNING),
        (ended(report_status="success"), "done", Group.FINISHED),
        (ended(report_status="partial"), "partial", Group.FINISHED),
        (ended(report_status="failed"), "failed", Group.FINISHED),
        (ended("timed_out"), "timed_out", Group.FINISHED),
        (ended("cancelled"), "cancelled", Group.FINISHED),
        (ended(report_status="blocked"), "blocked", Group.NEEDS_YOU),
        (ended("failed", reason="auth"), "auth", Group.NEEDS_YOU),
        (ended(checks=(PASSED, FAILED)), "checks", Group.NEEDS_YOU),
        (ended(checks=(PASSED, FAILED), race_id="r_1"), "failed", Group.FINISHED),
        (ended(conflicts=("a.py",)), "conflicts", Group.NEEDS_YOU),
        (ended(conflicts=("a.py",), applied_at=at(70)), "done", Group.FINISHED),
    ],
)
def test_every_task_stands_in_one_group(view: TaskView, state: str, group: Group) -> None:
    found = standing(view, now(100))
    assert (found.state, found.group) == (state, group)


def test_an_old_concern_stops_asking_for_a_person() -> None:
    assert standing(ended(report_status="blocked"), now(90_000)).group is Group.FINISHED


def test_a_headline_is_one_harmless_line() -> None:
    assert headline(say("a\n\x1b]52;c;x\x07\u202eb")) == "a ␛]52;c;x␇�b"


def test_the_quick_view_of_a_long_stream_has_its_last_words_and_its_size() -> None:
    lines = [encode_event(event(ev.Message(text=f"step {i}"), i, seq=i)) for i in range(100)]
    lines += [encode_event(tool("shell", summary="make", seconds=100))]
    tail = b"".join(lines)[-4_000:]
    view = quick_stream(tail, whole=False, newlines=len(lines))
    assert (view.events, view.bad_lines) == (101, 0)
    assert activity(running(view), now(101)).text == "shell make 1.0s"


def test_the_quick_view_of_a_short_stream_is_the_whole_fold() -> None:
    events = [say("a"), tool("shell")]
    data = b"".join(map(encode_event, events))
    assert quick_stream(data + b'{"half', whole=True) == stream(*events)


def test_a_task_that_nobody_supervises_yet_prepares() -> None:
    found = standing(running(status="pending", phase=None), now(1))
    assert (found.state, found.word) == ("preparing", "starting")
