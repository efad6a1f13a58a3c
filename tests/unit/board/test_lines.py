from __future__ import annotations

import pytest

from caesar_core.board.glyphs import ASCII, UNICODE, glyphs_for
from caesar_core.board.lines import event_line, event_text
from caesar_core.board.speech import spoken
from caesar_core.protocol import event as ev
from tests.unit.board.build import event

BODIES: list[tuple[ev.EventBody, str]] = [
    (ev.Started(agent="codex", command="codex exec"), "● started  codex exec"),
    (ev.Thinking(text="hm"), "∴ thinks   hm"),
    (ev.Message(text="a\nb"), "» agent    a b"),
    (ev.ToolUse(tool="shell", input_summary="ls", status="succeeded"), "✓ shell    ls"),
    (ev.FileChanged(path="a.py", action="created"), "~ file     created a.py"),
    (ev.Progress(message="half", pct=50), "· progress half 50%"),
    (ev.Question(id="q", question="Keep?", options=("y", "n")), "? asks     Keep? [y / n]"),
    (ev.Answer(id="q", answer="y"), "» answer   y"),
    (ev.Error(message="m", reason="auth"), "⚠ auth     m"),
    (ev.Finished(status="failed", summary="no"), "✗ failed   no"),
    (ev.Unknown(type="telemetry"), "· telemetry"),
]


@pytest.mark.parametrize(("body", "line"), BODIES)
def test_every_kind_of_event_has_a_line(body: ev.EventBody, line: str) -> None:
    assert event_line(event(body)).plain()[10:] == line


def test_t4_the_ascii_set_has_no_wide_surprise() -> None:
    lines = [event_line(event(body)).plain(ASCII) for body, _ in BODIES]
    assert all(line.isascii() for line in lines)
    assert (glyphs_for("UTF-8"), glyphs_for("latin-1"), glyphs_for(None)) == (UNICODE, ASCII, ASCII)


def test_t1_a_line_and_a_text_hold_no_control_character() -> None:
    body = ev.ToolUse(tool="sh\x1b[31m", input_summary="\x9d0;t\x07\n" * 3, status="started")
    line, text = event_line(event(body)).plain(), event_text(event(body))
    assert line.isprintable() or "�" in line
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line + text.replace("\n", ""))


def test_an_event_without_a_readable_time_has_a_blank_one() -> None:
    odd = ev.Event(seq=1, at="yesterday", task_id="t", body=ev.Message(text="x"))
    assert event_line(odd).time == " " * 8


def test_a_report_among_the_messages_is_read_as_its_summary() -> None:
    report = '{"protocol": "caesar.report/v1", "status": "success", "summary": "Done: 3 files."}'
    fenced = f"All done.\n\n```json caesar:report\n{report}\n```"

    assert spoken(report) == "Done: 3 files."
    assert spoken(fenced) == "All done.\nDone: 3 files."
    assert spoken("{ not json }") == "{ not json }"
    assert spoken("```\n{}\n``` caesar.report/v1") == "```\n{}\n``` caesar.report/v1"
