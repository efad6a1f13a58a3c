"""What a task changed, side by side or in one column: rows are drawn when they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.repo.patch import Line, PatchFile, Row
from caesar_tui.render.diff_rows import DiffRow, DiffRowKind, changed_spans, diff_rows
from caesar_tui.widgets.line_view import LineView
from caesar_tui.widgets.safe import fit, plain

_NUMBER: Final = 5
LONGEST: Final = 2_000
"""Characters of one line that are looked at; a minified file has one line of megabytes."""


class DiffPane(LineView):
    """Shows a patch. `]`/`[` and `}`/`{` are bound by the screen to :meth:`jump`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff--file",
        "diff--added",
        "diff--removed",
        "diff--absent",
        "diff--place",
        "diff--mark-added",
        "diff--mark-removed",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", show=False),
        Binding("j", "scroll_down", show=False),
    ]

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._files: Sequence[PatchFile] = ()
        self._note = ""
        self._rows: list[DiffRow] = []
        self._split = True
        self._at: int | None = None

    @property
    def place(self) -> str:
        """The head that was jumped to last; empty before the first jump."""
        return "" if self._at is None else self._rows[self._at].text

    def show(self, files: Sequence[PatchFile], note: str = "") -> None:
        """Show another patch from its beginning; `note` stands above it."""
        self._files, self._note = files, note
        self._rebuild()
        self.scroll_home(animate=False)

    def toggle_split(self) -> None:
        """Change between side by side and one column; the place stays."""
        top = self.scroll_offset.y
        share = top / max(1, len(self._rows))
        self._split = not self._split
        self._rebuild()
        self.scroll_to(y=round(share * len(self._rows)), animate=False)

    def jump(self, kind: DiffRowKind, direction: int) -> None:
        """Go to the next (1) or previous (-1) row of a kind: `hunk` or `file`."""
        origin = self.scroll_offset.y if self._at is None else self._at
        places = [index for index, row in enumerate(self._rows) if row.kind == kind]
        beyond = [index for index in places if (index - origin) * direction > 0]
        if beyond:
            self._at = beyond[0] if direction > 0 else beyond[-1]
            self.scroll_to(y=self._at, animate=False)
            self.refresh()

    def row_count(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a head, a note, a pair of lines or a single line."""
        row = self._rows[index]
        if row.row is not None:
            return self._pair(row.row, width)
        if row.line is not None:
            return self._single(row.line, width)
        text = fit(row.text.replace("−", self._glyphs.minus), width, self.cut)
        if row.kind == "file" or index == self._at:
            name = "diff--place" if index == self._at else "diff--file"
            return [Segment(text, self.get_component_rich_style(name))]
        return [Segment(text, self.ink("accent" if row.kind == "hunk" else "dim"))]

    def _rebuild(self) -> None:
        self._at = None
        notes = [DiffRow("note", self._note)] if self._note else []
        self._rows = notes + diff_rows(self._files, split=self._split)
        self.rows_changed()

    def _pair(self, row: Row, width: int) -> list[Segment]:
        half = (width - 1) // 2
        spans = None
        if row.kind == "changed" and row.left is not None and row.right is not None:
            spans = changed_spans(_shown(row.left), _shown(row.right))
        before, after = spans or (None, None)
        left = self._side(row.left, row.left_no, half, before)
        right = self._side(row.right, row.right_no, width - half - 1, after)
        return [*left, Segment(" "), *right]

    def _single(self, line: Line, width: int) -> list[Segment]:
        numbers = f"{line.old_no or '':>{_NUMBER}} {line.new_no or '':>{_NUMBER}} "
        sign = {"added": "+ ", "removed": "- ", "context": "  "}[line.kind]
        body = self._body(line, max(1, width - len(numbers) - 2), None)
        return [Segment(numbers, self.ink("dim")), Segment(sign, self._ground(line)), *body]

    def _side(
        self, line: Line | None, number: int | None, width: int, span: tuple[int, int] | None
    ) -> list[Segment]:
        if line is None:
            absent = self.get_component_rich_style("diff--absent")
            return [Segment(" " * width, absent)]
        head = Segment(f"{number or '':>{_NUMBER}} ", self.ink("dim"))
        return [head, *self._body(line, max(1, width - _NUMBER - 1), span)]

    def _body(self, line: Line, width: int, span: tuple[int, int] | None) -> list[Segment]:
        """Return a line's text on `width` cells, what changed within it marked."""
        ground, text = self._ground(line), _shown(line)
        if span is None or span[0] >= span[1]:
            return [Segment(fit(text, width, self.cut), ground)]
        mark = self.get_component_rich_style(f"diff--mark-{line.kind}")
        parts: list[Segment] = []
        left = width
        edges = (0, *span, len(text))
        for place, (start, end) in enumerate(pairwise(edges)):
            piece = text[start:end]
            cells = min(left, cell_len(piece))
            if cells:
                shown = piece if cells == cell_len(piece) else fit(piece, cells, self.cut)
                parts.append(Segment(shown, mark if place == 1 else ground))
                left -= cells
        return [*parts, Segment(" " * left, ground)]

    def _ground(self, line: Line) -> Style:
        if line.kind == "context":
            return Style.null()
        return self.get_component_rich_style(f"diff--{line.kind}")


def _shown(line: Line) -> str:
    return plain(line.text[:LONGEST].rstrip("\r"))
