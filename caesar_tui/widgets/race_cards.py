"""A card for each contestant: how it stands, what it took, what speaks for it and against it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.race import ContestantView
from caesar_core.text import counted, human_duration
from caesar_tui.render.cells import Cell, Ink, size_text
from caesar_tui.render.task_row import ink_of
from caesar_tui.widgets.line_view import LineView

LEAST: Final = 26
LINES: Final = 5


class RaceCards(LineView):
    """Cards side by side, as many as fit around the focused one."""

    ALLOW_SELECT = False

    class Picked(Message):
        """A contestant was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.can_focus = False
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._field: Sequence[ContestantView] = ()
        self._rows: Mapping[str, Row] = {}
        self._focused = 0
        self._lines: list[tuple[Cell, ...]] = []

    def show(self, field: Sequence[ContestantView], rows: Mapping[str, Row], focused: int) -> None:
        """Show these contestants; `focused` is the place of one."""
        self._field, self._rows, self._focused = field, rows, focused
        self._draw()

    @property
    def first(self) -> int:
        """The place of the first card that is shown."""
        shown = max(1, self.size.width // LEAST)
        return max(0, min(self._focused - shown // 2, len(self._field) - shown))

    def row_count(self) -> int:
        """Return the lines of a card."""
        return len(self._lines)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return one line through all cards."""
        del width
        return self.inked(self._lines[index])

    def row_style(self, index: int) -> Style:
        """Return the ground."""
        del index
        return self.rich_style

    def on_resize(self) -> None:
        """Draw anew."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Focus the contestant."""
        count = max(1, min(len(self._field), self.size.width // LEAST))
        place = self.first + event.x * count // max(1, self.size.width)
        self.report(self.Picked(place))

    def _draw(self) -> None:
        count = max(1, min(len(self._field), self.size.width // LEAST))
        shown = list(enumerate(self._field))[self.first :][:count]
        width = max(8, self.row_width // count - 1)
        cards = [self._card(place, one, width) for place, one in shown]
        lines = [tuple(card[n] for card in cards) for n in range(LINES)] if cards else []
        if lines != self._lines:
            self._lines = lines
            self.rows_changed()

    def _card(self, place: int, one: ContestantView, width: int) -> list[Cell]:
        row = self._rows.get(one.task_id)
        word = row.standing.word if row is not None else one.status
        mark = row.standing.mark(self._glyphs) if row is not None else " "
        ink: Ink = ink_of(row.standing.state) if row is not None else ""
        rank = f"  #{one.rank}" if one.rank else ""
        head = f"{'>' if place == self._focused else ' '}{place + 1} {one.label}{rank}"
        texts = (_size(one, self._glyphs), _checks(one), _flags(one))
        return [
            Cell(head, width, "accent" if place == self._focused else "strong"),
            Cell(f"  {mark} {word}  {_took(one)}", width, ink),
            *(Cell(f"  {text}", width, ink_) for text, ink_ in texts),
        ]


def _took(one: ContestantView) -> str:
    parts = [human_duration(one.duration_ms / 1000)] if one.duration_ms is not None else []
    parts += [f"{one.tokens // 1000}k tok"] if one.tokens else []
    parts += [f"${one.cost_usd:.2f}"] if one.cost_usd else []
    return "  ".join(parts)


def _size(one: ContestantView, glyphs: Glyphs) -> tuple[str, Ink]:
    if one.files is None:
        return "no result yet", "dim"
    size = size_text(one.insertions, one.deletions, glyphs.minus)
    return f"{counted(one.files, 'file')}  {size}".rstrip(), ""


def _checks(one: ContestantView) -> tuple[str, Ink]:
    said = one.report_status or "no report"
    source = "by git" if one.verified else "declared only"
    checks = f"checks {one.checks_passed}/{one.checks_total}  " if one.checks_total else ""
    good = one.proved and one.checks_passed == one.checks_total
    return f"{checks}{said}, {source}", "ok" if good else "warn" if one.contradicted else "dim"


def _flags(one: ContestantView) -> tuple[str, Ink]:
    applied: Collection[str] = ("applied",) if one.applied else ()
    flags = [flag.replace("_", " ") for flag in one.flags]
    return "  ".join((*applied, *flags)), "ok" if one.applied else "warn"
