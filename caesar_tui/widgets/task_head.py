"""What stands above the pane: which task, what it is for, its tabs; and the empty state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import TaskView
from caesar_core.text import one_line
from caesar_tui.keyed import keys_here
from caesar_tui.render.cells import size_text
from caesar_tui.render.task_row import ink_of, time_of
from caesar_tui.widgets.safe import content
from caesar_tui.widgets.status_bar import QuietStatic

LONGEST: Final = 400
"""Characters of an objective that one line could ever need."""
TABS: Final = (
    ("stream", "Stream"),
    ("diff", "Diff"),
    ("report", "Report"),
    ("task", "Task"),
    ("raw", "Raw"),
    ("timeline", "Timeline"),
)
_TABS_WIDTH: Final = sum(len(title) + 4 for _, title in TABS)
FIRST_COMMANDS: Final = (
    ('caesar run --agent shell "make test"', "run a command as a task; it appears here"),
    ("caesar demo", "see two agents race, without any agent installed"),
    ("caesar run --help", "see what a task can be told"),
)
_COLORS: Final = {"ok": "$success", "warn": "$warning", "bad": "$error", "accent": "$accent"}


class Tab(Static):
    """A tab that can be clicked."""

    def __init__(self, name: str, title: str, number: int) -> None:
        super().__init__(Content(f" {number} {title} "), id=f"tab-{name}", markup=False)
        self._name_of_tab = name
        self._number = number
        self._title = title
        self._text = ""

    def shorten(self, *, short: bool) -> None:
        """Show the number alone, or the title as well."""
        text = f" {self._number} " if short else f" {self._number} {self._title} "
        if text != self._text:
            self._text = text
            self.update(Content(text))

    def on_click(self) -> None:
        """Pick this tab."""
        self.post_message(TaskHead.Picked(self._name_of_tab))


class TaskHead(Vertical):
    """The head of the pane."""

    @dataclass
    class Picked(Message):
        """A tab was picked."""

        tab: str

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._tab = TABS[0][0]
        self._follow = (f"{glyphs.more} following", glyphs.more)
        self._age = ("", "")

    def compose(self) -> ComposeResult:
        """Lay out title, objective, what it does, and tabs."""
        yield QuietStatic(id="head-title")
        yield QuietStatic(id="head-objective")
        yield QuietStatic(id="head-doing")
        with Horizontal(id="head-tabs"):
            for number, (name, title) in enumerate(TABS, 1):
                yield Tab(name, title, number)
            yield QuietStatic(id="head-follow")

    def on_resize(self) -> None:
        """Shorten the tabs where there is no room for all titles; Textual still lays out now."""
        self.call_after_refresh(self._lay_out)

    def on_mount(self) -> None:
        """Begin with the first tab."""
        self.show_tab(TABS[0][0])

    def show(self, row: Row | None, now: datetime, warning: str = "") -> None:
        """Show a task, or that none is chosen; `warning` says what its result runs into."""
        title = objective = doing = Content("")
        if row is not None:
            title, doing = self._title(row, now), self._doing(row, now, warning)
            objective = content(one_line(row.view.facts.objective, LONGEST))
        self._tell(title, objective, doing)

    def show_race(self, field: Sequence[TaskView]) -> None:
        """Show that a race is chosen, and what opens it."""
        if field:
            facts = [view.facts for view in field]
            done = sum(not known.is_active for known in facts)
            dot = f" {self._glyphs.bullet} "
            agents = ", ".join(known.agent for known in facts)
            title = dot.join((f"race {facts[0].race_id}", f"{done}/{len(facts)} done", agents))
            objective = content(one_line(facts[0].objective, LONGEST))
            fold = keys_here(self).shown("list.turn")
            keys = f"Enter shows the race{dot}{fold} unfolds it into its contestants"
            self._tell(content(title, "bold $accent"), objective, content(keys, "$dim"))

    def _tell(self, title: Content, objective: Content, doing: Content) -> None:
        for name, text in (("title", title), ("objective", objective), ("doing", doing)):
            line = self.query_one(f"#head-{name}", QuietStatic)
            line.set_class(not text, "-nothing")
            line.tell(text)

    def show_tab(self, name: str) -> None:
        """Mark the tab that is shown."""
        self._tab = name
        for tab in self.query(Tab):
            tab.set_class(tab.id == f"tab-{name}", "-current")
        self.query_one("#head-follow").display = name in {"stream", "raw", "diff"}
        self._lay_out()

    def moved(self, *, following: bool, unseen: int, note: str = "") -> None:
        """Say whether the stream's end is followed, and what is searched for."""
        mark = self._glyphs.more
        said = f"{mark} following" if following else f"{unseen} new {mark}" if unseen else ""
        sign = mark if following else f"{unseen}{mark}" if unseen else ""
        follow = f"{keys_here(self).shown('board.follow')} follows"
        self._follow = ("  ".join(filter(None, (note, said or follow))), note or sign)
        self._lay_out()

    def aged(self, *, is_old: bool) -> None:
        """Say whether the diff that is shown has become old."""
        key = keys_here(self).shown("board.diff")
        said = (f"changed since, {key} reads anew", "changed") if is_old else ("", "")
        if said != self._age:
            self._age = said
            self._lay_out()

    def _lay_out(self) -> None:
        """Show every tab's title where there is room for them beside what has to be said."""
        full, least = self._follow if self._tab in {"stream", "raw"} else ("", "")
        if self._tab == "diff":
            full, least = self._age
        width = self.content_size.width
        room = width - _TABS_WIDTH
        short = room < cell_len(least)
        for tab in self.query(Tab):
            tab.shorten(short=short and tab.id != f"tab-{self._tab}")
        if short:
            room = width - 3 * len(TABS) - len(self._tab) - 1
        text = full if cell_len(full) <= room else least
        self.query_one("#head-follow", QuietStatic).tell(content(text, "$dim"))

    def _title(self, row: Row, now: datetime) -> Content:
        facts, stand = row.view.facts, row.standing
        color = _COLORS.get(ink_of(stand.state), "$dim")
        rest = [facts.agent, facts.role or "", facts.isolation, facts.mode]
        size = size_text(facts.insertions, facts.deletions, self._glyphs.minus)
        dot = f" {self._glyphs.bullet} "
        text = dot.join(part for part in (*rest, size, time_of(row, now)) if part)
        state = content(f"{stand.mark(self._glyphs)} {stand.word}", f"bold {color}")
        return Content.assemble(state, content(dot + text, "$dim"))

    def _doing(self, row: Row, now: datetime, warning: str) -> Content:
        parts = [content(warning, "$warning")] if warning else []
        if row.view.facts.is_active and not row.view.open_questions:
            parts.insert(0, content(activity(row.view, now).text, "$dim"))
        return content(f" {self._glyphs.bullet} ", "$dim").join(parts)


class EmptyState(Static):
    """What to do when there is nothing to see."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._glyphs = glyphs

    def on_mount(self) -> None:
        """Say which key begins."""
        self.update(_empty_text(self._glyphs, keys_here(self).shown("board.new")))


def _empty_text(glyphs: Glyphs, key: str) -> Content:
    lines = [Content.styled(f"{glyphs.brand}  No task yet", "bold $accent"), Content("")]
    pressed = (key, "fill in a new delegation, here")
    for command, meaning in (pressed, *FIRST_COMMANDS):
        lines.append(Content.assemble((f"{command:<38}", "bold"), (meaning, "$dim")))
    return Content("\n").join(lines)
