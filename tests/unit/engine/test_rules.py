"""Rules of `[[answer]]` and the questions that agents write."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.clock import FakeClock
from caesar_core.engine import rules
from caesar_core.engine.questions import MailWatch
from caesar_core.engine.rules import rule_fits
from caesar_core.protocol.event import Error
from caesar_core.protocol.wire import decode_event
from caesar_core.store import mailbox
from caesar_core.store.layout import Layout

ENDLESS = "^(a+)+$"
QUESTION = "a" * 60 + "b"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "PATIENCE", 0.3)
    rule_fits.cache_clear()


@pytest.mark.parametrize(
    ("match", "question", "fits"),
    [
        ("(?i)keep", "KEEP it?", True),
        ("keep", "drop it?", False),
        ("ke+p .*\n", "keep it\r\nor not?", True),
        ("^dr.*p$", "drop it?", False),
        ("\udc80+", "a lone \udc80", True),
        ("(", "(", False),
    ],
)
def test_a_rule_is_searched_for_in_the_question(match: str, question: str, fits: bool) -> None:
    assert rule_fits(match, question) is fits


@pytest.mark.usefixtures("impatient")
def test_a_rule_that_would_take_years_does_not_count_and_is_told_once(tmp_path: Path) -> None:
    files, clock = Layout(tmp_path).task("t_1"), FakeClock()
    asked = mailbox.ask(files, QUESTION, (), clock, None)
    watch = MailWatch(files, ((ENDLESS, "never"), ("ab", "the next one")), clock)

    watch.look()
    watch.look()

    assert mailbox.question(files, asked.id).answer == "the next one"
    bodies = [decode_event(line).body for line in files.events.read_bytes().splitlines()]
    (error,) = (body for body in bodies if isinstance(body, Error))
    assert f"The rule {ENDLESS} took longer than" in error.message
