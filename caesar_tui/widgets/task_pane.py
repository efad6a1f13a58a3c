"""One task in full: its head, the tab that is shown, its open question."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input

from caesar_core.board.delta import Appended
from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import TaskView
from caesar_tui.keymap import Key, Scope
from caesar_tui.messages import DiffWanted, PageRead, TaskRead, TaskWanted
from caesar_tui.render.page import PageLine
from caesar_tui.render.report_page import report_page
from caesar_tui.render.task_page import task_page
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.diff_tab import GIVEN_UP, DiffTab, Reading
from caesar_tui.widgets.event_log import EventLog
from caesar_tui.widgets.event_pages import EventPages
from caesar_tui.widgets.find_line import FindLine
from caesar_tui.widgets.folded_pages import FoldedPages
from caesar_tui.widgets.page_view import PageView
from caesar_tui.widgets.question_form import QuestionForm
from caesar_tui.widgets.raw_log import RawLog
from caesar_tui.widgets.task_head import TaskHead
from caesar_tui.widgets.timeline import Timeline

_HEAD_AND_STREAM = 5


class TaskPane(Vertical):
    """Shows the chosen task."""

    head = query_one("#head", TaskHead)
    stream = query_one("#stream", EventLog)
    raw = query_one("#raw", RawLog)
    changes = query_one("#changes", DiffTab)
    diff = query_one("#diff", DiffPane)
    report = query_one("#report", PageView)
    order = query_one("#task", PageView)
    timeline = query_one("#timeline", Timeline)
    switcher = query_one("#tabs", ContentSwitcher)
    form = query_one("#form", QuestionForm)
    find = query_one("#find", FindLine)

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._task_id: str | None = None
        self._read_of: tuple[object, ...] | None = None
        self._reading: Reading = "done"
        self.tab = "stream"

    def compose(self) -> ComposeResult:
        """Lay out the head, the tabs' contents and the question."""
        yield TaskHead(self._glyphs, id="head")
        with ContentSwitcher(initial="stream", id="tabs"):
            yield EventLog(self._glyphs, id="stream")
            yield DiffTab(self._glyphs, id="changes")
            yield PageView(self._glyphs, id="report")
            yield PageView(self._glyphs, id="task")
            yield RawLog(self._glyphs, id="raw")
            yield Timeline(self._glyphs, id="timeline")
        yield FindLine(placeholder="what to search for", id="find", compact=True)
        yield QuestionForm(self._glyphs, id="form")

    @property
    def scope(self) -> Scope | None:
        """What the keys mean to what has the focus in here."""
        scopes: dict[Widget, Scope] = {
            self.form.line: "answer",
            self.find: "find",
            self.stream: "stream",
            self.raw: "stream",
            self.diff: "diff",
            self.changes.files: "files",
            self.timeline: "timeline",
        }
        focused = self.screen.focused
        return None if focused is None else scopes.get(focused)

    @property
    def searched(self) -> FoldedPages:
        """What is searched: the raw log while its tab is shown, else the stream."""
        return self.raw if self.tab == "raw" else self.stream

    def allows(self, key: Key) -> bool:
        """Whether a key of the focused part can do anything."""
        focused = self.screen.focused
        name = key.action.partition("(")[0]
        return focused is not None and bool(focused.check_action(name, ()))

    def choose(self, task_id: str | None) -> None:
        """Begin with another task."""
        self._task_id, self._read_of, self._reading = task_id, None, "done"
        self.stream.show(task_id)
        self.raw.show(task_id if self.tab == "raw" else None)
        self.changes.clear()
        for page in (self.report, self.order):
            page.show([PageLine("Reading", "dim")] if task_id else [], anew=True)

    def show(self, row: Row | None, now: datetime, warning: str = "") -> None:
        """Bring head, ages and question up to date; `warning`: see `TaskHead.show`."""
        self.head.show(row, now, warning)
        self.stream.tick(now if row is not None and row.view.facts.is_active else None)
        if self.tab == "timeline":
            self.timeline.tick(now)
        self.form.show(() if row is None else row.view.open_questions, now)

    def show_tab(self, name: str) -> None:
        """Show another tab; the same one once more: read anew what is old or was given up."""
        if name == self.tab:
            self.changes.read_anew()
            if self._reading == "given up":
                self._read_of = None
        self.tab = name
        self.switcher.current = "changes" if name == "diff" else name
        if name == "raw" and self.raw.task_id != self._task_id:
            self.raw.show(self._task_id)
        self.head.show_tab(name)
        self._tell_head()

    def focus_content(self) -> None:
        """Let the keys move what the tab shows."""
        self.screen.set_focus(self.query_one(f"#{self.tab}"))

    def wanted(self, view: TaskView, race: Mapping[str, str]) -> DiffWanted | TaskWanted | None:
        """Return what has to be read for the tab: when it is looked at, and when it changed.

        Args:
            view: the chosen task.
            race: the tasks of its race, or it alone, id to name; for the timeline.

        """
        if self.tab == "diff":
            wanted = self.changes.wanted(view)
            self.head.aged(is_old=self.changes.is_old)
            return wanted
        if self.tab == "timeline":
            self.timeline.show(race, view.id)
        facts = view.facts
        state = (view.id, facts.status, facts.report_status, facts.phase, facts.applied_at)
        if self.tab not in {"report", "task"} or self._read_of == state:
            return None
        self._read_of, self._reading = state, "asked"
        return TaskWanted(view.id)

    def given_up(self) -> None:
        """Say that what was not read yet does not come any more."""
        self.changes.given_up()
        if self._reading == "asked":
            self._reading = "given up"
            for page in (self.report, self.order):
                page.show([PageLine(GIVEN_UP, "dim")], anew=True)

    def grown(self, part: Appended) -> None:
        """Hear that the stream of a task has more."""
        self.timeline.grown(part.task_id, reset=part.reset)
        if part.task_id == self._task_id:
            self.stream.grown(part.size, reset=part.reset)
            if self.tab == "raw":
                self.raw.look_for_more()

    def take_page(self, page: PageRead) -> None:
        """Take bytes that were asked for."""
        (self.stream if page.source == "stream" else self.raw).take(page)

    def take_task(self, read: TaskRead) -> None:
        """Take a task's order and report."""
        if read.task_id != self._task_id:
            return
        self._reading = "done"
        failed = [PageLine(read.failure, "bad")] if read.failure else None
        self.report.show(failed or report_page(read.document))
        self.order.show(failed or task_page(read.document))

    def begin_search(self) -> None:
        """Open the line to search on."""
        self.find.display = True
        self.find.value = self.searched.needle
        self.screen.set_focus(self.find)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Mark what fits while a person types."""
        if message.input is self.find:
            message.stop()
            self.searched.search(message.value, jump=False)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go to the nearest match."""
        if message.input is self.find:
            message.stop()
            self._end_search(message.value)

    def on_find_line_left(self, message: FindLine.Left) -> None:
        """End the search."""
        message.stop()
        self._end_search("")

    def on_event_pages_moved(self, message: EventPages.Moved) -> None:
        """Say whether the end is followed; the screen hears it as well, for its footer."""
        del message
        self._tell_head()

    def on_resize(self) -> None:
        """Leave the question's answer on the screen."""
        self.form.fit_into(self.size.width, self.size.height - _HEAD_AND_STREAM)

    def _tell_head(self) -> None:
        shown = self.searched
        self.head.moved(following=shown.following, unseen=shown.unseen, note=shown.note)

    def _end_search(self, text: str) -> None:
        self.find.display = False
        self.screen.set_focus(self.searched)
        self.searched.search(text, jump=True)
