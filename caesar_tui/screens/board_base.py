"""What the parts of the home screen share: its state, its widgets, and how something is done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import TaskView
from caesar_core.clock import Clock
from caesar_tui.messages import GiveUpWanted, Intent, Working
from caesar_tui.model import BoardModel
from caesar_tui.outlook import Outlook
from caesar_tui.widgets.safe import plain
from caesar_tui.widgets.task_pane import TaskPane
from caesar_tui.widgets.task_table import TaskTable


class BoardBase(Screen[None]):
    """The state of the home screen.

    Args:
        root: the project's folder, for the header.
        clock: the time.
        act: carries an intent out, without blocking.
        only: what the list is filtered by in the beginning.
        race: the race that is shown first, over the list.
        until_over: leave a moment after all that is shown has ended.

    """

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
        race: str | None = None,
        until_over: bool = False,
    ) -> None:
        super().__init__()
        self.root = root
        self.clock = clock
        self.glyphs = glyphs
        self.act = act
        self.board_model = BoardModel()
        self.outlook = Outlook()
        self._only_at_first = only
        self._race_at_first = race
        self._until_over = until_over
        self._shown: dict[str, Row] = {}
        self._said = ""
        self.working = Working()
        self.chosen_next: str | None = None

    @property
    def chosen_view(self) -> TaskView | None:
        """The chosen task."""
        chosen = self.table.chosen
        return None if chosen is None else self.board_model.tasks.get(chosen)

    @property
    def is_current(self) -> bool:
        """Whether any of it can be seen.

        Textual also paints what lies directly below a screen that covers it, and then both again.
        """
        top = self.app.screen_stack[-1:]
        covered = any(screen is not self and screen.styles.background.a == 1 for screen in top)
        return super().is_current and not covered

    @property
    def is_zoomed(self) -> bool:
        """Whether the pane has the whole screen."""
        return self.has_class("-zoom")

    @abstractmethod
    def render_board(self) -> None:
        """Bring every widget up to date."""

    @abstractmethod
    def render_keys(self) -> None:
        """Show the keys that apply now."""

    def show_task(self, task_id: str) -> None:
        """Choose a task; a filter that hides it is cleared."""
        if task_id not in self._shown:
            self.filter_box.value = ""
            self.filter_box.display = False
            self.render_board()
        self.table.chosen = task_id

    @abstractmethod
    def show_tab(self, name: str) -> None:
        """Show a tab of the pane."""

    @abstractmethod
    def show_race(self, race_id: str) -> None:
        """Show a race."""

    def do(self, intent: Intent) -> None:
        """Have something done that a person will be told of."""
        self._said = ""
        self.render_board()
        self.act(intent)

    def gives_up(self) -> bool:
        """Wait no longer for what goes on, and tell whether there was anything to give up."""
        if self.working.can_stop:
            self.act(GiveUpWanted())
        return self.working.can_stop

    def on_working(self, message: Working) -> None:
        """Say what goes on."""
        message.stop()
        self.working = message
        self.render_board()

    def say(self, text: str, *, loud: bool = False) -> None:
        """Tell the person: until the next action; `loud`: at once and in full as well."""
        self._said = text
        if loud:
            self.notify(plain(text), severity="error", markup=False)
        self.render_board()
