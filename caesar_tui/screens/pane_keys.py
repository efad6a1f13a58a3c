"""The home screen's right side: what the tabs of the chosen task need and do."""

from __future__ import annotations

from textual.widgets import Input

from caesar_core.board.views import TaskView
from caesar_tui.messages import (
    DiffRead,
    PageRead,
    PageWanted,
    TaskRead,
    TimelineRead,
    TimelineWanted,
)
from caesar_tui.screens.board_base import BoardBase
from caesar_tui.widgets.task_head import TaskHead


class PaneKeys(BoardBase):
    """Actions and facts of the pane."""

    def on_page_wanted(self, message: PageWanted) -> None:
        """Have bytes of a stream read."""
        message.stop()
        self.act(message)

    def on_timeline_wanted(self, message: TimelineWanted) -> None:
        """Have events read."""
        message.stop()
        self.act(message)

    def on_page_read(self, message: PageRead) -> None:
        """Pass bytes on to the stream or the raw log."""
        message.stop()
        self.pane.take_page(message)

    def on_timeline_read(self, message: TimelineRead) -> None:
        """Pass events on to the timeline."""
        message.stop()
        self.pane.timeline.take(message)

    def on_diff_read(self, message: DiffRead) -> None:
        """Show a diff if it is still the one that is wanted."""
        message.stop()
        self.pane.changes.take(message)

    def on_task_read(self, message: TaskRead) -> None:
        """Show an order and a report if they are still those of the chosen task."""
        message.stop()
        self.pane.take_task(message)

    def on_task_head_picked(self, message: TaskHead.Picked) -> None:
        """Show another tab."""
        message.stop()
        self.action_tab(message.tab)

    def action_open(self) -> None:
        """Move into the pane; the row of a race opens the race."""
        if self.table.chosen_race is not None and self.table.has_focus:
            self.show_race(self.table.chosen_race)
        else:
            self.pane.focus_content()

    def action_switch(self) -> None:
        """Move on: from the list to an open question, to the pane, to the list."""
        form = self.pane.form
        if form.is_open and (self.table.has_focus or self.is_zoomed) and not form.line.has_focus:
            self.set_focus(form.line)
        elif self.table.has_focus or form.line.has_focus or self.is_zoomed:
            self.pane.focus_content()
        else:
            self.set_focus(self.table)

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or the list its place back."""
        self.toggle_class("-zoom")
        if self.is_zoomed and self.table.has_focus:
            self.pane.focus_content()

    def action_tab(self, name: str) -> None:
        """Show a tab of the pane."""
        self.show_tab(name)

    def show_tab(self, name: str) -> None:
        """Show a tab of the pane; the focus stays in it."""
        in_pane = not self.table.has_focus
        self.pane.show_tab(name)
        self.load_tab(self.chosen_view)
        if in_pane:
            self.action_open()
        self.render_keys()

    def action_split(self) -> None:
        """Side by side, or one column."""
        self.pane.diff.toggle_split()

    def action_hunk(self, direction: int) -> None:
        """Go to another hunk."""
        self.pane.diff.jump("hunk", direction)

    def action_file(self, direction: int) -> None:
        """Go to another file."""
        self.pane.diff.jump("file", direction)

    def action_wrap(self) -> None:
        """Break long lines of the diff, or cut them."""
        self.pane.diff.toggle_wrap()

    def action_space(self) -> None:
        """Leave white space out of the diff, or bring it back."""
        self.pane.changes.ignore_space ^= True
        self.load_tab(self.chosen_view)

    def action_follow(self) -> None:
        """Follow the stream's end again."""
        self.pane.searched.follow()

    def action_find(self) -> None:
        """Type what to search for in the stream."""
        self.pane.begin_search()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while a person types."""
        message.stop()
        self.render_board()

    def load_tab(self, view: TaskView | None) -> None:
        """Have read what the tab shows, unless it is there."""
        if view is not None:
            wanted = self.pane.wanted(view, self._race_of(view))
            if wanted is not None:
                self.act(wanted)

    def _race_of(self, view: TaskView) -> dict[str, str]:
        """Return the contestants of a task's race, or the task alone."""
        race_id = view.facts.race_id
        tasks = self.board_model.race(race_id) if race_id else (view,)
        return {task.id: f"{task.facts.agent} {task.id}" for task in tasks}
