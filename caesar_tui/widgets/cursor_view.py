"""Lines with a cursor: keys move it, the view follows it, a click places it."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.reactive import reactive

from caesar_tui.keymap import bindings
from caesar_tui.widgets.line_view import LineView


class CursorView(LineView):
    """A line view in which one line is the current one; shown while it has the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"view--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pane")]
    cursor: reactive[int] = reactive(0, repaint=False)

    def row_style(self, index: int) -> Style:
        """Return the style of the current line, or of any other."""
        if index == self.cursor and self.has_focus:
            return self.get_component_rich_style("view--cursor")
        return self.rich_style

    def validate_cursor(self, value: int) -> int:
        """Keep it on a line."""
        return max(0, min(value, self.row_count() - 1))

    def watch_cursor(self, before: int, after: int) -> None:
        """Paint both lines."""
        self.refresh_row(before)
        self.refresh_row(after)

    def move_to(self, line: int) -> None:
        """Make a line the current one and bring it into view."""
        self.cursor = line
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def on_focus(self) -> None:
        """Show the cursor, on a line that is visible."""
        self.cursor = self.seen_cursor()
        self.refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh_row(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """Place the cursor."""
        line = event.y + self.scroll_offset.y
        if line < self.row_count():
            self.cursor = line

    def seen_cursor(self) -> int:
        """Return the line of the cursor, or the visible one next to it."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        return max(top, min(self.cursor, top + height - 1))

    def action_step(self, step: int) -> None:
        """Go one line up or down."""
        self.move_to(self.seen_cursor() + step)

    def action_page(self, direction: int) -> None:
        """Go a screenful up or down."""
        height = max(1, self.size.height - 1)
        self.scroll_relative(y=direction * height, animate=False, force=True)
        self.move_to(self.seen_cursor() + direction * height)

    def action_edge(self, place: int) -> None:
        """Go to the first line, or to the last."""
        self.move_to(0 if place == 0 else self.row_count() - 1)
