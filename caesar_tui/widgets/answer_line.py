"""Where a person writes an answer: words on one line or more, or the number of an option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea

from caesar_tui.keymap import bindings
from caesar_tui.widgets.safe import plain

NUMBERS: Final = "123456789"


class AnswerLine(TextArea):
    """Takes free words; while it is empty a digit chooses an option.

    Enter sends, Ctrl+J begins a new line.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("answer")]
    options = 0

    @dataclass
    class Picked(Message):
        """An option was chosen: its place, or a step from the one that is."""

        place: int | None = None
        step: int = 0

    class Left(Message):
        """The line was left."""

    class Sent(Message):
        """What is written is to be sent."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            id=id, compact=True, highlight_cursor_line=False, max_checkpoints=50, soft_wrap=True
        )
        self.cursor_blink = False

    @property
    def value(self) -> str:
        """What is written."""
        return self.text

    def write(self, text: str) -> None:
        """Take other words, the cursor behind them; nobody is told."""
        with self.prevent(TextArea.Changed):
            self.text = text
        self.move_cursor(self.document.end)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Let Enter, and the number of an option while nothing is written, to their bindings."""
        if key == "enter" or self._chooses(character):
            return False
        return super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        """Keep Enter and the number of an option out of the words."""
        if event.key == "enter" or self._chooses(event.character):
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Keep all lines of what is pasted, harmless."""
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        self.insert(plain(text, keep_newlines=True))

    def action_pick(self, number: int) -> None:
        """Choose an option by its number."""
        self.post_message(self.Picked(number - 1))

    def action_step(self, step: int) -> None:
        """Choose the option before or after; in a longer text, go a line up or down."""
        if "\n" not in self.text:
            self.post_message(self.Picked(step=step))
        elif step < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def action_submit(self) -> None:
        """Send what is written or chosen."""
        self.post_message(self.Sent())

    def action_leave(self) -> None:
        """Leave the line; the draft stays."""
        self.post_message(self.Left())

    def _chooses(self, character: str | None) -> bool:
        numbers = NUMBERS[: self.options]
        return not self.text and character is not None and character in numbers
