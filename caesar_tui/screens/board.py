"""The home screen: what needs a person, what runs, what ended, and one task in full."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import ORDERS, Filter, Row
from caesar_core.board.views import TaskView
from caesar_core.clock import Clock
from caesar_tui.keymap import Key, bindings, keys_of
from caesar_tui.messages import (
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
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.safe import plain
from caesar_tui.widgets.status_bar import HeaderBar, KeyBar, StatusBar
from caesar_tui.widgets.task_head import EmptyState, TaskHead
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
    log_view = query_one("#stream", EventLog)
    diff_view = query_one("#diff", DiffPane)
    head = query_one("#head", TaskHead)
    switcher = query_one("#tabs", ContentSwitcher)
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
        self._diff_of: tuple[str, str | None] | None = None

    def compose(self) -> ComposeResult:
        """Lay out header, list, pane, filter, state and keys."""
        yield HeaderBar(id="header")
        yield EmptyState(self._glyphs, id="empty")
        with Horizontal(id="body"):
            yield TaskTable(self._glyphs, id="table")
            with Vertical(id="pane"):
                yield TaskHead(self._glyphs, id="head")
                with ContentSwitcher(initial="stream", id="tabs"):
                    yield EventLog(self._glyphs, id="stream")
                    yield DiffPane(self._glyphs, id="diff")
        hint = "words, agent:codex, status:failed"
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
                self.log_view.grown(part.size, reset=part.reset)
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
        self.set_class(is_empty, "-empty")
        self.table.show(rows, self._model.prefixes, now)
        counts = self._model.counts(rows, left_out)
        header = self.query_one(HeaderBar)
        header.show(self._root, counts, self._model.usage(), now, self._glyphs)
        notes = self._notes(only, left_out)
        self.query_one(StatusBar).show(self._model.health, notes=notes, glyphs=self._glyphs)
        self._render_head(now)

    def on_resize(self) -> None:
        """Lay the header out for the new width."""
        self.call_after_refresh(self.render_board)

    def on_task_table_chosen(self, message: TaskTable.Chosen) -> None:
        """Show the chosen task."""
        message.stop()
        self.log_view.show(message.task_id)
        self.diff_view.show((), "Reading the changes")
        self._diff_of = None
        self._render_head(self._clock.now())
        self._load_diff()

    def on_task_table_opened(self, message: TaskTable.Opened) -> None:
        """Move into the pane."""
        message.stop()
        self.action_open()

    def on_task_head_picked(self, message: TaskHead.Picked) -> None:
        """Show another tab."""
        message.stop()
        self.action_tab(message.tab)

    def on_event_log_moved(self, message: EventLog.Moved) -> None:
        """Say whether the end is followed."""
        message.stop()
        self.head.moved(following=message.following, unseen=message.unseen)

    def on_page_wanted(self, message: PageWanted) -> None:
        """Have bytes of a stream read."""
        message.stop()
        self._act(message)

    def on_page_read(self, message: PageRead) -> None:
        """Pass bytes on to the stream."""
        message.stop()
        self.log_view.take(message)

    def on_diff_read(self, message: DiffRead) -> None:
        """Show a diff if its task is still the chosen one."""
        message.stop()
        if message.task_id == self.table.chosen:
            self.diff_view.show(message.files, message.note)

    def on_planned(self, message: Planned) -> None:
        """Put a sheet up."""
        message.stop()
        self.app.push_screen(ConfirmScreen(message.plan, self._glyphs), self._decided)

    def on_said(self, message: Said) -> None:
        """Tell the person."""
        message.stop()
        self.notify(plain(message.text), severity=message.severity, markup=False)

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
        view = self._chosen_view()
        if action == "apply":
            return view is not None and not view.facts.is_active
        if action == "cancel":
            return view is not None and view.facts.is_active
        if action in {"split", "hunk", "file"}:
            return self.switcher.current == "diff"
        if action == "follow":
            return self.switcher.current == "stream" and view is not None
        return True

    def action_apply(self) -> None:
        """Find out what applying would do, then ask."""
        if self.table.chosen is not None:
            self._act(ApplyWanted(self.table.chosen))

    def action_undo(self) -> None:
        """Find out what an undo would restore, then ask."""
        self._act(UndoWanted())

    def action_cancel(self) -> None:
        """Ask before the task is stopped."""
        view = self._chosen_view()
        if view is not None:
            title = "Stop this task? What it changed so far is kept."
            objective = (("bullet", view.facts.objective),)
            self.post_message(Planned(Plan("cancel", view.id, title, ready=True, lines=objective)))

    def action_open(self) -> None:
        """Move into the pane."""
        if self.switcher.current is not None:
            self.query_one(f"#{self.switcher.current}").focus()

    def action_switch(self) -> None:
        """Move between the list and the pane."""
        if self.table.has_focus:
            self.action_open()
        else:
            self.table.focus()

    def action_tab(self, name: str) -> None:
        """Show a tab of the pane."""
        in_pane = not self.table.has_focus
        self.switcher.current = name
        self.head.show_tab(name)
        self._load_diff()
        if in_pane:
            self.action_open()
        self._render_keys()

    def action_split(self) -> None:
        """Side by side, or one column."""
        self.diff_view.toggle_split()

    def action_hunk(self, direction: int) -> None:
        """Go to another hunk."""
        self.diff_view.jump("hunk", direction)

    def action_file(self, direction: int) -> None:
        """Go to another file."""
        self.diff_view.jump("file", direction)

    def action_follow(self) -> None:
        """Follow the stream's end again."""
        self.log_view.follow()

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
        """Leave the filter, else the pane."""
        if self.filter_box.display:
            self.filter_box.value = ""
            self.filter_box.display = False
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
            self._act(plan)

    def _load_diff(self) -> None:
        """Have the diff read when it is looked at, and again when its task has ended."""
        view = self._chosen_view()
        wanted = None if view is None else (view.id, view.facts.ended_at)
        if self.switcher.current == "diff" and wanted is not None and self._diff_of != wanted:
            self._diff_of = wanted
            self._act(DiffWanted(wanted[0]))

    def _chosen_view(self) -> TaskView | None:
        chosen = self.table.chosen
        return None if chosen is None else self._model.tasks.get(chosen)

    def _render_head(self, now: datetime) -> None:
        chosen = self.table.chosen
        self.head.show(None if chosen is None else self._shown.get(chosen), now)
        self._render_keys()

    def _render_keys(self) -> None:
        self.query_one("#keys", KeyBar).show(key for key in self._footer() if key.label)

    def _footer(self) -> list[Key]:
        return [
            key
            for key in keys_of("board")
            if self.check_action(key.action.partition("(")[0], ()) is True
        ]

    def _notes(self, only: Filter, left_out: int) -> list[str]:
        notes = [] if self._order == 0 else [f"sorted by {ORDERS[self._order]}"]
        if not only.is_empty:
            notes.append(f"filter: {self.filter_box.value}")
        if left_out:
            notes.append(f"{left_out} older (h)")
        return notes
