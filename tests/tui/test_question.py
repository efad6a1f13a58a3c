"""The open question of the chosen task, answered where it stands."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from caesar_core.clock import iso
from caesar_core.engine.service import Service
from caesar_core.protocol.event import Question
from caesar_core.store import mailbox
from caesar_core.store.mailbox import AlreadyAnsweredError
from caesar_core.store.record_store import RecordStore
from caesar_tui.widgets.question_form import QuestionForm
from tests.tui.drive import board, footer, opened, press, settled, shown, status, told, until
from tests.tui.sample import NOW, Sample

SENT = "(caesar watch)"


def form(pilot: Pilot[Any]) -> QuestionForm:
    return board(pilot).pane.form


def title(pilot: Pilot[Any]) -> str:
    return shown(board(pilot).query_one("#form-title"))


async def test_it_says_the_question_its_options_and_when_the_agent_goes_on(sample: Sample) -> None:
    """Q1: the one time that counts is on the screen."""
    path = sample.layout.task("t_91bc").question("q1")
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "closes_at": iso(NOW + timedelta(seconds=161))}))
    async with opened(sample) as pilot:
        assert title(pilot) == "? question · the agent goes on alone in 2:41"
        assert (
            shown(board(pilot).query_one("#form-question")) == "Should the old behaviour be kept?"
        )
        assert shown(board(pilot).query_one("#form-options")) == "(1) yes  (2) no"
        sample.clock.advance(161)
        board(pilot).render_board()
        await pilot.pause()
        assert title(pilot) == "? question · the agent goes on alone now"
        await press(pilot, "end")
        assert not form(pilot).display


async def test_tab_moves_in_and_a_digit_and_enter_send_the_options_value(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab")
        assert form(pilot).line.has_focus
        assert footer(pilot) == "Enter send  Esc leave"
        await press(pilot, "2")
        assert "Enter sends: no" in shown(form(pilot).line)
        await press(pilot, "enter")
        assert sample.engine.asked == [(f"answer q1 no {SENT}", "t_91bc")]
        assert board(pilot).table.has_focus
        assert status(pilot).startswith("answered: no")


async def test_arrows_go_round_the_options(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", "up")
        assert "Enter sends: no" in shown(form(pilot).line)
        await press(pilot, "down", "enter")
        assert sample.engine.asked == [(f"answer q1 yes {SENT}", "t_91bc")]


async def test_own_words_win_over_an_option_and_letters_are_no_keys(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", "1", *"qa2", "enter")
        assert sample.engine.asked == [(f"answer q1 qa2 {SENT}", "t_91bc")]


async def test_a_digit_that_is_no_option_is_a_word(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", "3", "1", "enter")
        assert sample.engine.asked == [(f"answer q1 31 {SENT}", "t_91bc")]


async def test_enter_without_an_answer_sends_nothing(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", "enter", "space", "enter")
        assert sample.engine.asked == []


async def test_a_paste_of_several_lines_keeps_them_all(sample: Sample) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab")
        form(pilot).line.post_message(Paste("keep it\nfor \x1b]52;c;x\x07 now\n"))
        await settled(pilot)
        assert form(pilot).line.value == "keep it\nfor ␛]52;c;x␇ now"


async def test_escape_keeps_the_draft_of_each_question(sample: Sample) -> None:
    sample.task("t_b0b0", "claude", started=310)
    sample.ask("t_b0b0", Question(id="q2", question="Which name?"))
    async with opened(sample) as pilot:
        first, other = "t_91bc", "t_b0b0"
        board(pilot).table.chosen = first
        await press(pilot, "tab", *"may", "escape")
        assert board(pilot).table.has_focus
        board(pilot).table.chosen = other
        await settled(pilot)
        assert form(pilot).line.value == ""
        board(pilot).table.chosen = first
        await press(pilot, "tab", "b", "e", "enter")
        assert sample.engine.asked == [(f"answer q1 maybe {SENT}", first)]


async def test_a_failure_is_told_and_the_draft_can_be_sent_again(sample: Sample) -> None:
    sample.engine.failure = "The question was answered at 21:04 by claude."
    async with opened(sample) as pilot:
        await press(pilot, "tab", "1", "enter")
        assert told(pilot) == ["The question was answered at 21:04 by claude."]
        assert form(pilot).line.has_focus
        sample.engine.failure = None
        await press(pilot, "enter")
        assert len(sample.engine.asked) == 2


async def test_q5_a_question_that_closes_while_a_person_types_takes_no_key_away(
    sample: Sample,
) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", *"per")
        mailbox.close(sample.layout.task("t_91bc"), "q1", "its agent is gone", sample.clock)
        await until(pilot, lambda: "no longer open" in title(pilot))
        await press(pilot, *"haps q")
        assert form(pilot).line.value == "perhaps q"
        await press(pilot, "escape")
        assert not form(pilot).display


async def test_q5_a_task_that_vanishes_while_a_person_types_takes_no_key_away(
    sample: Sample,
) -> None:
    async with opened(sample) as pilot:
        await press(pilot, "tab", *"x")
        sample.layout.record("t_91bc").unlink()
        await until(pilot, lambda: "t_91bc" not in shown(board(pilot).table))
        await press(pilot, "q")
        assert form(pilot).line.value == "xq"
        await press(pilot, "escape", "enter")
        assert pilot.app.is_running


async def test_160_the_first_answer_stays_and_the_second_person_is_told(sample: Sample) -> None:
    service = Service(sample.root)
    assert service.answer("t_91", "q1", "yes", "claude").answer == "yes"
    with pytest.raises(AlreadyAnsweredError, match="by claude"):
        service.answer("t_91bc", "q1", "no")


async def test_the_next_question_takes_the_place_of_the_answered_one(sample: Sample) -> None:
    files = sample.layout.task("t_91bc")
    mailbox.ask(files, "And the tests?", (), sample.clock)
    async with opened(sample) as pilot:
        assert title(pilot).endswith("1 more")
        await press(pilot, "tab", "1", "enter")
        await until(
            pilot, lambda: "And the tests?" in shown(board(pilot).query_one("#form-question"))
        )
        assert form(pilot).line.value == ""


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 20), (40, 10), (120, 12)])
async def test_t5_the_answer_is_on_the_screen_whatever_the_question_says(
    empty: Sample, size: tuple[int, int]
) -> None:
    empty.task("t_1", "claude", objective="x" * 100_000)
    options = tuple(f"option {n} {'o' * 90}" for n in range(20))
    empty.ask("t_1", Question(id="q1", question="Why?\n" * 3_000, options=options))
    async with opened(empty, size) as pilot:
        await press(pilot, "tab")
        line = form(pilot).line
        assert line.has_focus
        assert board(pilot).region.contains_region(line.region)
        assert line.region.height == 1
        option = board(pilot).query_one("#form-choice")
        assert option.region.height >= 1
        await press(pilot, "2", "enter")
        assert empty.engine.asked == [(f"answer q1 {options[1]} {SENT}", "t_1")]
        records = RecordStore(empty.layout)
        records.update("t_1", status="failed")


async def test_the_chosen_option_is_marked(sample: Sample) -> None:
    async with opened(sample) as pilot:
        options = board(pilot).query_one("#form-options")

        def marked() -> str:
            parts = options.render_line(0)
            return "".join(part.text for part in parts if part.style and part.style.bold).strip()

        assert marked() == ""
        await press(pilot, "tab", "2")
        assert marked() == "(2) no"
        await press(pilot, "1")
        assert marked() == "(1) yes"
