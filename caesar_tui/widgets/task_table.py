"""The list of tasks in its three groups. A frame repaints the cells that changed, nothing else."""

from __future__ import annotations

from collections import Counter
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
from caesar_core.board.order import Row
from caesar_core.board.standing import Group
from caesar_tui.keymap import bindings
from caesar_tui.render.cells import Cell
from caesar_tui.render.columns import Columns, columns
from caesar_tui.render.race_row import Entry, Field, entries, entry_cells, fold_width
from caesar_tui.render.task_row import Known
from caesar_tui.widgets.line_view import LineView

_TITLES: Final = {
    Group.NEEDS_YOU: "Needs you",
    Group.RUNNING: "Running",
    Group.FINISHED: "Finished",
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the list: a group's heading, the air above it, or what a task or a race says."""

    heading: str = ""
    entry: Entry | None = None

    @property
    def key(self) -> str | None:
        """The id of the task or the race, `None` for headings and air."""
        return None if self.entry is None else self.entry.key


class TaskTable(LineView):
    """The board's list. What is chosen stays chosen whatever moves around it.

    `chosen` is the id of a task, or of a race whose row is chosen. Only lines that are seen are
    made into cells, so that a long list costs no more than a short one.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--chosen", "table--heading"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]
    chosen: reactive[str | None] = reactive(None, repaint=False)

    @dataclass
    class Chosen(Message):
        """Another task or race was chosen; `None` when there is none."""

        task_id: str | None

    @dataclass
    class Opened(Message):
        """The chosen task or race was double-clicked."""

        task_id: str

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._rows: Sequence[Row] = ()
        self._prefixes: Mapping[str, str] = {}
        self._fields: Mapping[str, Field] = {}
        self._notes: Mapping[str, str] = {}
        self._all_open = False
        self._opened: set[str] = set()
        self._now: datetime | None = None
        self._lines: list[_Line] = []
        self._columns = Columns(0, 0, 0, 0, 0)
        self._cells: dict[int, tuple[Cell, ...]] = {}

    def show(
        self,
        rows: Sequence[Row],
        prefixes: Mapping[str, str],
        now: datetime,
        fields: Mapping[str, Field] | None = None,
        notes: Mapping[str, str] | None = None,
        *,
        all_open: bool = False,
    ) -> None:
        """Show these rows; what is the same is not painted again.

        Args:
            prefixes: the shortest unique prefix of each task's id.
            fields: the races, by their ids.
            notes: a few words more on some tasks, by their ids.
            all_open: show the contestants of every race.

        """
        self._rows, self._prefixes, self._now = rows, prefixes, now
        self._fields, self._notes, self._all_open = fields or {}, notes or {}, all_open
        self._lay_out()

    @property
    def chosen_race(self) -> str | None:
        """The id of the race whose row is chosen."""
        return self.chosen if self.chosen in self._fields else None

    def row_count(self) -> int:
        """Return headings and rows."""
        return len(self._lines)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a heading, a task or a race."""
        del width
        cells = self._cells[index] = self._cells_of(index)
        return self.inked(cells)

    def row_style(self, index: int) -> Style:
        """Return the style of the chosen row, of headings, or of any other row."""
        key = self._lines[index].key
        if key is None:
            return self.get_component_rich_style("table--heading")
        if key == self.chosen:
            return self.get_component_rich_style("table--chosen")
        return self.rich_style

    def on_resize(self) -> None:
        """Lay the cells out anew."""
        self._lines = self._build()
        self._cells = {}
        self.rows_changed()
        self._bring_into_view()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a double click opens it, a click on its mark unfolds a race."""
        index = event.y + self.scroll_offset.y
        entry = self._lines[index].entry if 0 <= index < len(self._lines) else None
        if entry is None:
            return
        self.chosen = entry.key
        if entry.field is not None and event.x < fold_width(self._columns.age):
            self.action_turn()
        elif event.chain == 2:
            self.report(self.Opened(entry.key))

    def action_turn(self) -> None:
        """Unfold the chosen race into its contestants, or fold it, also from one of them."""
        race_id = self.chosen_race or self._race_above()
        if race_id is not None and not self._all_open:
            self._opened ^= {race_id}
            if race_id not in self._opened:
                self.chosen = race_id
            self._lay_out()

    def action_move(self, step: int) -> None:
        """Choose the next or the previous row."""
        self._choose_at(self._place() + step)

    def action_page(self, direction: int) -> None:
        """Choose the task a screenful away."""
        self._choose_at(self._place() + direction * max(1, self.size.height - 1))

    def action_edge(self, place: int) -> None:
        """Choose the first or the last task."""
        self._choose_at(place if place >= 0 else len(self._ids()) - 1)

    def watch_chosen(self, before: str | None, after: str | None) -> None:
        """Paint both rows and tell; who stands folded in a race is unfolded."""
        self._unfold_for(after)
        for index, line in enumerate(self._lines):
            if line.key is not None and line.key in {before, after}:
                self.refresh_row(index)
        self._bring_into_view()
        self.report(self.Chosen(after))

    def _lay_out(self) -> None:
        before, self._lines = self._lines, self._build()
        if [line.key for line in before] == [line.key for line in self._lines]:
            self._repaint()
        else:
            self._cells = {}
            self._keep_choice(before)
            self.rows_changed()
            self._bring_into_view()

    def _build(self) -> list[_Line]:
        lines: list[_Line] = []
        shown = list(entries(self._rows, self._fields, self._opened, all_open=self._all_open))
        totals = Counter(entry.group for entry in shown if not entry.is_nested)
        airy = len(shown) + 2 * len(totals) <= self.size.height
        self._columns = columns(self._rows, max(20, self.row_width), self._glyphs)
        last: Group | None = None
        for entry in shown:
            if entry.group is not last and not entry.is_nested:
                last = entry.group
                lines += [_Line()] * airy
                lines.append(_Line(f" {_TITLES[last]} {totals[last]}"))
            lines.append(_Line(entry=entry))
        return lines

    def _cells_of(self, index: int) -> tuple[Cell, ...]:
        line = self._lines[index]
        if line.entry is None:
            width = min(max(20, self.row_width), cell_len(line.heading))
            return (Cell(line.heading, width, "accent"),)
        assert self._now is not None
        known = Known(self._prefixes, self._notes, self._now)
        return entry_cells(line.entry, known, self._columns, self._glyphs)

    def _repaint(self) -> None:
        """Paint the cells that changed of the lines that are seen."""
        top = self.scroll_offset.y
        seen = range(top, min(len(self._lines), top + self.size.height))
        painted = self._cells
        self._cells = {index: painted[index] for index in seen if index in painted}
        for index, old in self._cells.items():
            new = self._cells_of(index)
            if old != new:
                self._repaint_row(index, old, new)

    def _repaint_row(self, index: int, old: tuple[Cell, ...], new: tuple[Cell, ...]) -> None:
        if [cell.width for cell in old] != [cell.width for cell in new]:
            self.refresh_row(index)
            return
        start = 0
        for was, now in zip(old, new, strict=True):
            if was != now:
                self.refresh_row(index, start, start + now.width)
            start += now.width + 1

    def _unfold_for(self, task_id: str | None) -> None:
        """Unfold the race in which a task stands that has no line of its own."""
        if task_id is None or any(line.key == task_id for line in self._lines):
            return
        row = next((row for row in self._rows if row.view.id == task_id), None)
        race_id = None if row is None else row.view.facts.race_id
        if race_id is not None and race_id in self._fields and race_id not in self._opened:
            self._opened.add(race_id)
            self._lay_out()

    def _race_above(self) -> str | None:
        """Return the race below whose row the chosen contestant stands."""
        for line in self._lines:
            if line.entry is not None and line.key == self.chosen and line.entry.is_nested:
                return line.entry.rows[0].view.facts.race_id
        return None

    def _keep_choice(self, before: Sequence[_Line]) -> None:
        ids = self._ids()
        if self.chosen in ids:
            return
        earlier = [line.key for line in before if line.key is not None]
        place = earlier.index(self.chosen) if self.chosen in earlier else 0
        if not earlier and len(ids) > 1 and ids[0] in self._fields and self._all_open:
            place = 1  # the race that is unfolded at first: begin with its first contestant
        self.chosen = ids[min(place, len(ids) - 1)] if ids else None

    def _ids(self) -> list[str]:
        return [line.key for line in self._lines if line.key is not None]

    def _place(self) -> int:
        ids = self._ids()
        return ids.index(self.chosen) if self.chosen in ids else -1

    def _choose_at(self, place: int) -> None:
        ids = self._ids()
        if ids:
            self.chosen = ids[max(0, min(place, len(ids) - 1))]

    def _bring_into_view(self) -> None:
        at = next((i for i, line in enumerate(self._lines) if line.key == self.chosen), None)
        if at is None or not self.size.height:
            return
        top = 0 if at <= 2 else at  # the first heading comes along
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
        elif at >= self.scroll_offset.y + self.size.height:
            self.scroll_to(y=at - self.size.height + 1, animate=False)
