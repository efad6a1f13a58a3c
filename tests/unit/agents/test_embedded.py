"""The lines that our own programs speak."""

from __future__ import annotations

import pytest

from caesar_core.agents.embedded import EmbeddedTranslator, say, without_events
from caesar_core.protocol.event import Message, Progress, ToolUse


@pytest.mark.parametrize(
    "body",
    [
        Message(text='with "quotes" and \n newline'),
        ToolUse(tool="shell", id="1", input_summary="ls", status="failed"),
        Progress(message="half", pct=50),
    ],
)
def test_what_is_said_is_understood(
    body: Message | ToolUse | Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    say(body)

    assert list(EmbeddedTranslator().feed(capsys.readouterr().out.rstrip("\n"))) == [body]


def test_event_behind_output_without_a_newline_is_understood() -> None:
    line = 'half a line{"caesar":{"type":"message","text":"hi"}}'

    assert list(EmbeddedTranslator().feed(line)) == [Message(text="hi")]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain output",
        '{"caesar":',
        '{"caesar":null}',
        '{"caesar":{}}',
        '{"caesar":{"type":"nonsense"}}',
        '{"caesar":{"type":"message","text":1}}',
        '{"caesar":[1]}',
        "[]",
        "1",
    ],
)
def test_case_26_anything_else_is_no_event_and_no_error(line: str) -> None:
    assert list(EmbeddedTranslator().feed(line)) == []


def test_event_lines_are_taken_out_of_what_people_read() -> None:
    event = '{"caesar":{"type":"message","text":"x"}}'

    assert without_events(f"a\r\n{event}\r\nb {event}\n\n{event}") == f"a\r\nb {event}\n\n"
