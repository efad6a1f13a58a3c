"""S1, S4: what a task is said to do at each second of streams with pauses of 1, 30 and 300 s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import pytest

from caesar_core.board.activity import activity
from caesar_core.board.reduce import fold_all
from caesar_core.board.standing import standing
from caesar_core.board.views import QuestionView, StreamView, TaskView
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import EventBody
from tests.unit.board.build import at, event, now, running

# (second, what the agent says then): recorded shapes of the five command lines.
Recording = tuple[tuple[int, EventBody], ...]
TOOL = ev.ToolUse(tool="shell", id="c1", input_summary="make", status="started")
TOOL_DONE = ev.ToolUse(tool="shell", id="c1", input_summary="make", status="succeeded")
RECORDINGS: dict[str, Recording] = {
    "codex": (
        (0, ev.Started(agent="codex")),
        (1, TOOL),
        (31, TOOL_DONE),
        (331, ev.Message(text="x")),
    ),
    "claude": (
        (0, ev.Started(agent="claude")),
        (1, ev.Thinking(text="x")),
        (301, ev.Message(text="x")),
    ),
    "opencode": ((0, ev.Started(agent="opencode")), (30, TOOL_DONE), (31, ev.Message(text="x"))),
    "copilot": ((0, ev.Started(agent="copilot")), (1, TOOL), (301, TOOL_DONE)),
    "antigravity": ((0, ev.Started(agent="antigravity")), (300, ev.Message(text="x"))),
}
GOLDEN = {
    "codex": [("working", 0), ("silent", 61), ("working", 331), ("silent", 361)],
    "claude": [("working", 0), ("silent", 31), ("working", 301), ("silent", 331)],
    "opencode": [("working", 0), ("silent", 61)],
    "copilot": [("working", 0), ("silent", 31), ("working", 301), ("silent", 331)],
    "antigravity": [("working", 0), ("silent", 30), ("working", 300), ("silent", 330)],
}


def second_by_second(recording: Recording, until: int) -> Iterator[TaskView]:
    stream, left = StreamView(), list(recording)
    for second in range(until):
        while left and left[0][0] <= second:
            when, body = left.pop(0)
            stream = fold_all(stream, [event(body, when)])
        yield running(stream)


def told(recording: Recording, until: int, *, busy: bool = False) -> list[tuple[str, int]]:
    """Return the states in their order, each with the first second in which it is shown."""
    views = list(second_by_second(recording, until))
    if busy:
        views = [replace(view, facts=replace(view.facts, busy=True)) for view in views]
    states = [(standing(view, now(second)).state, second) for second, view in enumerate(views)]
    return [next(group) for _, group in groupby(states, key=lambda item: item[0])]


@pytest.mark.parametrize("agent", RECORDINGS)
def test_s1_the_state_is_right_at_each_second(agent: str) -> None:
    assert told(RECORDINGS[agent], 420) == GOLDEN[agent]


@pytest.mark.parametrize("agent", RECORDINGS)
def test_s4_a_long_compilation_is_busy_and_never_silent(agent: str) -> None:
    expected = [("busy" if state == "silent" else state, second) for state, second in GOLDEN[agent]]
    assert told(RECORDINGS[agent], 420, busy=True) == expected


def test_s2_from_the_second_of_its_question_a_task_asks() -> None:
    asked = QuestionView(task_id="t_1", id="q", question="Keep it?", asked_at=at(5))
    for second, view in enumerate(second_by_second(RECORDINGS["codex"], 420)):
        shown = replace(view, questions=(asked,) if second >= 5 else ())
        assert (standing(shown, now(second)).state == "asking") is (second >= 5)
        if second >= 5:
            assert activity(shown, now(second)).headline == "Keep it?"
