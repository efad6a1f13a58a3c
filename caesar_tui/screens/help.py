"""Every key, from the one table."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from caesar_tui.keyed import Keymap, keys_here
from caesar_tui.keymap import Key, Scope

SECTIONS: Final[tuple[tuple[Scope, str], ...]] = (
    ("list", ""),
    ("board", ""),
    ("pane", "In the pane"),
    ("stream", "In the stream and the raw log"),
    ("find", "In the line to search on"),
    ("diff", "In the diff"),
    ("files", "In the list of changed files"),
    ("timeline", "In the timeline"),
    ("answer", "In an answer"),
    ("inbox", "In the list of questions"),
    ("tiles", "On the wall"),
    ("wall", ""),
    ("race", "In a race"),
    ("matrix", "In a race's list of files"),
    ("compare", "In a race's lines"),
    ("form", "In the form for a new delegation"),
    ("choice", ""),
    ("palette", "In the palette"),
    ("sheet", "In a sheet that asks"),
)


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
            yield Static(Content("\n").join(_rows(keys_here(self))))


def _rows(keys: Keymap) -> list[Content]:
    rows: list[Content] = []
    for scope, title in SECTIONS:
        if title:
            rows += [Content(""), Content.styled(title, "bold")]
        rows += [_row(key) for key in keys.of(scope)]
    return rows


def _row(key: Key) -> Content:
    return Content.assemble((f"{key.shown:<8}", "bold $accent"), key.help)
