"""Every key, from the one table."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from caesar_tui.keymap import keys_of


class HelpScreen(ModalScreen[None]):
    """The help screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss(None)", "leave", show=False)
    ]

    def compose(self) -> ComposeResult:
        """List the keys."""
        with VerticalScroll(id="sheet") as sheet:
            sheet.border_title = Content(" Keys ")
            sheet.border_subtitle = Content(" Esc leaves ")
            rows = [
                Content.assemble((f"{key.shown:<6}", "bold $accent"), key.help)
                for key in keys_of("board")
            ]
            yield Static(Content("\n").join(rows))
