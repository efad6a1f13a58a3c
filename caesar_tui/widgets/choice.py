"""A field with a few values: the arrows go through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from caesar_tui.keymap import bindings


class Choice(Static, can_focus=True):
    """Shows one of several values; the first is the one that leaves the decision to others."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("choice")]

    @dataclass
    class Changed(Message):
        """Another value was chosen."""

        value: str

    def __init__(self, values: Sequence[tuple[str, str]], *, id: str) -> None:  # noqa: A002
        super().__init__("", id=id, markup=False)
        self._values = values
        self._at = 0
        self._draw()

    @property
    def value(self) -> str:
        """What is chosen."""
        return self._values[self._at][0]

    def set(self, value: str) -> None:
        """Choose a value; nobody is told."""
        known = [name for name, _ in self._values]
        self._at = known.index(value) if value in known else 0
        self._draw()

    def on_click(self) -> None:
        """Choose the next value."""
        self.action_turn(1)

    def action_turn(self, step: int) -> None:
        """Choose the next value or the one before."""
        self._at = (self._at + step) % len(self._values)
        self._draw()
        self.post_message(self.Changed(self.value))

    def _draw(self) -> None:
        self.update(Content(f"‹ {self._values[self._at][1]} ›"))
