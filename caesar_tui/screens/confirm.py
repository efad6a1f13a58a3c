"""The sheet that says what would happen before it happens."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.messages import Plan
from caesar_tui.widgets.safe import content
from caesar_tui.widgets.status_bar import KeyBar

_INKS: Final = {"warn": "$error", "file": "$foreground"}
_TITLES: Final = {
    "apply": "Apply",
    "undo": "Undo",
    "cancel": "Cancel",
    "retry": "Retry",
    "gc": "Clean up",
    "combine": "Apply the combined result",
    "stop": "Stop losers",
}


class ConfirmScreen(ModalScreen[Plan | None]):
    """Shows a plan; gives it back when it is to be carried out, else `None`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("sheet")]

    def __init__(self, plan: Plan, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._plan = plan
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Lay out title, what would happen, and the keys."""
        plan = self._plan
        with Vertical(id="sheet") as sheet:
            sheet.border_title = content(f" {_TITLES[plan.action]} {plan.task_id or ''} ".rstrip())
            refused = any(mark == "warn" for mark, _ in plan.lines)
            yield Static(content(plan.title, "bold $error" if refused else "bold"), id="title")
            with VerticalScroll(id="lines"):
                yield Static(Content("\n").join(self._line(*line) for line in plan.lines))
            yield KeyBar(id="sheet-keys")

    def on_mount(self) -> None:
        """Show the keys that apply."""
        keys = keys_here(self).of("sheet")
        shown = [key for key in keys if self._plan.ready or key.action != "accept"]
        self.query_one(KeyBar).show(shown)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let Enter through only when there is something to do."""
        del parameters
        return action != "accept" or self._plan.ready

    def action_accept(self) -> None:
        """Carry the plan out."""
        self.dismiss(self._plan)

    def _line(self, mark: str, text: str) -> Content:
        glyph = " " if mark == "space" else getattr(self._glyphs, mark)
        return content(f"{glyph} {text}", _INKS.get(mark, "$dim"))
