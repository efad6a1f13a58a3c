"""A new delegation: a form that says, while it is filled in, what would come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, TextArea

from caesar_core.board.glyphs import UNICODE, Glyphs
from caesar_tui.draft import Draft
from caesar_tui.keyed import keys_here
from caesar_tui.keymap import bindings
from caesar_tui.messages import CommandRead, DraftPlanned, Intent, PlanWanted, StartWanted
from caesar_tui.render.plan_page import plan_page
from caesar_tui.widgets.choice import Choice
from caesar_tui.widgets.page_view import PageView
from caesar_tui.widgets.safe import content
from caesar_tui.widgets.status_bar import KeyBar, QuietStatic

PAUSE: Final = 0.25
"""Seconds without a key before the plan is made anew."""
_LINES: Final = (
    ("agents", "agents", "empty: your policy decides; several, with commas: a race"),
    ("role", "role", "a profile from the configuration"),
    ("model", "model", "for agents that take one"),
    ("timeout", "timeout", "90s, 10m, 2h"),
    ("context", "context", "what the agent should know"),
    ("constraints", "constraints", "rules to keep; separate them with ;"),
    ("criteria", "done when", "acceptance criteria; separate them with ;"),
    ("checks", "checks", "commands to run on the result; separate them with ;"),
)
_CHOICES: Final = (
    ("mode", "mode", (("", "default"), ("write", "write"), ("read-only", "read only"))),
    (
        "isolation",
        "isolation",
        (("", "default"), ("auto", "auto"), ("worktree", "worktree"), ("inplace", "in place")),
    ),
    ("network", "network", (("", "default"), ("auto", "auto"), ("on", "on"), ("off", "off"))),
    ("channel", "channel", (("", "no"), ("yes", "yes, it may ask"))),
)


class NewTaskScreen(ModalScreen[None]):
    """The form. What is written stays when it is left, and comes back with it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]

    def __init__(
        self,
        act: Callable[[Intent], None],
        keep: Callable[[Draft], None],
        draft: Draft,
        glyphs: Glyphs = UNICODE,
    ) -> None:
        super().__init__()
        self._act = act
        self._keep = keep
        self._first = draft
        self._glyphs = glyphs
        self._asked: Draft | None = None
        self._timer: Timer | None = None
        self._ready = False

    def compose(self) -> ComposeResult:
        """Lay out the fields, what they mean, and the keys."""
        with VerticalScroll(id="sheet", classes="-wide-sheet", can_focus=False) as sheet:
            sheet.border_title = Content(" New delegation ")
            area = TextArea(self._first.objective, id="objective", compact=True)
            area.cursor_blink = False
            area.placeholder = Content("What is to be done?")
            yield area
            yield from self._fields()
            yield PageView(self._glyphs, id="plan")
            yield QuietStatic(id="same")
            yield KeyBar(id="sheet-keys")

    def on_mount(self) -> None:
        """Begin with the objective."""
        self.query_one(KeyBar).show(key for key in keys_here(self).of("form") if key.label)
        self.set_focus(self.query_one("#objective"))
        self._plan()

    @property
    def draft(self) -> Draft:
        """What is written."""
        values = {name: self.query_one(f"#new-{name}", Input).value.strip() for name, *_ in _LINES}
        chosen = {name: self.query_one(f"#new-{name}", Choice).value for name, *_ in _CHOICES}
        return Draft(objective=self.query_one("#objective", TextArea).text, **values, **chosen)

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        """Plan anew, soon."""
        message.stop()
        self._soon()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Plan anew, soon."""
        message.stop()
        self._soon()

    def on_choice_changed(self, message: Choice.Changed) -> None:
        """Plan anew, soon."""
        message.stop()
        self._soon()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go to the next field."""
        message.stop()
        self.focus_next()

    def on_draft_planned(self, message: DraftPlanned) -> None:
        """Show what would come of it, unless more was written meanwhile."""
        message.stop()
        if message.draft != self._asked:
            return
        self._ready = not message.refusal
        self.query_one("#plan", PageView).show(plan_page(message))

    def action_start(self) -> None:
        """Start it; what stands in the way is said by the engine."""
        self._asked = self.draft
        self._keep(self.draft)
        self._act(StartWanted(self.draft))

    def action_leave(self) -> None:
        """Leave; the draft stays."""
        self._keep(self.draft)
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the command that does the same."""
        self.app.copy_to_clipboard(self.draft.command)
        self._act(CommandRead(self.draft.command))

    def _fields(self) -> Iterator[Widget]:
        given = asdict(self._first)
        for name, label, hint in _LINES:
            box = Input(given[name], placeholder=hint, id=f"new-{name}", compact=True)
            yield Horizontal(Label(label, markup=False), box, classes="field")
        choices = []
        for name, label, values in _CHOICES:
            choice = Choice(values, id=f"new-{name}")
            choice.set(given[name])
            choices += [Label(label, markup=False), choice]
        yield Horizontal(*choices[:4], classes="field")
        yield Horizontal(*choices[4:], classes="field")

    def _soon(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._plan)

    def _plan(self) -> None:
        draft = self.draft
        same = Content.assemble(("same as  ", "$dim"), content(draft.command))
        self.query_one("#same", QuietStatic).tell(same)
        if draft != self._asked:
            self._asked = draft
            self._act(PlanWanted(draft))
