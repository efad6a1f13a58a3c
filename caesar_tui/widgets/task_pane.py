"""One task in full: its head, the tab that is shown, its open question."""

from __future__ import annotations

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.widgets import ContentSwitcher

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import TaskView
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.question_form import QuestionForm
from caesar_tui.widgets.task_head import TaskHead

_HEAD_AND_STREAM = 5


class TaskPane(Vertical):
    """Shows the chosen task."""

    head = query_one("#head", TaskHead)
    stream = query_one("#stream", EventLog)
    diff = query_one("#diff", DiffPane)
    switcher = query_one("#tabs", ContentSwitcher)
    form = query_one("#form", QuestionForm)

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._diff_of: tuple[str, str | None] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the head, the tabs' contents and the question."""
        yield TaskHead(self._glyphs, id="head")
        with ContentSwitcher(initial="stream", id="tabs"):
            yield EventLog(self._glyphs, id="stream")
            yield DiffPane(self._glyphs, id="diff")
        yield QuestionForm(self._glyphs, id="form")

    @property
    def tab(self) -> str:
        """The tab that is shown: `stream` or `diff`."""
        return self.switcher.current or "stream"

    def choose(self, task_id: str | None) -> None:
        """Begin with another task."""
        self.stream.show(task_id)
        self.diff.show((), "Reading the changes")
        self._diff_of = None

    def show(self, row: Row | None, now: datetime) -> None:
        """Bring head and question up to date."""
        self.head.show(row, now)
        self.form.show(() if row is None else row.view.open_questions, now)

    def show_tab(self, name: str) -> None:
        """Show another tab."""
        self.switcher.current = name
        self.head.show_tab(name)

    def focus_content(self) -> None:
        """Let the keys move what the tab shows."""
        self.query_one(f"#{self.tab}").focus()

    def wants_diff(self, view: TaskView | None) -> bool:
        """Whether a diff is to be read: when it is looked at, and when its task has ended."""
        wanted = None if view is None else (view.id, view.facts.ended_at)
        if self.tab != "diff" or wanted is None or self._diff_of == wanted:
            return False
        self._diff_of = wanted
        return True

    def on_event_log_moved(self, message: EventLog.Moved) -> None:
        """Say whether the end is followed."""
        message.stop()
        self.head.moved(following=message.following, unseen=message.unseen)

    def on_resize(self) -> None:
        """Leave the question's answer on the screen."""
        self.form.fit_into(self.size.width, self.size.height - _HEAD_AND_STREAM)
