"""What the home screen opens over itself: the inbox, the wall; and what the terminal is told."""

from __future__ import annotations

from caesar_core.board.order import arrange
from caesar_core.board.race import race_view
from caesar_core.board.views import QuestionView
from caesar_tui.herald import Herald
from caesar_tui.messages import TailRead, TailsWanted
from caesar_tui.screens.board_base import BoardBase
from caesar_tui.screens.inbox import InboxScreen
from caesar_tui.screens.race import RaceScreen
from caesar_tui.screens.wall import WallScreen


class OverviewKeys(BoardBase):
    """Screens over the board that show the same model."""

    _herald: Herald | None = None

    def action_inbox(self) -> None:
        """List every open question."""
        self.app.push_screen(InboxScreen(self.glyphs), self._answer)
        self.call_after_refresh(self.render_overlay)

    def action_wall(self) -> None:
        """Show all running tasks."""
        self.app.push_screen(WallScreen(self.act, self.glyphs), self._show_task)
        model = self.board_model
        unknown = tuple(view.id for view in model.running if view.id not in model.tails)
        if unknown:
            self.act(TailsWanted(unknown))
        self.call_after_refresh(self.render_overlay)

    def action_race(self) -> None:
        """Show the chosen race, or that of the chosen task."""
        view = self.chosen_view
        race_id = self.table.chosen_race or (view.facts.race_id if view is not None else None)
        if race_id:
            self.show_race(race_id)

    def show_race(self, race_id: str) -> None:
        """Show a race."""
        self.app.push_screen(RaceScreen(race_id, self.act, self.glyphs))
        self.call_after_refresh(self.render_overlay)

    def on_tail_read(self, message: TailRead) -> None:
        """Take the last events of a task."""
        message.stop()
        if message.task_id not in self.board_model.tails:
            self.board_model.remember(message.task_id, message.events)
        self.render_overlay()

    def render_overlay(self) -> None:
        """Bring the screen above the board up to date."""
        now, model, screen = self.clock.now(), self.board_model, self.app.screen
        if isinstance(screen, InboxScreen):
            names = {
                view.id: f"{model.prefixes[view.id]} {view.facts.agent}" for view in model.running
            }
            screen.show(model.open_questions, names, now)
        elif isinstance(screen, WallScreen):
            screen.show(arrange(model.running, now), model.prefixes, model.tails, now)
        elif isinstance(screen, RaceScreen):
            field = model.race(screen.race_id)
            rows = {row.view.id: row for row in arrange(field, now)}
            screen.show(race_view(field, screen.race_id), rows)

    def announce(self, need_you: int) -> None:
        """Tell the terminal what a person should know who looks elsewhere."""
        self._herald = self._herald or Herald()
        model = self.board_model
        news = self._herald.look(model.open_questions, need_you, complete=model.complete)
        if news is not None:
            self.act(news)

    def _show_task(self, task_id: str | None) -> None:
        if task_id is not None:
            self.show_task(task_id)
            self.pane.focus_content()

    def _answer(self, asked: QuestionView | None) -> None:
        if asked is not None:
            self.pane.form.prefer(asked)
            self.show_task(asked.task_id)
            self.render_board()
            self.set_focus(self.pane.form.line)
