"""What a task changed, side by side or in one column: rows are drawn when they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import BindingType

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.repo.patch import Line, PatchFile, Row
from caesar_tui.keymap import bindings
from caesar_tui.render.diff_rows import DiffRowKind, DiffRows, changed_spans
from caesar_tui.render.stream_rows import Unfolded
from caesar_tui.widgets.code_lines import CodeLines, shown_line
from caesar_tui.widgets.safe import fit

_NUMBER: Final = 5
_MANY: Final = 2_000


class DiffPane(CodeLines):
    """Shows a patch. `]`/`[` and `}`/`{` are bound by the screen to :meth:`jump`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--file", "diff--absent", "diff--place"}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("diff")]

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self.cut = glyphs.cut
        self._files: Sequence[PatchFile] = ()
        self._note = ""
        self._rows = DiffRows((), split=True)
        self._split = True
        self._wraps = False
        self._turned: set[str] = set()
        self._folds = Unfolded()
        self._at: int | None = None

    @property
    def place(self) -> str:
        """The head that was jumped to last; empty before the first jump."""
        return "" if self._at is None else self._rows[self._at].text

    @property
    def path(self) -> str:
        """The file that the current line belongs to; empty when there is none."""
        if not self._rows:
            return ""
        row, _ = self._folds.place(max(self.cursor, self.scroll_offset.y))
        return self._rows[min(row, len(self._rows) - 1)].path

    def show(self, files: Sequence[PatchFile], note: str = "") -> None:
        """Show another patch from its beginning; `note` stands above it."""
        self._files, self._note, self._turned = files, note, set()
        self._rebuild()
        self.cursor = 0
        self.scroll_home(animate=False)

    def toggle_split(self) -> None:
        """Change between side by side and one column; the place stays."""
        self._split = not self._split
        self._keep_place()

    def toggle_wrap(self) -> None:
        """Break long lines, or cut them again; the place stays."""
        self._wraps = not self._wraps
        self._keep_place()

    def jump(self, kind: DiffRowKind, direction: int) -> None:
        """Go to the next (1) or previous (-1) row of a kind: `hunk` or `file`."""
        here, _ = self._folds.place(self.scroll_offset.y)
        origin = here if self._at is None else self._at
        places = self._rows.places(kind)
        beyond = [index for index in places if (index - origin) * direction > 0]
        if beyond:
            self._go(beyond[0] if direction > 0 else beyond[-1])

    def go_to_file(self, path: str) -> None:
        """Go to the head of a file."""
        place = self._rows.place_of(path)
        if place is not None:
            self._go(place)

    def row_count(self) -> int:
        """Return the number of lines."""
        return len(self._rows) + self._folds.lines

    def row_segments(self, index: int, width: int) -> list[Segment]:
        """Return a head, a note, a pair of lines or a single line."""
        at, part = self._folds.place(index)
        row = self._rows[at]
        if row.row is not None:
            return self._pair(row.row, width, part, row.path)
        if row.line is not None:
            return self._single(row.line, width, part, row.path)
        text = fit(row.text.replace("−", self._glyphs.minus), width, self.cut)
        if row.kind == "file" or at == self._at:
            name = "diff--place" if at == self._at else "diff--file"
            return [Segment(text, self.get_component_rich_style(name))]
        return [Segment(text, self.ink("accent" if row.kind == "hunk" else "dim"))]

    def on_resize(self) -> None:
        """Break long lines anew."""
        if self._wraps:
            self._lay_out()

    def on_click(self, event: events.Click) -> None:
        """Place the cursor; a double click on a file's head folds it."""
        super().on_click(event)
        if event.chain == 2:
            self.action_turn()

    def action_turn(self) -> None:
        """Fold the file of the current line, or show its lines."""
        path = self.path
        if path:
            self._turned ^= {path}
            self._rebuild()
            self.go_to_file(path)

    def _go(self, row: int) -> None:
        self._at = row
        line = self._folds.line_of(row)
        self.cursor = line
        self.scroll_to(y=line, animate=False, force=True)
        self.refresh()

    def _keep_place(self) -> None:
        share = self.scroll_offset.y / max(1, self.row_count())
        self._rebuild()
        line = round(share * self.row_count())
        self.cursor = line
        self.scroll_to(y=line, animate=False, force=True)

    def _rebuild(self) -> None:
        self._at = None
        self._rows = DiffRows(self._files, split=self._split, turned=self._turned, note=self._note)
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay rows out; the lengths of very many lines are looked at in a thread."""
        width, rows = self.row_width, self._rows
        self._folds.set(())
        if self._wraps and width and len(rows) > _MANY:
            self.run_worker(
                lambda: self.app.call_from_thread(self._wrapped, rows, self._extra(rows, width)),
                thread=True,
                group="wrap",
                exclusive=True,
            )
        elif self._wraps and width:
            self._folds.set(self._extra(rows, width))
        self.rows_changed()

    def _wrapped(self, rows: DiffRows, extra: Sequence[tuple[int, int]]) -> None:
        """Break long lines, unless others are shown by now."""
        if rows is self._rows and self._wraps:
            line, _ = self._folds.place(self.cursor)
            self._folds.set(extra)
            self.rows_changed()
            self.move_to(self._folds.line_of(line))

    @staticmethod
    def _extra(rows: DiffRows, width: int) -> list[tuple[int, int]]:
        """Return which rows need how many lines besides their first."""
        left = max(1, (width - 1) // 2 - _NUMBER - 1)
        right = max(1, width - (width - 1) // 2 - 1 - _NUMBER - 1)
        single = max(1, width - 2 * _NUMBER - 4)
        found = []
        for index, row in enumerate(rows):
            sides = [(row.row.left, left), (row.row.right, right)] if row.row else []
            sides += [(row.line, single)] if row.line else []
            cells = [(cell_len(shown_line(line)), room) for line, room in sides if line]
            lines = max((-(-count // room) for count, room in cells), default=1)
            if lines > 1:
                found.append((index, lines - 1))
        return found

    def _pair(self, row: Row, width: int, part: int, path: str) -> list[Segment]:
        half = (width - 1) // 2
        spans = None
        if row.kind == "changed" and row.left is not None and row.right is not None:
            spans = changed_spans(shown_line(row.left), shown_line(row.right))
        before, after = spans or (None, None)
        left = self._side(row.left, row.left_no, half, part, path, before)
        right = self._side(row.right, row.right_no, width - half - 1, part, path, after)
        return [*left, Segment(" "), *right]

    def _single(self, line: Line, width: int, part: int, path: str) -> list[Segment]:
        numbers = f"{line.old_no or '':>{_NUMBER}} {line.new_no or '':>{_NUMBER}} "
        numbers = " " * len(numbers) if part else numbers
        sign = {"added": "+ ", "removed": "- ", "context": "  "}[line.kind]
        body = self.code(line, max(1, width - len(numbers) - 2), self._part(part), name=path)
        return [Segment(numbers, self.ink("dim")), Segment(sign, self.ground(line)), *body]

    def _side(
        self,
        line: Line | None,
        number: int | None,
        width: int,
        part: int,
        path: str,
        span: tuple[int, int] | None,
    ) -> list[Segment]:
        if line is None:
            absent = self.get_component_rich_style("diff--absent")
            return [Segment(" " * width, absent)]
        shown = "" if part else number or ""
        head = Segment(f"{shown:>{_NUMBER}} ", self.ink("dim"))
        room = max(1, width - _NUMBER - 1)
        return [head, *self.code(line, room, self._part(part), span, path)]

    def _part(self, part: int) -> int | None:
        """Return which piece of a line is drawn; `None` when lines are cut instead of broken."""
        return part if self._wraps else None
