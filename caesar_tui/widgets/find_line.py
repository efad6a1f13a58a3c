"""The line on which a person types what to search for."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from caesar_tui.keymap import bindings


class FindLine(Input):
    """Takes a few words; Enter goes to a match, Esc ends the search."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("find")]

    class Left(Message):
        """The search was given up."""

    def action_leave(self) -> None:
        """Give the search up."""
        self.post_message(self.Left())
