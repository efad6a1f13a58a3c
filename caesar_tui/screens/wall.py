"""All running tasks at once, for a second monitor: calm, live, answered by a digit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.messages import AnswerGiven, Intent
from caesar_tui.tail import Tail
from caesar_tui.widgets.safe import content
from caesar_tui.widgets.status_bar import KeyBar, QuietStatic
from caesar_tui.widgets.wall import Wall


class WallScreen(Screen[str | None]):
    """Gives back the task to show in full, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("wall")]

    def __init__(self, act: Callable[[Intent], None], glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._act = act
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Lay out the tiles, a line of state, and the keys."""
        yield Wall(self._glyphs, id="wall")
        yield QuietStatic(id="none")
        yield QuietStatic(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Show the keys."""
        self.set_focus(self.query_one(Wall))
        self.query_one(KeyBar).show(
            key for scope in ("tiles", "wall") for key in keys_here(self).of(scope) if key.label
        )

    def show(
        self,
        rows: Sequence[Row],
        names: Mapping[str, str],
        tails: Mapping[str, Tail],
        now: datetime,
    ) -> None:
        """Bring the tiles up to date."""
        if not self.is_mounted:
            return
        wall = self.query_one(Wall)
        wall.show(rows, names, tails, now)
        none = self.query_one("#none", QuietStatic)
        none.display = not rows
        none.tell(Content("Nothing runs."))
        wall.display = bool(rows)
        pages = wall.grid.pages
        page = f"page {wall.page + 1} of {pages}" if pages > 1 else ""
        self.query_one("#status", QuietStatic).tell(content(page, "$dim"))

    def on_wall_opened(self, message: Wall.Opened) -> None:
        """Leave for the task."""
        message.stop()
        self.dismiss(message.task_id)

    def action_answer(self, number: int) -> None:
        """Answer the chosen tile's question by the value of an option."""
        row = self.query_one(Wall).chosen_row
        asked = row.view.open_questions if row is not None else ()
        if asked and number <= len(asked[0].options):
            option = asked[0].options[number - 1]
            self._act(AnswerGiven(asked[0].task_id, asked[0].id, option))
