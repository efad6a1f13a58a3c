"""What stands above the pane: which task, its tabs, its open question; and the empty state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from caesar_core.board.activity import activity
from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.views import QuestionView
from caesar_tui.render.cells import size_text
from caesar_tui.render.task_row import ink_of
from caesar_tui.widgets.safe import content
from caesar_tui.widgets.status_bar import QuietStatic

TABS: Final = (("stream", "Stream"), ("diff", "Diff"))
_COLORS: Final = {"ok": "$success", "warn": "$warning", "bad": "$error", "accent": "$accent"}


class Tab(Static):
    """A tab that can be clicked."""

    def __init__(self, name: str, title: str, number: int) -> None:
        super().__init__(Content(f" {number} {title} "), id=f"tab-{name}", markup=False)
        self._name_of_tab = name

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

    def compose(self) -> ComposeResult:
        """Lay out title, tabs, what it does and what it asks."""
        yield QuietStatic(id="head-title")
        with Horizontal(id="head-tabs"):
            for number, (name, title) in enumerate(TABS, 1):
                yield Tab(name, title, number)
            yield QuietStatic(id="head-follow")
        yield QuietStatic(id="head-doing")
        yield QuietStatic(id="head-question")

    def on_mount(self) -> None:
        """Begin with the first tab."""
        self.show_tab(TABS[0][0])
        self.moved(following=True, unseen=0)

    def show(self, row: Row | None, now: datetime) -> None:
        """Show a task, or that none is chosen."""
        title, doing = Content(""), Content("")
        asked: tuple[QuestionView, ...] = ()
        if row is not None:
            title, doing = self._title(row), self._doing(row, now)
            asked = row.view.open_questions
        self.query_one("#head-title", QuietStatic).tell(title)
        line = self.query_one("#head-doing", QuietStatic)
        line.display = bool(doing)
        line.tell(doing)
        question = self.query_one("#head-question", QuietStatic)
        question.display = bool(asked)
        if asked:
            question.tell(self._question(asked))

    def show_tab(self, name: str) -> None:
        """Mark the tab that is shown."""
        for tab in self.query(Tab):
            tab.set_class(tab.id == f"tab-{name}", "-current")
        self.query_one("#head-follow").display = name == "stream"

    def moved(self, *, following: bool, unseen: int) -> None:
        """Say whether the stream's end is followed."""
        mark = self._glyphs.more
        text = (
            f"{mark} following" if following else f"{unseen} new {mark}" if unseen else "f follows"
        )
        self.query_one("#head-follow", QuietStatic).tell(content(text, "$dim"))

    def _title(self, row: Row) -> Content:
        facts, stand = row.view.facts, row.standing
        color = _COLORS.get(ink_of(stand.state), "$dim")
        rest = [facts.agent, facts.role or "", facts.isolation, facts.mode]
        size = size_text(facts.insertions, facts.deletions, self._glyphs.minus)
        dot = f" {self._glyphs.bullet} "
        text = dot.join(part for part in (*rest, size) if part)
        state = content(f"{stand.mark(self._glyphs)} {stand.word}", f"bold {color}")
        return Content.assemble(state, content(dot + text, "$dim"))

    def _doing(self, row: Row, now: datetime) -> Content:
        if row.view.facts.is_active and not row.view.open_questions:
            doing = activity(row.view, now).text
            if doing:
                return content(doing)
        return content(row.view.facts.objective[:2_000].replace("\n", " "))

    def _question(self, asked: tuple[QuestionView, ...]) -> Content:
        first = asked[0]
        lines = [content(f"{self._glyphs.question} {first.question[:4_000]}", "bold $accent")]
        lines += [content(f"  ({n}) {value}") for n, value in enumerate(first.options, 1)]
        more = f" {self._glyphs.bullet} {len(asked) - 1} more" if len(asked) > 1 else ""
        lines.append(content(f"  caesar answer {first.task_id[:10]} {first.id[:8]}{more}", "$dim"))
        return Content("\n").join(lines)


class EmptyState(Static):
    """What to do when there is nothing to see."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(_empty_text(glyphs), id=id, markup=False)


def _empty_text(glyphs: Glyphs) -> Content:
    rows = (
        ('caesar run "…" --agent codex', "delegate a task; it appears here"),
        ("caesar demo", "see how it works, without any agent installed"),
        ("caesar doctor", "see which agents are installed"),
    )
    lines = [Content.styled(f"{glyphs.brand}  No task yet", "bold $accent"), Content("")]
    for command, meaning in rows:
        shown = command.replace("…", "fix the parser")
        lines.append(Content.assemble((f"{shown:<42}", "bold"), (meaning, "$dim")))
    return Content("\n").join(lines)
