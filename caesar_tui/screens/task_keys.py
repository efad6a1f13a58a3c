"""What the home screen does with the chosen task: ask first, then have it done."""

from __future__ import annotations

from caesar_tui.messages import (
    Answered,
    ApplyWanted,
    GivenUp,
    Plan,
    Planned,
    Said,
    UndoWanted,
)
from caesar_tui.screens.board_base import BoardBase
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.widgets.answer_line import AnswerLine
from caesar_tui.widgets.question_form import QuestionForm


class TaskKeys(BoardBase):
    """Actions that change something, and what came of them."""

    def on_planned(self, message: Planned) -> None:
        """Put a sheet up."""
        message.stop()
        self.app.push_screen(ConfirmScreen(message.plan, self.glyphs), self._decided)

    def on_said(self, message: Said) -> None:
        """Tell the person: until the next action, and what went wrong at once and in full."""
        message.stop()
        self.say(message.text, loud=message.severity != "information")

    def on_given_up(self, message: GivenUp) -> None:
        """Say so, also where the result would have stood."""
        message.stop()
        self.pane.given_up()
        self.say("given up")

    def on_question_form_given(self, message: QuestionForm.Given) -> None:
        """Have an answer sent."""
        message.stop()
        self.do(message.given)

    def on_answered(self, message: Answered) -> None:
        """Go back to the list once the agent has its answer."""
        message.stop()
        self.pane.form.answered(message)
        if message.failure:
            self.say(message.failure, loud=True)
        else:
            self.set_focus(self.table)
            self.say(f"answered: {message.given.text}")

    def on_answer_line_left(self, message: AnswerLine.Left) -> None:
        """Go back to the list."""
        message.stop()
        self.set_focus(self.table)

    def action_apply(self) -> None:
        """Find out what applying would do, then ask."""
        if self.table.chosen is not None:
            self.do(ApplyWanted(self.table.chosen))

    def action_undo(self) -> None:
        """Find out what an undo would restore, then ask."""
        self.do(UndoWanted())

    def action_cancel(self) -> None:
        """Ask before the task is stopped."""
        view = self.chosen_view
        if view is not None:
            title = "Stop this task? What it changed so far is kept."
            objective = (("bullet", view.facts.objective),)
            self.post_message(Planned(Plan("cancel", view.id, title, ready=True, lines=objective)))

    def _decided(self, plan: Plan | None) -> None:
        if plan is not None:
            self.do(plan)
