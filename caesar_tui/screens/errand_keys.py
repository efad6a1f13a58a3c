"""What the home screen has done besides: new tasks, retries, comparing, visiting, cleaning up."""

from __future__ import annotations

from caesar_core.text import one_line
from caesar_tui.draft import Draft
from caesar_tui.herald import MouseWanted
from caesar_tui.keyed import keys_here
from caesar_tui.messages import (
    ApplyWanted,
    CommandRead,
    CommandWanted,
    DraftPlanned,
    PlaceRead,
    PlaceWanted,
    Plan,
    Planned,
    Started,
    TidyWanted,
)
from caesar_tui.screens.board_base import BoardBase
from caesar_tui.screens.new_task import NewTaskScreen
from caesar_tui.screens.palette import Offer, PaletteScreen


class ErrandKeys(BoardBase):
    """Actions that the engine carries out, and what came of them."""

    _draft = Draft()
    mouse = MouseWanted(ours=True)

    def action_new(self) -> None:
        """Open the form for a new delegation."""
        self.app.push_screen(NewTaskScreen(self.act, self._keep, self._draft, self.glyphs))

    def on_draft_planned(self, message: DraftPlanned) -> None:
        """Say why a draft whose form was left was refused."""
        message.stop()
        if message.refusal:
            self.say(f"{message.refusal} {message.remedy}".strip(), loud=True)

    def on_started(self, message: Started) -> None:
        """Show the new task."""
        message.stop()
        if isinstance(self.app.screen, NewTaskScreen):
            self._draft = Draft()
            self.app.screen.dismiss(None)
        self.chosen_next = message.task_id
        self.say(f"started {message.task_id}")

    def action_retry(self) -> None:
        """Ask before the task's order is handed out again."""
        view = self.chosen_view
        if view is not None:
            title = "Hand the same order out again, as a new task?"
            objective = (("bullet", view.facts.objective),)
            self.post_message(Planned(Plan("retry", view.id, title, ready=True, lines=objective)))

    def action_apply_now(self) -> None:
        """Apply at once what is clean and raises no flag; else show the sheet."""
        if self.table.chosen is not None:
            self.do(ApplyWanted(self.table.chosen, at_once=True))

    def action_compare(self) -> None:
        """Choose whose result the diff is compared with."""
        chosen = self.table.chosen
        tasks = [view for view in self.board_model.tasks.values() if view.id != chosen]
        tasks.sort(key=lambda view: view.facts.created_at, reverse=True)
        offers = [
            Offer(f"{v.facts.agent}  {one_line(v.facts.objective)}", v.id, task_id=v.id)
            for v in tasks
            if not v.facts.is_active
        ]
        self.app.push_screen(PaletteScreen("Compare with", offers, self.glyphs), self._compare)

    def action_visit(self) -> None:
        """Find out where the task works, then go there."""
        if self.table.chosen is not None:
            self.do(PlaceWanted(self.table.chosen))

    def on_place_read(self, message: PlaceRead) -> None:
        """Leave the screen to an editor or a shell until it ends."""
        message.stop()
        self.act(message.visit)

    def action_command(self) -> None:
        """Copy the command that gives the same order."""
        if self.table.chosen is not None:
            self.do(CommandWanted(self.table.chosen))

    def on_command_read(self, message: CommandRead) -> None:
        """Copy it."""
        message.stop()
        self.app.copy_to_clipboard(message.command)
        self.say(f"copied: {message.command}")

    def action_mouse(self) -> None:
        """Let the terminal have the mouse, or take it back."""
        self.mouse = MouseWanted(ours=not self.mouse.ours)
        self.do(self.mouse)

    def action_tidy(self) -> None:
        """Find out what cleaning up would remove, then ask."""
        self.do(TidyWanted())

    def action_palette(self) -> None:
        """Offer everything that a key does, and every task."""
        offers = [
            Offer(key.help, key.shown, action=key.action)
            for key in keys_here(self).of("board")
            if key.action != "palette" and self.check_action(key.action.partition("(")[0], ())
        ]
        offers += [
            Offer(f"Go to {v.facts.agent}  {one_line(v.facts.objective)}", v.id, task_id=v.id)
            for v in self.board_model.tasks.values()
        ]
        self.app.push_screen(PaletteScreen("Palette", offers, self.glyphs), self._take)

    async def _take(self, offer: Offer | None) -> None:
        if offer is None:
            return
        if offer.task_id:
            self.show_task(offer.task_id)
        else:
            await self.run_action(offer.action)

    def _compare(self, offer: Offer | None) -> None:
        if offer is not None:
            self.pane.changes.against = offer.task_id
            self.show_tab("diff")

    def _keep(self, draft: Draft) -> None:
        self._draft = draft
