"""The list of tasks in its three groups. A frame repaints the cells that changed, nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row, count
from caesar_core.board.standing import Group
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell
from caesar_tui.render.columns import columns
from caesar_tui.render.task_row import task_cells
from caesar_tui.widgets.line_view import LineView

_TITLES: Final = {
    Group.NEEDS_YOU: "Needs you",
    Group.RUNNING: "Running",
    Group.FINISHED: "Finished",
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the list: a group's heading, the air above it, or the row of a task."""

    cells: tuple[Cell, ...] = ()
    task_id: str | None = None


class TaskTable(LineView):
    """The board's list. The chosen task stays chosen whatever moves around it."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--chosen", "table--heading"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]
    chosen: reactive[str | None] = reactive(None, repaint=False)

    @dataclass
    class Chosen(Message):
        """Another task was chosen; `None` when there is none."""

        task_id: str | None

    @dataclass
    class Opened(Message):
        """The chosen task was double-clicked."""

        task_id: str

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._rows: Sequence[Row] = ()
        self._prefixes: Mapping[str, str] = {}
        self._now: datetime | None = None
        self._lines: list[_Line] = []

    def show(self, rows: Sequence[Row], prefixes: Mapping[str, str], now: datetime) -> None:
        """Show these rows; what is the same is not painted again."""
        self._rows, self._prefixes, self._now = rows, prefixes, now
        before, self._lines = self._lines, self._build()
        if [line.task_id for line in before] == [line.task_id for line in self._lines]:
            self._repaint(before)
        else:
            self._keep_choice(before)
            self.rows_changed()
            self._bring_into_view()

    def row_count(self) -> int:
        """Return headings and rows."""
        return len(self._lines)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a heading or a task."""
        del width
        return self.inked(self._lines[index].cells)

    def row_style(self, index: int) -> Style:
        """Return the style of the chosen row, of headings, or of any other row."""
        line = self._lines[index]
        if line.task_id is None:
            return self.get_component_rich_style("table--heading")
        if line.task_id == self.chosen:
            return self.get_component_rich_style("table--chosen")
        return self.rich_style

    def on_resize(self) -> None:
        """Lay the cells out anew."""
        self._lines = self._build()
        self.rows_changed()
        self._bring_into_view()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a double click opens it."""
        index = event.y + self.scroll_offset.y
        if 0 <= index < len(self._lines):
            task_id = self._lines[index].task_id
            if task_id is not None:
                self.chosen = task_id
                if event.chain == 2:
                    self.report(self.Opened(task_id))

    def action_move(self, step: int) -> None:
        """Choose the next or the previous task."""
        self._choose_at(self._place() + step)

    def action_page(self, direction: int) -> None:
        """Choose the task a screenful away."""
        self._choose_at(self._place() + direction * max(1, self.size.height - 1))

    def action_edge(self, place: int) -> None:
        """Choose the first or the last task."""
        self._choose_at(place if place >= 0 else len(self._ids()) - 1)

    def watch_chosen(self, before: str | None, after: str | None) -> None:
        """Paint both rows and tell."""
        for index, line in enumerate(self._lines):
            if line.task_id is not None and line.task_id in {before, after}:
                self.refresh_row(index)
        self._bring_into_view()
        self.report(self.Chosen(after))

    def _build(self) -> list[_Line]:
        assert self._now is not None or not self._rows
        width = max(20, self.row_width)
        lines: list[_Line] = []
        totals = count(self._rows)
        groups = sum(bool(total) for total in totals.values())
        airy = len(self._rows) + 2 * groups <= self.size.height
        layout = columns(self._rows, width, self._glyphs)
        last: Group | None = None
        for row in self._rows:
            if row.group is not last:
                last = row.group
                lines += [_Line()] * airy
                lines.append(_heading(f"{_TITLES[last]} {totals[last]}", width))
            assert self._now is not None
            prefix = self._prefixes.get(row.view.id, row.view.id)
            cells = task_cells(row, prefix, self._now, layout, self._glyphs)
            lines.append(_Line(cells, row.view.id))
        return lines

    def _repaint(self, before: Sequence[_Line]) -> None:
        for index, (old, new) in enumerate(zip(before, self._lines, strict=True)):
            if old == new:
                continue
            if [c.width for c in old.cells] != [c.width for c in new.cells]:
                self.refresh_row(index)
                continue
            start = 0
            for was, now in zip(old.cells, new.cells, strict=True):
                if was != now:
                    self.refresh_row(index, start, start + now.width)
                start += now.width + 1

    def _keep_choice(self, before: Sequence[_Line]) -> None:
        ids = self._ids()
        if self.chosen in ids:
            return
        earlier = [line.task_id for line in before if line.task_id is not None]
        place = earlier.index(self.chosen) if self.chosen in earlier else 0
        self.chosen = ids[min(place, len(ids) - 1)] if ids else None

    def _ids(self) -> list[str]:
        return [line.task_id for line in self._lines if line.task_id is not None]

    def _place(self) -> int:
        ids = self._ids()
        return ids.index(self.chosen) if self.chosen in ids else -1

    def _choose_at(self, place: int) -> None:
        ids = self._ids()
        if ids:
            self.chosen = ids[max(0, min(place, len(ids) - 1))]

    def _bring_into_view(self) -> None:
        at = next((i for i, line in enumerate(self._lines) if line.task_id == self.chosen), None)
        if at is None or not self.size.height:
            return
        top = 0 if at <= 2 else at  # the first heading comes along
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
        elif at >= self.scroll_offset.y + self.size.height:
            self.scroll_to(y=at - self.size.height + 1, animate=False)


def _heading(text: str, width: int) -> _Line:
    return _Line((Cell(f" {text}", min(width, cell_len(text) + 1), "accent"),))
