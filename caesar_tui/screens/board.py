"""The home screen: what needs a person, what runs, what ended, and one task in full."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import ORDERS, Filter, Row
from caesar_core.board.views import TaskView
from caesar_core.clock import Clock
from caesar_tui.hints import applies, board_hints
from caesar_tui.keymap import bindings, keys_of
from caesar_tui.messages import (
    Answered,
    ApplyWanted,
    BoardChanged,
    DiffRead,
    DiffWanted,
    Intent,
    PageRead,
    PageWanted,
    Plan,
    Planned,
    Said,
    UndoWanted,
)
from caesar_tui.model import BoardModel
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.screens.help import HelpScreen
from caesar_tui.widgets.question_form import AnswerLine, QuestionForm
from caesar_tui.widgets.safe import plain
from caesar_tui.widgets.status_bar import HeaderBar, KeyBar, StatusBar
from caesar_tui.widgets.task_head import EmptyState, TaskHead
from caesar_tui.widgets.task_pane import TaskPane
from caesar_tui.widgets.task_table import TaskTable

TICK: Final = 1.0
LAST_LOOK: Final = 2.0


class BoardScreen(Screen[None]):
    """Renders the model; does nothing itself: `act` carries out what a person wants.

    Args:
        root: the project's folder, for the header.
        clock: the time.
        act: carries an intent out, without blocking.
        only: what the list is filtered by in the beginning.
        until_over: leave a moment after all that is shown has ended.

    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("board")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own form
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012

    table = query_one("#table", TaskTable)
    pane = query_one("#pane", TaskPane)
    filter_box = query_one("#filter", Input)

    def __init__(
        self,
        root: Path,
        clock: Clock,
        act: Callable[[Intent], None],
        glyphs: Glyphs = UNICODE,
        *,
        only: str = "",
        until_over: bool = False,
    ) -> None:
        super().__init__()
        self._only_at_first = only
        self._until_over = until_over
        self._root = root
        self._clock = clock
        self._act = act
        self._glyphs = glyphs
        self._model = BoardModel()
        self._shown: dict[str, Row] = {}
        self._order = 0
        self._history = False
        self._said = ""

    def compose(self) -> ComposeResult:
        """Lay out header, list, pane, filter, state and keys."""
        yield HeaderBar(id="header")
        yield EmptyState(self._glyphs, id="empty")
        with Horizontal(id="body"):
            yield TaskTable(self._glyphs, id="table")
            yield TaskPane(self._glyphs, id="pane")
        hint = "words, agent:shell, status:failed"
        yield Input(self._only_at_first, placeholder=hint, id="filter", compact=True)
        yield StatusBar(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Begin to count seconds."""
        self.filter_box.display = bool(self._only_at_first)
        self.set_interval(TICK, self._tick)
        self.table.focus()
        self.render_board()

    def on_board_changed(self, message: BoardChanged) -> None:
        """Take over what changed; one call a frame."""
        message.stop()
        self._model.take(message.delta)
        with self.app.batch_update():
            self.render_board()
        for part in message.delta.appended:
            if part.task_id == self.table.chosen:
                self.pane.stream.grown(part.size, reset=part.reset)
        self._load_diff()
        if self._until_over and self._is_over():
            self._until_over = False
            self.set_timer(LAST_LOOK, self.action_quit)

    def render_board(self) -> None:
        """Bring every widget up to date; those that show the same do not paint."""
        now = self._clock.now()
        only = Filter.parse(self.filter_box.value)
        rows, left_out = self._model.rows(
            now, order=ORDERS[self._order], only=only, history=self._history
        )
        self._shown = {row.view.id: row for row in rows}
        is_empty = not self._model.tasks and self._model.complete
        self.set_class(is_empty and not self.pane.form.line.has_focus, "-empty")
        if self.focused is None:
            self.call_after_refresh(self._take_focus)
        self.table.show(rows, self._model.prefixes, now)
        counts = self._model.counts(rows, left_out)
        header = self.query_one(HeaderBar)
        header.show(self._root, counts, self._model.usage(), now, self._glyphs)
        notes = self._notes(only, left_out)
        self.query_one(StatusBar).show(
            self._model.health, said=self._said, notes=notes, glyphs=self._glyphs
        )
        self._render_head(now)

    def on_resize(self) -> None:
        """Lay the header out for the new width."""
        self.call_after_refresh(self.render_board)

    def on_task_table_chosen(self, message: TaskTable.Chosen) -> None:
        """Show the chosen task."""
        message.stop()
        self.pane.choose(message.task_id)
        self._render_head(self._clock.now())
        self._load_diff()

    def on_task_table_opened(self, message: TaskTable.Opened) -> None:
        """Move into the pane."""
        message.stop()
        self.action_open()

    def on_page_wanted(self, message: PageWanted) -> None:
        """Have bytes of a stream read."""
        message.stop()
        self._act(message)

    def on_page_read(self, message: PageRead) -> None:
        """Pass bytes on to the stream."""
        message.stop()
        self.pane.stream.take(message)

    def on_diff_read(self, message: DiffRead) -> None:
        """Show a diff if its task is still the chosen one."""
        message.stop()
        if message.task_id == self.table.chosen:
            self.pane.diff.show(message.files, message.note)

    def on_planned(self, message: Planned) -> None:
        """Put a sheet up."""
        message.stop()
        self.app.push_screen(ConfirmScreen(message.plan, self._glyphs), self._decided)

    def on_said(self, message: Said) -> None:
        """Tell the person: until the next action, and what went wrong at once and in full."""
        message.stop()
        self._said = message.text
        if message.severity != "information":
            self.notify(plain(message.text), severity=message.severity, markup=False)
        self.render_board()

    def on_question_form_given(self, message: QuestionForm.Given) -> None:
        """Have an answer sent."""
        message.stop()
        self._do(message.given)

    def on_answered(self, message: Answered) -> None:
        """Go back to the list once the agent has its answer."""
        message.stop()
        self.pane.form.answered(message)
        if message.failure:
            self.on_said(Said(message.failure, "error"))
        else:
            self.table.focus()
            self.on_said(Said(f"answered: {message.given.text}"))

    def on_answer_line_left(self, message: AnswerLine.Left) -> None:
        """Go back to the list."""
        message.stop()
        self.table.focus()

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self.set_class(self.pane.form.line.has_focus, "-answering")
        self._render_head(self._clock.now())

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while a person types."""
        message.stop()
        self.render_board()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Keep the filter and go back to the list."""
        message.stop()
        self.table.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show a key only where it applies."""
        del parameters
        return applies(action, self._chosen_view(), self.pane.tab)

    def action_apply(self) -> None:
        """Find out what applying would do, then ask."""
        if self.table.chosen is not None:
            self._do(ApplyWanted(self.table.chosen))

    def action_undo(self) -> None:
        """Find out what an undo would restore, then ask."""
        self._do(UndoWanted())

    def action_cancel(self) -> None:
        """Ask before the task is stopped."""
        view = self._chosen_view()
        if view is not None:
            title = "Stop this task? What it changed so far is kept."
            objective = (("bullet", view.facts.objective),)
            self.post_message(Planned(Plan("cancel", view.id, title, ready=True, lines=objective)))

    def on_task_head_picked(self, message: TaskHead.Picked) -> None:
        """Show another tab."""
        message.stop()
        self.action_tab(message.tab)

    def action_open(self) -> None:
        """Move into the pane."""
        self.pane.focus_content()

    def action_switch(self) -> None:
        """Move on: from the list to an open question, to the pane, to the list."""
        form = self.pane.form
        if form.is_open and (self.table.has_focus or self._is_zoomed) and not form.line.has_focus:
            form.line.focus()
        elif self.table.has_focus or form.line.has_focus or self._is_zoomed:
            self.pane.focus_content()
        else:
            self.table.focus()

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or the list its place back."""
        self.toggle_class("-zoom")
        if self._is_zoomed and self.table.has_focus:
            self.pane.focus_content()

    def action_tab(self, name: str) -> None:
        """Show a tab of the pane."""
        in_pane = not self.table.has_focus
        self.pane.show_tab(name)
        self._load_diff()
        if in_pane:
            self.action_open()
        self._render_keys()

    def action_split(self) -> None:
        """Side by side, or one column."""
        self.pane.diff.toggle_split()

    def action_hunk(self, direction: int) -> None:
        """Go to another hunk."""
        self.pane.diff.jump("hunk", direction)

    def action_file(self, direction: int) -> None:
        """Go to another file."""
        self.pane.diff.jump("file", direction)

    def action_follow(self) -> None:
        """Follow the stream's end again."""
        self.pane.stream.follow()

    def action_filter(self) -> None:
        """Open the filter."""
        self.filter_box.display = True
        self.filter_box.focus()

    def action_order(self) -> None:
        """Sort by the next order."""
        self._order = (self._order + 1) % len(ORDERS)
        self.render_board()

    def action_history(self) -> None:
        """Show or hide the old tasks."""
        self._history = not self._history
        self.render_board()

    def action_back(self) -> None:
        """Leave the filter, the zoom and the pane."""
        if self.filter_box.display:
            self.filter_box.value = ""
            self.filter_box.display = False
        self.remove_class("-zoom")
        self.table.focus()

    def action_help(self) -> None:
        """Show every key."""
        self.app.push_screen(HelpScreen())

    def action_quit(self) -> None:
        """Leave; the tasks go on."""
        self.app.exit(0)

    def _is_over(self) -> bool:
        shown = [row.view.facts for row in self._shown.values()]
        return self._model.complete and bool(shown) and not any(f.is_active for f in shown)

    def _tick(self) -> None:
        """Let ages grow and the clock move; paints nothing in a quiet second."""
        self.render_board()

    def _decided(self, plan: Plan | None) -> None:
        if plan is not None:
            self._do(plan)

    def _take_focus(self) -> None:
        """Let keys work again after what had the focus was hidden."""
        if self.focused is None:
            (self.pane.focus_content if self._is_zoomed else self.table.focus)()

    def _do(self, intent: Intent) -> None:
        """Have something done that a person will be told of."""
        self._said = ""
        self.render_board()
        self._act(intent)

    @property
    def _is_zoomed(self) -> bool:
        return self.has_class("-zoom")

    def _load_diff(self) -> None:
        view = self._chosen_view()
        if view is not None and self.pane.wants_diff(view):
            self._act(DiffWanted(view.id))

    def _chosen_view(self) -> TaskView | None:
        chosen = self.table.chosen
        return None if chosen is None else self._model.tasks.get(chosen)

    def _render_head(self, now: datetime) -> None:
        chosen = self.table.chosen
        self.pane.show(None if chosen is None else self._shown.get(chosen), now)
        self._render_keys()

    def _render_keys(self) -> None:
        if self.pane.form.line.has_focus:
            hints = [key for key in keys_of("answer") if key.label]
        else:
            applied = self._model.has_applied
            hints = board_hints(self._chosen_view(), self.pane.tab, has_applied=applied)
        self.query_one("#keys", KeyBar).show(hints)

    def _notes(self, only: Filter, left_out: int) -> list[str]:
        notes = [] if self._order == 0 else [f"sorted by {ORDERS[self._order]}"]
        if not only.is_empty:
            notes.append(f"filter: {self.filter_box.value}")
        if left_out:
            notes.append(f"{left_out} older (h)")
        return notes
