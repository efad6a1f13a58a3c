"""The last lines of a stream as the wall shows them, and the axis of a timeline."""

from __future__ import annotations

import pytest

from caesar_core.board.glyphs import UNICODE
from caesar_core.protocol.event import Event, EventBody, Message, ToolUse
from caesar_tui.render.gantt import Scale, axis
from caesar_tui.tail import LINES, Tail


def tail_of(*bodies: EventBody) -> list[str]:
    tail = Tail()
    for seq, body in enumerate(bodies):
        tail.add(Event(seq=seq, at="", task_id="t_1", body=body))
    return [line.plain(UNICODE).strip() for line in tail.lines]


def call(status: str, summary: str = "", call_id: str | None = "c1") -> ToolUse:
    return ToolUse(tool="shell", id=call_id, input_summary=summary, status=status)  # type: ignore[arg-type]


def test_a_call_that_ended_stands_in_the_line_of_its_start() -> None:
    said = tail_of(call("started", "make"), Message(text="meanwhile"), call("succeeded"))
    assert said == ["✓ shell    make", "» agent    meanwhile"]


def test_calls_without_an_id_are_paired_by_their_tool() -> None:
    said = tail_of(call("started", "a", None), call("failed", "", None), call("started", "b", None))
    assert said == ["✗ shell    a", "▸ shell    b"]


def test_an_end_whose_start_is_gone_has_a_line_of_its_own() -> None:
    filler = [Message(text=str(n)) for n in range(LINES)]
    said = tail_of(call("started", "make"), *filler, call("succeeded", "make"))
    assert said[-1] == "✓ shell    make"
    assert len(said) == LINES


@pytest.mark.parametrize(
    ("seconds", "width", "labels"),
    [
        (1.0, 60, ["0s", "0.2s", "0.4s", "0.6s", "0.8s"]),
        (1.5, 20, ["0s", "1s"]),
        (59.0, 60, ["0s", "10s", "20s", "30s", "40s", "50s"]),
        (86_400.0 * 9, 8, ["0s"]),
    ],
)
def test_the_axis_of_a_short_run_has_labels_too(
    seconds: float, width: int, labels: list[str]
) -> None:
    assert axis(Scale(0.0, seconds, width), "|").replace("|", " ").split() == labels
