"""The home screen: what needs a person, what runs, what ended, and one task in full."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from caesar_core.board.order import ORDERS, Filter
from caesar_tui.hints import applies, board_hints
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import Key, bindings
from caesar_tui.messages import BoardChanged
from caesar_tui.model import Counts
from caesar_tui.outlook import ForecastRead, SlotsRead, SlotsWanted
from caesar_tui.screens.errand_keys import ErrandKeys
from caesar_tui.screens.help import HelpScreen
from caesar_tui.screens.overview_keys import OverviewKeys
from caesar_tui.screens.pane_keys import PaneKeys
from caesar_tui.screens.task_keys import TaskKeys
from caesar_tui.widgets.event_pages import EventPages
from caesar_tui.widgets.status_bar import HeaderBar, KeyBar, StatusBar
from caesar_tui.widgets.task_head import EmptyState
from caesar_tui.widgets.task_pane import TaskPane
from caesar_tui.widgets.task_table import TaskTable

TICK: Final = 1.0
LAST_LOOK: Final = 2.0


class BoardScreen(TaskKeys, ErrandKeys, PaneKeys, OverviewKeys):
    """Renders the model; does nothing itself: `act` carries out what a person wants."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("board")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own form
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012
    _order = 0
    _history = False

    def compose(self) -> ComposeResult:
        """Lay out header, list, pane, filter, state and keys."""
        yield HeaderBar(id="header")
        yield EmptyState(self.glyphs, id="empty")
        with Horizontal(id="body"):
            yield TaskTable(self.glyphs, id="table")
            yield TaskPane(self.glyphs, id="pane")
        hint = "words, agent:shell, status:failed"
        yield Input(self._only_at_first, placeholder=hint, id="filter", compact=True)
        yield StatusBar(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Begin to count seconds."""
        self.filter_box.display = bool(self._only_at_first)
        self.set_interval(TICK, self._tick)
        self.watch(self.app, "app_focus", self._came_back, init=False)
        self.set_focus(self.table)
        self.render_board()

    def on_board_changed(self, message: BoardChanged) -> None:
        """Take over what changed; one call a frame."""
        message.stop()
        self.board_model.take(message.delta)
        self.outlook.take(message.delta.changed, message.delta.removed)
        with self.app.batch_update():
            self.render_board()
        for part in message.delta.appended:
            self.pane.grown(part)
        self.load_tab(self.chosen_view)
        self._look_ahead()
        if self.board_model.slots is None and self.board_model.is_busy:
            self.board_model.slots = 0  # asked for
            self.act(SlotsWanted())
        if self._race_at_first is not None and self.board_model.race(self._race_at_first):
            self.show_race(self._race_at_first)
            self._race_at_first = None
        if self._until_over and self._is_over():
            self._until_over = False
            self.set_timer(LAST_LOOK, self.action_quit)

    def render_board(self) -> None:
        """Bring every widget up to date; those that show the same do not paint."""
        now, model = self.clock.now(), self.board_model
        only = Filter.parse(self.filter_box.value)
        rows, left_out = model.rows(
            now, order=ORDERS[self._order], only=only, history=self._history
        )
        self._shown = {row.view.id: row for row in rows}
        is_empty = not model.tasks and model.complete
        self.set_class(is_empty and not self.pane.form.line.has_focus, "-empty")
        if self.focused is None:
            self.call_after_refresh(self._take_focus)
        fields = model.fields(rows)
        notes = self.outlook.notes(model.prefixes)
        self.table.show(rows, model.prefixes, now, fields, notes, all_open=not only.is_empty)
        if self.chosen_next in self._shown:
            self.table.chosen, self.chosen_next = self.chosen_next, None
        header = self.query_one(HeaderBar)
        counts = model.counts(rows, left_out)
        header.show(self.root, counts, model.usage(), now, self.glyphs)
        self.announce(counts.need_you)
        self.query_one(StatusBar).show(
            model.health,
            said=self.working.text or self._said,
            notes=self._notes(counts, only, left_out),
            glyphs=self.glyphs,
        )
        self._render_head(now)
        self.render_overlay()

    def on_forecast_read(self, message: ForecastRead) -> None:
        """Show which results would collide."""
        message.stop()
        self.outlook.hear(message.views, self.clock.monotonic())
        self.render_board()

    def on_slots_read(self, message: SlotsRead) -> None:
        """Say how many slots there are."""
        message.stop()
        self.board_model.slots = message.most
        self.render_board()

    def on_resize(self) -> None:
        """Lay the header out for the new width."""
        self.call_after_refresh(self.render_board)

    def on_task_table_chosen(self, message: TaskTable.Chosen) -> None:
        """Show the chosen task."""
        message.stop()
        self.pane.choose(message.task_id if self.table.chosen_race is None else None)
        self._render_head(self.clock.now())
        self.load_tab(self.chosen_view)

    def on_task_table_opened(self, message: TaskTable.Opened) -> None:
        """Move into the pane, or show the race."""
        message.stop()
        self.action_open()

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self.set_class(self.pane.form.line.has_focus, "-answering")
        self._render_head(self.clock.now())

    def on_event_pages_moved(self, message: EventPages.Moved) -> None:
        """Offer to follow the end where it is not followed."""
        message.stop()
        self.render_keys()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Keep the filter and go back to the list."""
        message.stop()
        self.set_focus(self.table)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show a key only where it applies."""
        del parameters
        if action == "race" and self.table.chosen_race is not None:
            return True
        return applies(action, self.chosen_view, self.pane.tab)

    def action_filter(self) -> None:
        """Open the filter."""
        self.filter_box.display = True
        self.set_focus(self.filter_box)

    def action_order(self) -> None:
        """Sort by the next order."""
        self._order = (self._order + 1) % len(ORDERS)
        self.render_board()

    def action_history(self) -> None:
        """Show or hide the old tasks."""
        self._history = not self._history
        self.render_board()

    def action_back(self) -> None:
        """Give up what is waited for; else leave the filter, the zoom and the pane."""
        if self.gives_up():
            return
        if self.filter_box.display:
            self.filter_box.value = ""
            self.filter_box.display = False
        self.remove_class("-zoom")
        self.set_focus(self.table)

    def action_help(self) -> None:
        """Show every key."""
        self.app.push_screen(HelpScreen())

    def action_quit(self) -> None:
        """Leave; the tasks go on."""
        self.app.exit(0)

    def render_keys(self) -> None:
        """Show the keys that apply now."""
        self.query_one("#keys", KeyBar).show(self._hints())

    def _hints(self) -> list[Key]:
        scope = self.pane.scope
        own = [key for key in keys_here(self).of(scope) if key.label] if scope else []
        if scope in {"answer", "find"}:
            return own
        own = [key for key in own if self.pane.allows(key)]
        taken = {key.shown for key in own}
        rest = board_hints(
            keys_here(self).of("board"),
            self.chosen_view,
            self.pane.tab,
            has_applied=self.board_model.has_applied,
            in_race=self.table.chosen_race is not None,
        )
        if self.pane.searched.following:
            rest = [key for key in rest if key.action != "follow"]
        return [*own, *(key for key in rest if key.shown not in taken)]

    def _is_over(self) -> bool:
        shown = [row.view.facts for row in self._shown.values()]
        return self.board_model.complete and bool(shown) and not any(f.is_active for f in shown)

    def _tick(self) -> None:
        """Let ages grow and the clock move; paints nothing in a quiet second."""
        self.render_board()
        self._look_ahead()

    def _came_back(self, has_focus: bool) -> None:
        """Look anew at a work tree that somebody may have edited meanwhile."""
        if has_focus:
            self.outlook.grow_old()
            self._look_ahead()
            self.act(SlotsWanted())

    def _look_ahead(self) -> None:
        """Find out which results would collide, when there is reason to."""
        if self.board_model.complete:
            wanted = self.outlook.ask(self.clock.monotonic())
            if wanted is not None:
                self.act(wanted)

    def _take_focus(self) -> None:
        """Let keys work again after what had the focus was hidden."""
        if self.focused is None:
            if self.is_zoomed:
                self.pane.focus_content()
            else:
                self.set_focus(self.table)

    def _render_head(self, now: datetime) -> None:
        chosen = self.table.chosen
        row = None if chosen is None else self._shown.get(chosen)
        said = self.outlook.sentence(row.view.id, self.board_model.prefixes) if row else ""
        self.pane.show(row, now, said)
        if self.table.chosen_race is not None:
            self.pane.head.show_race(self.board_model.race(self.table.chosen_race))
        self.render_keys()

    def _notes(self, counts: Counts, only: Filter, left_out: int) -> list[str]:
        slots = f"slots {counts.taken}/{counts.slots}"
        notes = [slots] if counts.slots and self.board_model.is_busy else []
        if self._order:
            notes.append(f"sorted by {ORDERS[self._order]}")
        if not only.is_empty:
            notes.append(f"filter: {self.filter_box.value}")
        if not self.mouse.ours:
            key = keys_here(self).shown("board.mouse")
            notes.append(f"the mouse selects text ({key})")
        if left_out:
            notes.append(f"{left_out} older ({keys_here(self).shown('board.history')})")
        return notes
