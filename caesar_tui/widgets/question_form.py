"""The open question of the chosen task, and the line to answer it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.views import QuestionView
from caesar_core.clock import parse_iso
from caesar_core.text import one_line
from caesar_tui.keymap import bindings
from caesar_tui.messages import Answered, AnswerGiven
from caesar_tui.widgets.safe import content, fit, plain
from caesar_tui.widgets.status_bar import QuietStatic

_LONGEST: Final = 16_000
_WIDEST_OPTION: Final = 60
_NUMBERS: Final = "123456789"


@dataclass(slots=True)
class Draft:
    """A half-made answer: words, or the value of an option."""

    text: str = ""
    chosen: str | None = None


class AnswerLine(Input):
    """Takes free words; on an empty line a digit chooses an option."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("answer")]
    options = 0

    @dataclass
    class Picked(Message):
        """An option was chosen: its place, or a step from the one that is."""

        place: int | None = None
        step: int = 0

    class Left(Message):
        """The line was left."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Let the number of an option through to its binding while the line is empty."""
        return not self._chooses(character) and super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        """Keep the number of an option out of the line."""
        if self._chooses(event.character):
            event.prevent_default()

    def _chooses(self, character: str | None) -> bool:
        numbers = _NUMBERS[: self.options]
        return not self.value and character is not None and character in numbers

    def on_paste(self, event: events.Paste) -> None:
        """Keep all lines of what is pasted, as one."""
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(plain(" ".join(event.text.split())))

    def action_pick(self, number: int) -> None:
        """Choose an option by its number."""
        self.post_message(self.Picked(number - 1))

    def action_step(self, step: int) -> None:
        """Choose the option before or after."""
        self.post_message(self.Picked(step=step))

    def action_leave(self) -> None:
        """Leave the line; the draft stays."""
        self.post_message(self.Left())


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

    def compose(self) -> ComposeResult:
        """Lay out who waits how long, the question, its options and the line."""
        yield QuietStatic(id="form-title")
        with VerticalScroll(id="form-text", can_focus=False):
            yield QuietStatic(id="form-question")
        with VerticalScroll(id="form-choice", can_focus=False):
            yield Options(id="form-options")
        yield AnswerLine(id="form-line", compact=True, select_on_focus=False)

    @property
    def is_open(self) -> bool:
        """Whether there is a question to answer."""
        return self._asked is not None

    def show(self, asked: Sequence[QuestionView], now: datetime) -> None:
        """Show the first of these questions; one that is being answered stays in its place."""
        waiting = [q for q in asked if _key(q) not in self._sent]
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

    def on_input_changed(self, message: Input.Changed) -> None:
        """Keep the draft; words take the place of an option."""
        message.stop()
        draft = self._draft()
        draft.text = message.value
        if message.value and draft.chosen is not None:
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
            self.line.value = ""
            self.line.focus()
            self._options()

    def on_input_submitted(self, message: Input.Submitted) -> None:
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
            with self.line.prevent(Input.Changed):
                self.line.value = self._draft().text
            self.line.cursor_position = len(self.line.value)
            self._options()

    def _draft(self) -> Draft:
        assert self._asked is not None
        return self._drafts.setdefault(_key(self._asked), Draft())

    def _title(self, asked: QuestionView, more: int, now: datetime, *, is_open: bool) -> None:
        dot = f" {self._glyphs.bullet} "
        parts = [f"{self._glyphs.question} question", _closing(asked.closes_at, now)]
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
        numbers = "1" if count == 1 else f"1-{min(count, len(_NUMBERS))}"
        return f"{way}: {numbers} or your own words"


def _key(asked: QuestionView) -> tuple[str, str]:
    return asked.task_id, asked.id


def _closing(closes_at: str | None, now: datetime) -> str:
    """Return when the agent goes on without an answer."""
    moment = parse_iso(closes_at or "")
    if moment is None:
        return "the agent waits for the answer"
    left = int((moment - now).total_seconds())
    if left <= 0:
        return "the agent goes on alone now"
    minutes, seconds = divmod(left, 60)
    return f"the agent goes on alone in {minutes}:{seconds:02d}"
