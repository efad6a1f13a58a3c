"""The open question of the chosen task, and the line to answer it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import TextArea

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.views import QuestionView
from caesar_core.text import one_line
from caesar_tui.messages import Answered, AnswerGiven
from caesar_tui.render.questions import closing
from caesar_tui.widgets.answer_line import NUMBERS, AnswerLine
from caesar_tui.widgets.safe import content, fit, plain
from caesar_tui.widgets.status_bar import QuietStatic

_LONGEST: Final = 16_000
_WIDEST_OPTION: Final = 60


@dataclass(slots=True)
class Draft:
    """A half-made answer: words, or the value of an option."""

    text: str = ""
    chosen: str | None = None


class Options(QuietStatic):
    """The options of a question; a click chooses one."""

    def action_pick(self, number: int) -> None:
        """Choose an option by its number."""
        self.post_message(AnswerLine.Picked(number - 1))


class QuestionForm(Vertical):
    """Shows a question and sends `AnswerGiven` up. Drafts are kept for each question."""

    text = query_one("#form-text", VerticalScroll)
    line = query_one("#form-line", AnswerLine)

    @dataclass
    class Given(Message):
        """A person sent an answer."""

        given: AnswerGiven

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._asked: QuestionView | None = None
        self._drafts: dict[tuple[str, str], Draft] = {}
        self._sent: set[tuple[str, str]] = set()
        self._width = 80
        self._first: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        """Lay out who waits how long, the question, its options and the line."""
        yield QuietStatic(id="form-title")
        with VerticalScroll(id="form-text", can_focus=False):
            yield QuietStatic(id="form-question")
        with VerticalScroll(id="form-choice", can_focus=False):
            yield Options(id="form-options")
        yield AnswerLine(id="form-line")

    @property
    def is_open(self) -> bool:
        """Whether there is a question to answer."""
        return self._asked is not None

    def prefer(self, asked: QuestionView) -> None:
        """Show this one before the others of its task."""
        self._first = _key(asked)

    def show(self, asked: Sequence[QuestionView], now: datetime) -> None:
        """Show the first of these questions; one that is being answered stays in its place."""
        waiting = [q for q in asked if _key(q) not in self._sent]
        waiting.sort(key=lambda question: _key(question) != self._first)
        if not self.line.has_focus:
            self._take(waiting[0] if waiting else None)
        if self._asked is not None:
            is_open = any(_key(q) == _key(self._asked) for q in waiting)
            self._title(self._asked, len(waiting) - 1, now, is_open=is_open)

    def answered(self, message: Answered) -> None:
        """Hear what became of an answer: drop its draft, or let it be sent again."""
        key = (message.given.task_id, message.given.question_id)
        if message.failure:
            self._sent.discard(key)
        else:
            self._drafts.pop(key, None)

    def fit_into(self, width: int, rows: int) -> None:
        """Leave the line on the screen, whatever the question says."""
        self._width = max(1, width - 2)
        self._options()
        room = max(2, rows - 2)
        self.query_one("#form-choice").styles.max_height = max(1, room // 2)
        self.text.styles.max_height = max(1, room - room // 2)

    def on_descendant_focus(self) -> None:
        """Say how to answer."""
        self._options()

    def on_descendant_blur(self) -> None:
        """Say how to come back."""
        self._options()

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        """Keep the draft; words take the place of an option."""
        message.stop()
        draft = self._draft()
        draft.text = self.line.value
        if draft.text and draft.chosen is not None:
            draft.chosen = None
            self._options()

    def on_answer_line_picked(self, message: AnswerLine.Picked) -> None:
        """Choose an option by its value."""
        message.stop()
        values = () if self._asked is None else self._asked.options
        if not values:
            return
        draft = self._draft()
        place = message.place
        if place is None:
            known = values.index(draft.chosen) if draft.chosen in values else None
            first = 0 if message.step > 0 else len(values) - 1
            place = first if known is None else (known + message.step) % len(values)
        if place < len(values):
            draft.chosen, draft.text = values[place], ""
            self.line.write("")
            self.screen.set_focus(self.line)
            self._options()

    def on_answer_line_sent(self, message: AnswerLine.Sent) -> None:
        """Send the chosen option or the words."""
        message.stop()
        asked, draft = self._asked, self._draft()
        text = draft.text.strip() or draft.chosen
        if asked is not None and text and _key(asked) not in self._sent:
            self._sent.add(_key(asked))
            self.post_message(self.Given(AnswerGiven(asked.task_id, asked.id, text)))

    def _take(self, asked: QuestionView | None) -> None:
        if asked == self._asked:
            return
        self._asked = asked
        self.set_class(asked is not None, "-open")
        if asked is not None:
            question = content(asked.question[:_LONGEST].strip(), "bold")
            self.query_one("#form-question", QuietStatic).tell(question)
            self.line.options = len(asked.options)
            self.line.write(self._draft().text)
            self._options()

    def _draft(self) -> Draft:
        assert self._asked is not None
        return self._drafts.setdefault(_key(self._asked), Draft())

    def _title(self, asked: QuestionView, more: int, now: datetime, *, is_open: bool) -> None:
        dot = f" {self._glyphs.bullet} "
        parts = [f"{self._glyphs.question} question", closing(asked.closes_at, now)]
        if not is_open:
            parts[1:] = ["no longer open"]
        elif more > 0:
            parts.append(f"{more} more")
        self.query_one("#form-title", QuietStatic).tell(content(dot.join(parts), "bold $accent"))

    def _options(self) -> None:
        if self._asked is None:
            return
        values, chosen = self._asked.options, self._draft().chosen
        pieces = [
            self._option(n, value, is_chosen=value == chosen) for n, value in enumerate(values, 1)
        ]
        width = sum(piece.cell_length + 2 for piece in pieces)
        gap = Content("  " if width - 2 <= self._width else "\n")
        options = self.query_one("#form-options", Options)
        options.tell(gap.join(pieces))
        self.query_one("#form-choice").display = bool(values)
        self.line.placeholder = self._placeholder(len(values), chosen)

    def _option(self, number: int, value: str, *, is_chosen: bool) -> Content:
        shown = one_line(value[:500])
        if cell_len(plain(shown)) > _WIDEST_OPTION:
            shown = fit(shown, _WIDEST_OPTION, self._glyphs.cut)
        text = f"({number}) {shown}"
        style = "bold reverse" if is_chosen else ""
        return content(text, style).stylize(f"@click=pick({number})")

    def _placeholder(self, count: int, chosen: str | None) -> str:
        if chosen is not None:
            return f"Enter sends: {plain(one_line(chosen[:200]))}"
        way = "Answer" if self.line.has_focus else "Tab answers"
        if not count:
            return f"{way}: your own words"
        numbers = "1" if count == 1 else f"1-{min(count, len(NUMBERS))}"
        return f"{way}: {numbers} or your own words"


def _key(asked: QuestionView) -> tuple[str, str]:
    return asked.task_id, asked.id
