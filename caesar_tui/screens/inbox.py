"""Every open question of every task; Enter goes to the one that is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.views import QuestionView
from caesar_core.text import one_line
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell
from caesar_tui.render.questions import left_text
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.status_bar import KeyBar, QuietStatic

_LONGEST = 400


class QuestionList(CursorView):
    """A line for each question."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cut = glyphs.cut
        self._asked: Sequence[QuestionView] = ()
        self._names: Mapping[str, str] = {}
        self._now: datetime | None = None

    @property
    def chosen(self) -> QuestionView | None:
        """The question under the cursor."""
        return self._asked[self.cursor] if self._asked else None

    def show(self, asked: Sequence[QuestionView], names: Mapping[str, str], now: datetime) -> None:
        """Show these questions; the cursor stays on its own."""
        before = self.chosen
        same = [_key(q) for q in asked] == [_key(q) for q in self._asked]
        self._asked, self._names, self._now = asked, names, now
        if not same:
            keys = [_key(question) for question in asked]
            if before is not None and _key(before) in keys:
                self.cursor = keys.index(_key(before))
            self.cursor = min(self.cursor, max(0, len(asked) - 1))
            self.rows_changed()
        else:
            self.refresh()

    def row_count(self) -> int:
        """Return the number of questions."""
        return len(self._asked)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return time left, task, and what is asked."""
        asked = self._asked[index]
        assert self._now is not None
        name = self._names.get(asked.task_id, asked.task_id)
        left = left_text(asked.closes_at, self._now) or "waits"
        head = (Cell(left, 6, "dim", right=True), Cell(name, 20, "accent"))
        text = one_line(asked.question, _LONGEST)
        return self.inked((*head, Cell(text, max(1, width - 28))))


class InboxScreen(ModalScreen[QuestionView | None]):
    """Gives back the question to answer, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("inbox")]

    def __init__(self, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Lay out the list and its keys."""
        with Vertical(id="sheet", classes="-wide-sheet") as sheet:
            sheet.border_title = Content(" Questions ")
            yield QuestionList(self._glyphs, id="questions")
            yield QuietStatic(id="none")
            yield KeyBar(id="sheet-keys")

    def on_mount(self) -> None:
        """Show the keys."""
        self.query_one(KeyBar).show(key for key in keys_here(self).of("inbox") if key.label)
        self.set_focus(self.query_one(QuestionList))

    def show(self, asked: Sequence[QuestionView], names: Mapping[str, str], now: datetime) -> None:
        """Bring the list up to date."""
        if not self.is_mounted:
            return
        self.query_one(QuestionList).show(asked, names, now)
        text = "" if asked else "No agent waits for an answer."
        self.query_one("#none", QuietStatic).tell(Content(text))

    def on_click(self, event: events.Click) -> None:
        """Go to the question that was clicked twice."""
        if event.chain == 2 and event.widget is self.query_one(QuestionList):
            self.action_choose()

    def action_choose(self) -> None:
        """Go to the chosen question."""
        chosen = self.query_one(QuestionList).chosen
        if chosen is not None:
            self.dismiss(chosen)


def _key(asked: QuestionView) -> tuple[str, str]:
    return asked.task_id, asked.id
