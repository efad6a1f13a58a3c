"""One task in full: its head, the tab that is shown, its open question."""

from __future__ import annotations

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.widgets import ContentSwitcher, Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import TaskView
from caesar_tui.keymap import Key, Scope
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.event_pages import EventPages
from caesar_tui.widgets.find_line import FindLine
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
    find = query_one("#find", FindLine)

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
        yield FindLine(placeholder="search the stream", id="find", compact=True)
        yield QuestionForm(self._glyphs, id="form")

    @property
    def scope(self) -> Scope | None:
        """What the keys mean to what has the focus in here."""
        if self.form.line.has_focus:
            return "answer"
        if self.find.has_focus:
            return "find"
        return "stream" if self.stream.has_focus else None

    def allows(self, key: Key) -> bool:
        """Whether a key of the focused part can do anything."""
        return key.scope != "stream" or bool(self.stream.check_action(*_parsed(key.action)))

    def begin_search(self) -> None:
        """Open the line to search on."""
        self.find.display = True
        self.find.value = self.stream.needle
        self.find.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Mark what fits while a person types."""
        if message.input is self.find:
            message.stop()
            self.stream.search(message.value, jump=False)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go to the nearest match."""
        if message.input is self.find:
            message.stop()
            self._end_search(message.value)

    def on_find_line_left(self, message: FindLine.Left) -> None:
        """End the search."""
        message.stop()
        self._end_search("")

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
        self.stream.tick(now if row is not None and row.view.facts.is_active else None)
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

    def on_event_pages_moved(self, message: EventPages.Moved) -> None:
        """Say whether the end is followed."""
        message.stop()
        self.head.moved(following=message.following, unseen=message.unseen, note=message.note)

    def on_resize(self) -> None:
        """Leave the question's answer on the screen."""
        self.form.fit_into(self.size.width, self.size.height - _HEAD_AND_STREAM)

    def _end_search(self, text: str) -> None:
        self.find.display = False
        self.stream.focus()
        self.stream.search(text, jump=True)


def _parsed(action: str) -> tuple[str, tuple[object, ...]]:
    return action.partition("(")[0], ()
