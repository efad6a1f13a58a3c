"""The palette: everything that a key does, and every task, found by a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.status_bar import KeyBar

MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """A line of the palette.

    Attributes:
        text: what it does or is; untrusted.
        aside: a key, or an id.
        action: the action of the board that it stands for; empty for a task.
        task_id: the task that it stands for.

    """

    text: str
    aside: str = ""
    action: str = ""
    task_id: str = ""

    def fits(self, words: Sequence[str]) -> bool:
        """Whether every word is in it."""
        text = f"{self.text} {self.aside} {self.task_id}".casefold()
        return all(word in text for word in words)


class Offers(CursorView):
    """A line for each offer."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cut = glyphs.cut
        self.offers: Sequence[Offer] = ()

    def show(self, offers: Sequence[Offer]) -> None:
        """Show these."""
        self.offers = offers
        self.rows_changed()
        self.move_to(0)

    def row_count(self) -> int:
        """Return the number of offers; where none fits, the line that says so."""
        return len(self.offers) or 1

    def row_style(self, index: int) -> Style:
        """Mark the current one although the line above it has the focus."""
        if self.offers and index == self.cursor:
            return self.get_component_rich_style("view--cursor")
        return self.rich_style

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return what it does, and its key."""
        if not self.offers:
            return self.inked((Cell("nothing fits", width, "dim"),))
        offer = self.offers[index]
        side = min(16, width // 3)
        return self.inked(
            (Cell(offer.text, max(1, width - side - 1)), Cell(offer.aside, side, "dim", right=True))
        )


class PaletteScreen(ModalScreen[Offer | None]):
    """Gives back what was chosen, or `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("palette")]

    def __init__(self, title: str, offers: Sequence[Offer], glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._title = title
        self._offers = offers
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Lay out the line and the list."""
        with Vertical(id="sheet", classes="-wide-sheet") as sheet:
            sheet.border_title = Content(f" {self._title} ")
            yield Input(placeholder="a few letters", id="palette-line", compact=True)
            yield Offers(self._glyphs, id="offers")
            yield KeyBar(id="sheet-keys")

    def on_mount(self) -> None:
        """Show everything."""
        self.query_one(KeyBar).show(key for key in keys_here(self).of("palette") if key.label)
        self.query_one(Offers).show(self._offers[:MOST])
        self.set_focus(self.query_one(Input))

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show what fits."""
        message.stop()
        words = message.value.casefold().split()
        self.query_one(Offers).show([o for o in self._offers if o.fits(words)][:MOST])

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Take the current one."""
        message.stop()
        self.action_take()

    def action_take(self) -> None:
        """Take the current one."""
        offers = self.query_one(Offers)
        if offers.offers:
            self.dismiss(offers.offers[offers.cursor])

    def on_click(self, event: events.Click) -> None:
        """Take what is clicked."""
        if event.widget is self.query_one(Offers):
            self.action_take()

    def action_step(self, step: int) -> None:
        """Go to the next offer or the one before."""
        offers = self.query_one(Offers)
        offers.move_to(offers.cursor + step)
