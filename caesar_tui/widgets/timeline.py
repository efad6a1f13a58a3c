"""When what happened: a Gantt chart, and a cursor in time that replays how it stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import BindingType

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.timeline import Item, Moment, Track
from caesar_core.text import counted, human_duration, one_line
from caesar_tui.keymap import bindings
from caesar_tui.messages import TimelineRead, TimelineWanted
from caesar_tui.render.cells import Cell, Ink
from caesar_tui.render.gantt import Scale, axis, bar, lane, scale_of
from caesar_tui.widgets.cursor_view import CursorView
from caesar_tui.widgets.safe import fit

_LABEL: Final = 30
_STATE: Final = 4


class Timeline(CursorView):
    """Shows one task's calls, or those of a race's contestants on one axis.

    The first line is the axis, the last ones say how it stood at the moment of the cursor.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"timeline--moment"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("timeline")]

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._names: Mapping[str, str] = {}
        self._own = ""
        self._tracks: dict[str, Track] = {}
        self._read_to: dict[str, int] = {}
        self._asked: set[str] = set()
        self._grown: set[str] = set()
        self._now = 0.0
        self._at: float | None = None
        self._rows: list[tuple[str, Item | None]] = []

    @property
    def moment(self) -> float | None:
        """The moment that is looked at; `None` is the present."""
        return self._at

    def show(self, names: Mapping[str, str], own: str) -> None:
        """Show these tasks, id to name, and all of `own`; what is known of them is kept."""
        if (names, own) == (self._names, self._own):
            return
        self._names, self._own = names, own
        self._tracks = {task_id: self._tracks.get(task_id, Track()) for task_id in names}
        self._read_to = {i: n for i, n in self._read_to.items() if i in names}
        self._asked, self._at = set(), None
        self._grown = set(names)
        self._lay_out()
        self.cursor = 1  # the axis is no place to be
        self._ask()

    def grown(self, task_id: str, *, reset: bool) -> None:
        """Hear that a stream has more."""
        if task_id in self._tracks:
            if reset:
                self._tracks[task_id], self._read_to[task_id] = Track(), 0
            self._grown.add(task_id)

    def tick(self, now: datetime) -> None:
        """Ask for what is new, and let what runs grow."""
        self._now = now.timestamp()
        self._ask()
        if any(not track.is_over and track.begin for track in self._tracks.values()):
            self.refresh()

    def _ask(self) -> None:
        for task_id in sorted(self._grown - self._asked):
            self._asked.add(task_id)
            self._grown.discard(task_id)
            self.report(TimelineWanted(task_id, self._read_to.get(task_id, 0)))

    def take(self, read: TimelineRead) -> None:
        """Take events that were asked for."""
        self._asked.discard(read.task_id)
        track = self._tracks.get(read.task_id)
        if track is None or read.start != self._read_to.get(read.task_id, 0):
            return
        track.closings.update(read.closings)
        track.feed(read.events)
        self._read_to[read.task_id] = read.end
        first = not self._rows
        if read.more:
            self._grown.add(read.task_id)
        self._lay_out()
        self.cursor = 1 if first else self.cursor

    def row_count(self) -> int:
        """Return axis, rows and the lines about the moment."""
        return len(self._rows) + 1 + _STATE * (self._at is not None)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return the axis, a bar, or a line about the moment."""
        label, scale = self._layout(width)
        if index == 0:
            said = axis(scale, self._glyphs.tick)
            return self._timed(label, [Cell("", label), Cell(said, scale.width, "dim")], scale)
        if index > len(self._rows):
            return self._state(index - len(self._rows) - 1, width)
        task_id, item = self._rows[index - 1]
        now = self._now if not self._tracks[task_id].is_over else self._tracks[task_id].end
        if item is None:
            name = Cell(self._names[task_id], label, "strong")
            return self._timed(
                label, [name, *lane(self._tracks[task_id], scale, self._glyphs, now)], scale
            )
        text = one_line(item.text, _LABEL * 2)
        ink: Ink = "" if item.kind in {"tool", "question"} else "dim"
        cells = [Cell(text, label, ink), *bar(item, scale, self._glyphs, now)]
        return self._timed(label, cells, scale)

    def on_resize(self) -> None:
        """Paint anew."""
        self.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let Esc through when the present is shown anyway."""
        del parameters
        return action != "live" or self._at is not None

    def action_cursor(self, step: int) -> None:
        """Look at a moment some columns away."""
        _, scale = self._layout(self.row_width)
        here = scale.width - 1 if self._at is None else scale.column(self._at - 1e-6)
        self._look(scale.moment(max(0, min(scale.width - 1, here + step))))

    def action_moment(self) -> None:
        """Look at the beginning of what the line shows."""
        if 0 < self.cursor <= len(self._rows):
            item = self._rows[self.cursor - 1][1]
            if item is not None:
                self._look(item.start)

    def action_live(self) -> None:
        """Look at the present again."""
        self._at = None
        self.rows_changed()

    def _look(self, at: float) -> None:
        was_live, self._at = self._at is None, at
        if was_live:
            self.rows_changed()
            if self.row_count() > self.size.height:
                self.scroll_end(animate=False)
        self.refresh()

    def _lay_out(self) -> None:
        lanes = self._tracks if len(self._tracks) > 1 else ()
        self._rows = [(task_id, None) for task_id in lanes]
        items = self._tracks[self._own].items if self._own in self._tracks else ()
        self._rows += [(self._own, item) for item in items if item.kind != "thinking"]
        self.rows_changed()

    def _layout(self, width: int) -> tuple[int, Scale]:
        label = min(_LABEL, width // 3)
        return label, scale_of(list(self._tracks.values()), width - label - 1, self._now)

    def _timed(self, label: int, cells: Sequence[Cell], scale: Scale) -> list[Segment]:
        """Return a row, the column of the moment marked."""
        name, *rest = cells
        segments = [Segment(fit(name.text, label, self.cut), self.ink(name.ink)), Segment(" ")]
        segments += [
            Segment(fit(c.text, c.width, self.cut), self.ink(c.ink)) for c in rest if c.width
        ]
        if self._at is None:
            return segments
        at = label + 1 + scale.column(self._at - 1e-6)
        style = self.get_component_rich_style("timeline--moment", partial=True)
        parts = list(Segment.divide(segments, [at, at + 1, label + 1 + scale.width]))
        return [*parts[0], *Segment.apply_style(parts[1], post_style=style), *parts[2]]

    def _state(self, line: int, width: int) -> list[Segment]:
        """Return a line about how it stood at the moment."""
        assert self._at is not None
        _, scale = self._layout(width)
        if line == 0:
            ago = human_duration(max(0.0, self._at - scale.begin))
            return self.inked((Cell(f"at {ago}", width, "accent"),))
        track = self._tracks.get(self._own, Track())
        text = _said(track.at_moment(self._at), self._glyphs)[line - 1]
        return self.inked((Cell(one_line(text, 400), width),))


def _said(moment: Moment, glyphs: Glyphs) -> list[str]:
    runs = "running: " + (", ".join(moment.running) or "nothing")
    asked = f"asks: {moment.question}" if moment.question else ""
    changed = f"{counted(moment.files, 'file')} changed"
    dot = f" {glyphs.bullet} "
    return [
        dot.join(filter(None, (runs, asked))),
        f"said: {moment.said}" if moment.said else "said nothing yet",
        dot.join(filter(None, (changed, moment.progress))),
    ]
