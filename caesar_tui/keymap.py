"""Every key of the dashboard, once: bindings, footer, help screen and docs come from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from textual.binding import Binding

Scope: TypeAlias = Literal["board", "sheet"]


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that a key does.

    Attributes:
        keys: Textual's names of the keys, separated by commas.
        action: the action's name with its arguments.
        shown: how the keys are written for people.
        label: one word for the footer; empty keeps the key out of it.
        help: a sentence for the help screen.

    """

    keys: str
    action: str
    shown: str
    label: str
    help: str
    scope: Scope = "board"

    @property
    def binding(self) -> Binding:
        """The binding that Textual knows."""
        return Binding(self.keys, self.action, self.label or self.help, show=bool(self.label))


KEYS: Final[tuple[Key, ...]] = (
    Key("a", "apply", "a", "apply", "Apply the task's result; shows first what would happen"),
    Key("u", "undo", "u", "undo", "Take back the last apply; shows first what it restores"),
    Key("x", "cancel", "x", "cancel", "Cancel the task; asks first"),
    Key("enter", "open", "Enter", "", "Read the task: move into its pane"),
    Key("tab", "switch", "Tab", "", "Move between the list and the pane"),
    Key("1", "tab('stream')", "1", "", "Show the stream of events"),
    Key("2", "tab('diff')", "2", "", "Show what the task changed"),
    Key("v", "split", "v", "split", "Diff: side by side or one column"),
    Key("right_square_bracket", "hunk(1)", "]", "", "Diff: next hunk"),
    Key("left_square_bracket", "hunk(-1)", "[", "", "Diff: previous hunk"),
    Key("right_curly_bracket", "file(1)", "}", "", "Diff: next file"),
    Key("left_curly_bracket", "file(-1)", "{", "", "Diff: previous file"),
    Key("f", "follow", "f", "follow", "Stream: follow its end again"),
    Key("slash", "filter", "/", "filter", "Filter the list: words, agent:codex, status:failed"),
    Key("s", "order", "s", "sort", "Sort by newest, oldest, agent or silence"),
    Key("h", "history", "h", "", "Show or hide the old tasks"),
    Key("escape", "back", "Esc", "", "Leave the pane, clear the filter"),
    Key("question_mark", "help", "?", "help", "Show this help"),
    Key("q", "quit", "q", "quit", "Leave; tasks go on"),
    Key("enter", "accept", "Enter", "do it", "Do what the sheet says", "sheet"),
    Key("escape,q", "dismiss(None)", "Esc", "leave", "Leave the sheet, nothing happens", "sheet"),
)


def keys_of(scope: Scope) -> tuple[Key, ...]:
    """Return the keys of one kind of screen, in the order of the footer."""
    return tuple(key for key in KEYS if key.scope == scope)


def bindings(scope: Scope) -> list[Binding]:
    """Return the bindings of one kind of screen."""
    return [key.binding for key in keys_of(scope)]
