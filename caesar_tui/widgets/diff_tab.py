"""The tab with what a task changed: the list of files, and their lines."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from textual.app import ComposeResult
from textual.containers import Container
from textual.getters import query_one

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_core.board.views import TaskView
from caesar_tui.messages import DiffRead, DiffWanted
from caesar_tui.widgets.diff_pane import DiffPane
from caesar_tui.widgets.file_list import FileList

Reading: TypeAlias = Literal["asked", "given up", "done"]
"""How it stands with what a tab has to have read."""
GIVEN_UP: Final = "Reading was given up; the number of the tab reads it."
_ROOMY = 110


class DiffTab(Container):
    """Knows which diff is wanted; asks for it once."""

    files = query_one("#files", FileList)
    lines = query_one("#diff", DiffPane)

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._asked: tuple[DiffWanted, str | None] | None = None
        self._asked_at: tuple[object, object] = ((), None)
        self._reading: Reading = "done"
        self.is_old = False
        """Whether the agent, still at work, used tools or changed files since it was read."""
        self.ignore_space = False
        self.against: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the list and the lines."""
        yield FileList(self._glyphs, id="files")
        yield DiffPane(self._glyphs, id="diff")

    def clear(self) -> None:
        """Begin with another task."""
        self._asked = self.against = None
        self._reading, self.is_old = "done", False
        self.files.show(())
        self.lines.show((), "Reading the changes")

    def wanted(self, view: TaskView) -> DiffWanted | None:
        """Return what is to be read: once, and again when the task has ended."""
        wanted = DiffWanted(view.id, self.ignore_space, self.against)
        now = (view.stream.files, view.stream.last_tool)
        if self._asked == (wanted, view.facts.ended_at):
            self.is_old = view.facts.is_active and now != self._asked_at
            return None
        self._asked, self._asked_at, self.is_old = (wanted, view.facts.ended_at), now, False
        self._reading = "asked"
        return wanted

    def read_anew(self) -> None:
        """Have it read once more, if it has become old or its reading was given up."""
        if self.is_old or self._reading == "given up":
            self._asked = None

    def given_up(self) -> None:
        """Say that nothing comes any more, unless it came already."""
        if self._reading == "asked":
            self._reading = "given up"
            self.files.show(())
            self.lines.show((), GIVEN_UP)

    def take(self, read: DiffRead) -> None:
        """Show what was read, unless something else is wanted by now."""
        if self._asked is None or read.wanted != self._asked[0]:
            return
        self._reading = "done"
        notes = [read.note]
        if read.wanted.against:
            notes.append(f"Compared with {read.wanted.against}, not with the base.")
        if read.wanted.ignore_space:
            notes.append("White space is ignored.")
        self.files.show(read.listed)
        self.lines.show(read.files, " ".join(note for note in notes if note))

    def on_file_list_picked(self, message: FileList.Picked) -> None:
        """Go to the file in the lines."""
        message.stop()
        self.lines.go_to_file(message.path)
        if message.opened:
            self.screen.set_focus(self.lines)

    def on_resize(self) -> None:
        """Put the list beside the lines where there is room."""
        self.set_class(self.size.width >= _ROOMY, "-roomy")
