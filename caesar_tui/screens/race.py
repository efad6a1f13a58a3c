"""A race: cards, who did what to which file, the files side by side, and a combined result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.order import Row
from caesar_core.board.race import CellView, ComparisonView, ContestantView, RaceView
from caesar_core.board.ranking import RULE
from caesar_core.text import counted, one_line
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.messages import (
    ApplyWanted,
    CombineWanted,
    ComparisonRead,
    ComparisonWanted,
    FileRead,
    FileWanted,
    GivenUp,
    GiveUpWanted,
    Intent,
    Pick,
    Plan,
    Planned,
    Said,
    Working,
)
from caesar_tui.screens.confirm import ConfirmScreen
from caesar_tui.widgets.compare_pane import ComparePane
from caesar_tui.widgets.file_matrix import FileMatrix
from caesar_tui.widgets.race_cards import RaceCards
from caesar_tui.widgets.safe import content, plain
from caesar_tui.widgets.status_bar import KeyBar, QuietStatic


class RaceScreen(Screen[None]):
    """Shows one race; what is picked stays as long as the screen does."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("race")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - Textual's own form

    def __init__(
        self, race_id: str, act: Callable[[Intent], None], glyphs: Glyphs = UNICODE
    ) -> None:
        super().__init__()
        self.race_id = race_id
        self._act = act
        self._glyphs = glyphs
        self._race = RaceView(id=race_id)
        self._rows: Mapping[str, Row] = {}
        self._comparison: ComparisonView | None = None
        self._compared: tuple[object, ...] = ()
        self._focused: str | None = None
        self._against: str | None = None
        self._by_rank = False
        self._wanted: FileWanted | None = None
        self._picks: dict[tuple[str, str], set[int]] = {}
        self._hunks: dict[str, int] = {}
        self._said = ""
        self._working = Working()

    def compose(self) -> ComposeResult:
        """Lay out the header, the cards, the matrix, the panes, and the keys."""
        yield QuietStatic(id="race-head")
        yield RaceCards(self._glyphs, id="cards")
        yield QuietStatic(id="matrix-head")
        yield FileMatrix(self._glyphs, id="matrix")
        yield ComparePane(self._glyphs, id="compare")
        yield QuietStatic(id="race-rule")
        yield QuietStatic(id="status")
        yield KeyBar(id="keys")

    def on_resize(self) -> None:
        """Put the names over their columns again."""
        self.call_after_refresh(self._draw)

    def on_mount(self) -> None:
        """Begin with the matrix."""
        self.set_focus(self.query_one("#matrix"))
        self.query_one(KeyBar).show(
            key for scope in ("compare", "race") for key in keys_here(self).of(scope) if key.label
        )
        self._draw()

    @property
    def field(self) -> tuple[ContestantView, ...]:
        """The contestants in the order that is shown."""
        return self._race.ranked if self._by_rank else self._race.contestants

    @property
    def place(self) -> int:
        """The place of the focused contestant."""
        ids = [one.task_id for one in self.field]
        return ids.index(self._focused) if self._focused in ids else 0

    def show(self, race: RaceView, rows: Mapping[str, Row]) -> None:
        """Bring the race up to date; the files are compared again when a result is new."""
        self._race, self._rows = race, rows
        results = tuple((one.task_id, one.rank is None, one.applied) for one in race.contestants)
        if results and results != self._compared:
            self._compared = results
            self._act(ComparisonWanted(self.race_id))
        if self.is_mounted:
            self._draw()

    def on_comparison_read(self, message: ComparisonRead) -> None:
        """Show who did what to which file."""
        message.stop()
        self._comparison = message.comparison
        self._wanted = None
        self._draw()

    def on_file_read(self, message: FileRead) -> None:
        """Show a file, if it is still the one that is wanted."""
        message.stop()
        if message.wanted != self._wanted:
            return
        files = [message.files.get(task_id) for task_id in message.wanted.task_ids]
        known = zip(message.wanted.task_ids, files, strict=True)
        self._hunks = {task_id: len(file.hunks) if file else 0 for task_id, file in known}
        pane = self.query_one(ComparePane)
        pane.show(message.wanted.path, self._titles(message.wanted), files)
        self._mark()

    def on_planned(self, message: Planned) -> None:
        """Put a sheet up."""
        message.stop()
        self.app.push_screen(ConfirmScreen(message.plan, self._glyphs), self._decided)

    def on_said(self, message: Said) -> None:
        """Tell the person."""
        message.stop()
        self._said = message.text
        if message.severity != "information":
            self.notify(plain(message.text), severity=message.severity, markup=False)
        self._draw()

    def on_working(self, message: Working) -> None:
        """Say what goes on for longer than a moment."""
        message.stop()
        self._working = message
        self._draw()

    def on_given_up(self, message: GivenUp) -> None:
        """Say that nothing is waited for any more."""
        message.stop()
        self._say("given up; another file, or the race opened anew, is read again")

    async def action_dismiss(self, result: None = None) -> None:
        """Give up what is waited for; else go back to the board."""
        if self._working.can_stop:
            self._act(GiveUpWanted())
        else:
            await super().action_dismiss(result)

    def on_race_cards_picked(self, message: RaceCards.Picked) -> None:
        """Focus a contestant."""
        message.stop()
        self.action_look_at(message.place + 1)

    def on_file_matrix_picked(self, message: FileMatrix.Picked) -> None:
        """Show another file."""
        message.stop()
        self._read_file()

    def on_compare_pane_taken(self, message: ComparePane.Taken) -> None:
        """Pick a hunk, or let it go."""
        message.stop()
        path = self.query_one(FileMatrix).path
        if self._against is None and self._focused is not None:
            self._turn(self._focused, path, {message.hunk})

    def action_look_at(self, number: int) -> None:
        """Focus a contestant by its number."""
        if number <= len(self.field):
            self._focused = self.field[number - 1].task_id
            self._draw()

    def action_switch(self) -> None:
        """Move between the matrix and the panes."""
        matrix = self.query_one(FileMatrix)
        self.set_focus(self.query_one(ComparePane) if matrix.has_focus else matrix)

    def action_rank(self) -> None:
        """Show the contestants in the order of the printed rule, or of their start."""
        self._by_rank = not self._by_rank
        self._wanted = None
        self._draw()

    def action_against(self) -> None:
        """Compare with the focused contestant instead of the base, or with the base again."""
        self._against = self._focused if self._against is None else None
        self._wanted = None
        self._draw()

    def action_pick_file(self) -> None:
        """Pick the whole file of the focused contestant, or let it go."""
        path = self.query_one(FileMatrix).path
        if path and self._focused is not None and self._has(self._focused, path):
            self._turn(self._focused, path, set())

    def action_combine(self) -> None:
        """Combine what was picked, and show what applying it would do."""
        picks = tuple(
            Pick(task_id, path, tuple(sorted(hunks)))
            for (task_id, path), hunks in self._picks.items()
        )
        if picks:
            self._say("combining")
            self._act(CombineWanted(picks))
        else:
            key = keys_here(self).shown("matrix.pick")
            self._say(f"nothing is picked yet: {key} picks a file, or a hunk")

    def action_apply(self) -> None:
        """Apply the focused contestant; shows first what would happen."""
        if self._focused is not None:
            self._say("")
            self._act(ApplyWanted(self._focused))

    def action_stop(self) -> None:
        """Stop what still runs."""
        running = tuple(one.task_id for one in self._race.contestants if one.is_active)
        if not running:
            self._say("nobody runs any more")
            return
        title = f"Stop {counted(len(running), 'contestant')} that still run? Their work is kept."
        lines = tuple(("bullet", task_id) for task_id in running)
        self.post_message(
            Planned(Plan("stop", None, title, ready=True, lines=lines, task_ids=running))
        )

    def _decided(self, plan: Plan | None) -> None:
        if plan is not None:
            if plan.action == "combine":
                self._picks.clear()
            self._act(plan)

    def _turn(self, task_id: str, path: str, hunks: set[int]) -> None:
        key = (task_id, path)
        known = self._picks.get(key)
        if not hunks:
            self._picks.pop(key, None) if known is not None else self._picks.update({key: set()})
        elif known == set():
            self._picks[key] = set(range(1, self._hunks.get(task_id, 0) + 1)) - hunks
        else:
            self._picks[key] = (known or set()) ^ hunks
        if hunks and not self._picks.get(key):
            self._picks.pop(key, None)
        self._draw()

    def _say(self, text: str) -> None:
        self._said = text
        self._draw()

    def _has(self, task_id: str, path: str) -> bool:
        matrix = self._comparison.matrix if self._comparison is not None else {}
        return task_id in matrix.get(path, {})

    def _draw(self) -> None:
        """Bring every widget up to date."""
        if not self.is_mounted:
            return
        if self._focused is None and self.field:
            self._focused = self.field[0].task_id
        race = self._race
        title = f"race {race.id}  {race.done}/{race.total} done  {one_line(race.objective, 200)}"
        self.query_one("#race-head", QuietStatic).tell(content(title, "bold $accent"))
        self.query_one(RaceCards).show(self.field, self._rows, self.place)
        matrix: Mapping[str, Mapping[str, CellView]] = {}
        if self._comparison is not None:
            matrix = self._comparison.matrix
        ids = [one.task_id for one in self.field]
        files = self.query_one(FileMatrix)
        files.show(matrix, ids, frozenset(self._picks))
        names = [f"{place} {plain(one.label)}" for place, one in enumerate(self.field, 1)]
        self.query_one("#matrix-head", QuietStatic).tell(files.head(names).stylize("$dim"))
        self.query_one("#race-rule", QuietStatic).tell(content(f"ranked by: {RULE}", "$dim"))
        self.query_one("#status", QuietStatic).tell(content(self._state(), "bold"))
        self._read_file()
        self._mark()

    def _state(self) -> str:
        said = self._working.text or self._said
        parts = [said] if said else []
        if self._picks:
            key = keys_here(self).shown("race.combine")
            parts.append(f"{counted(len(self._picks), 'part')} picked, {key} previews")
        if self._comparison is not None:
            parts += self._comparison.notes
            places = {one.task_id: str(place) for place, one in enumerate(self.field, 1)}
            groups = [[places.get(i, i) for i in group] for group in self._comparison.identical]
            parts += [f"identical: {' = '.join(sorted(group))}" for group in groups]
        return f"  {self._glyphs.bullet}  ".join(parts)

    def _read_file(self) -> None:
        path = self.query_one(FileMatrix).path
        ids = tuple(one.task_id for one in self.field)
        wanted = FileWanted(path, ids, self._against)
        if path and wanted != self._wanted:
            self._wanted = wanted
            self._act(wanted)

    def _mark(self) -> None:
        path = self.query_one(FileMatrix).path
        picked = [self._taken(one.task_id, path) for one in self.field]
        self.query_one(ComparePane).mark(self.place, picked)

    def _taken(self, task_id: str, path: str) -> frozenset[int]:
        hunks = self._picks.get((task_id, path))
        if hunks is None:
            return frozenset()
        return frozenset(hunks or range(1, self._hunks.get(task_id, 0) + 1))

    def _titles(self, wanted: FileWanted) -> list[str]:
        labels = {one.task_id: one.label for one in self.field}
        row = self._comparison.matrix.get(wanted.path, {}) if self._comparison else {}
        titles = []
        for task_id in wanted.task_ids:
            cell = row.get(task_id)
            same = "  =" if cell is not None and cell.same_as else ""
            left = "" if cell is not None else "  untouched"
            titles.append(f"{labels.get(task_id, task_id)}{same}{left}")
        return titles
