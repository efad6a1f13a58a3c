"""The ground of the line-drawing widgets: virtual rows, selection, inks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from caesar_tui.render.cells import Cell
from caesar_tui.widgets.safe import fit

INKS: Final = ("dim", "ok", "warn", "bad", "accent", "strong", "rule")


class LineView(ScrollView, can_focus=True):
    """Draws only the rows that are visible. Subclasses say how many there are and what is in one.

    Colours come from the component classes `ink--*` (see styles/lines.tcss).
    """

    ALLOW_SELECT = True
    cut = "…"
    """What stands at the end of a cell whose text did not fit."""
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{name}" for name in INKS}
    virtual_size = Reactive(Size(0, 0))

    @property
    def row_width(self) -> int:
        """The cells that a row has; the scrollbar's are kept free (see styles/lines.tcss)."""
        return self.scrollable_content_region.width

    @abstractmethod
    def row_count(self) -> int:
        """Return the number of rows."""

    @abstractmethod
    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return what row `index` shows on `width` cells."""

    def row_style(self, index: int) -> Style:
        """Return the style that the whole row stands on."""
        del index
        return self.rich_style

    def ink(self, name: str) -> Style:
        """Return the colour of an ink, to be laid over a row's style."""
        return self.get_component_rich_style(f"ink--{name}", partial=True) if name else Style.null()

    def inked(self, cells: Iterable[Cell]) -> list[Segment]:
        """Return cells as segments, one blank between two."""
        segments: list[Segment] = []
        for cell in cells:
            text = fit(cell.text, cell.width, self.cut)
            if cell.right:
                text = text.rstrip().rjust(cell.width)
            segments += [Segment(text, self.ink(cell.ink)), Segment(" ")]
        return segments[:-1]

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        scroll_x, scroll_y = self.scroll_offset
        index, width = y + scroll_y, self.row_width
        if not 0 <= index < self.row_count():
            return Strip.blank(width, self.rich_style)
        base = self.row_style(index)
        strip = Strip(self.row_segments(index, width)).apply_style(base)
        strip = self._with_selection(strip, index)
        return strip.crop_extend(scroll_x, scroll_x + width, base).apply_offsets(scroll_x, index)

    def watch_virtual_size(self, _before: Size, after: Size) -> None:
        """Lay the screen out anew only where the number of rows changes the place of something.

        A stream that grows changes it many times a second; its scrollbar is all that moves then.
        """
        room, bar = self.container_size, self.show_vertical_scrollbar
        if (
            self.styles.auto_dimensions
            or (after.height > room.height) != bar
            or (after.width > room.width) != self.show_horizontal_scrollbar
        ):
            self.refresh(layout=True)
            return
        if bar:
            self.vertical_scrollbar.window_virtual_size = after.height
        if self.show_horizontal_scrollbar:
            self.horizontal_scrollbar.window_virtual_size = after.width
        self.scroll_x, self.scroll_y = self.scroll_x, self.scroll_y  # not behind the last row

    def rows_changed(self) -> None:
        """Take over a new number of rows and paint anew."""
        self.virtual_size = Size(self.virtual_width(), self.row_count())
        self.refresh()

    def virtual_width(self) -> int:
        """Return how wide the rows are; more than the widget makes it scroll."""
        return 0

    def refresh_row(self, index: int, start: int = 0, end: int | None = None) -> None:
        """Paint the cells `start` to `end` of one row anew, if it is visible."""
        y = index - self.scroll_offset.y
        if 0 <= y < self.size.height:
            width = (self.row_width if end is None else end) - start
            self.refresh(Region(start, y, max(0, width), 1))

    def report(self, message: Message) -> None:
        """Post a message of this view, also when a parent's handler made it happen.

        Textual lets no message rise to the widget whose handler was running when it was made.
        """
        self.post_message(message.set_sender(self))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text for the clipboard."""
        rows = self.row_count()
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(1_000_000, rows - 1)
        lines = [self._row_text(index) for index in range(start.y, min(end.y + 1, rows))]
        if not lines:
            return None
        if end.y < rows:
            lines[-1] = lines[-1][: end.x]
        lines[0] = lines[0][start.x :]
        return "\n".join(line.rstrip() for line in lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection."""
        del selection
        self.refresh()

    def _row_text(self, index: int) -> str:
        return "".join(part.text for part in self.row_segments(index, max(self.row_width, 400)))

    def _with_selection(self, strip: Strip, index: int) -> Strip:
        selection = self.text_selection
        span = None if selection is None else selection.get_span(index)
        if span is None:
            return strip
        start, end = span
        end = strip.cell_length if end == -1 else end
        style = self.screen.get_component_rich_style("screen--selection")
        middle = strip.crop(start, end).apply_style(style)
        return Strip.join([strip.crop(0, start), middle, strip.crop(end)])
