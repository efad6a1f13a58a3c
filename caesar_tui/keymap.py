"""Every key of the dashboard, once: bindings, footer, help screen and docs come from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from textual.binding import Binding

Scope: TypeAlias = Literal[
    "list",
    "board",
    "pane",
    "stream",
    "find",
    "diff",
    "files",
    "timeline",
    "answer",
    "sheet",
    "inbox",
    "tiles",
    "wall",
    "choice",
    "form",
    "palette",
    "race",
    "matrix",
    "compare",
]


TYPED: Final[frozenset[Scope]] = frozenset({"find", "answer", "form", "palette"})
"""Scopes in which letters are words."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that a key does.

    Attributes:
        keys: Textual's names of the keys, separated by commas.
        action: the action's name with its arguments; `{key}` stands for the key.
        shown: how the keys are written for people.
        label: one word for the footer; empty keeps the key out of it.
        help: a sentence for the help screen.
        stays: whether the footer keeps it however narrow the screen is.
        name: what it is called among those of its scope; empty is the action without arguments.

    """

    keys: str
    action: str
    shown: str
    label: str
    help: str
    scope: Scope = "board"
    stays: bool = False
    name: str = ""

    @property
    def id(self) -> str:
        """What a person calls it who gives it another key, as in `board.apply`."""
        return f"{self.scope}.{self.name or self.action.partition('(')[0]}"

    @property
    def is_fixed(self) -> bool:
        """Whether nobody can change it.

        Enter, Esc and Tab mean the same everywhere, digits stand for what they number, and where
        one types, letters are words.
        """
        keeps = not {"enter", "escape", "tab"}.isdisjoint(self.keys.split(","))
        return keeps or "{key}" in self.action or self.scope in TYPED

    @property
    def bindings(self) -> list[Binding]:
        """The bindings that Textual knows, one for each key."""
        told = self.label or self.help
        return [
            Binding(
                key,
                self.action.format(key=key),
                told,
                show=bool(self.label),
                id=None if self.is_fixed else self.id,
            )
            for key in self.keys.split(",")
        ]


KEYS: Final[tuple[Key, ...]] = (
    Key("up,k", "move(-1)", "↑ k", "", "Choose the task above", "list", name="up"),
    Key("down,j", "move(1)", "↓ j", "", "Choose the task below", "list", name="down"),
    Key("pageup", "page(-1)", "PgUp", "", "A screenful up", "list", name="page_up"),
    Key("pagedown", "page(1)", "PgDn", "", "A screenful down", "list", name="page_down"),
    Key("home", "edge(0)", "Home", "", "The first task", "list", name="first"),
    Key("end", "edge(-1)", "End", "", "The last task", "list", name="last"),
    Key("space", "turn", "Space", "", "Unfold a race into its contestants, or fold it", "list"),
    Key("a", "apply", "a", "apply", "Apply the task's result; shows first what would happen"),
    Key("A", "apply_now", "A", "", "Apply at once, where it is clean and nothing needs a look"),
    Key("u", "undo", "u", "undo", "Take back the last apply; shows first what it restores"),
    Key("x", "cancel", "x", "cancel", "Cancel the task; asks first"),
    Key("n", "new", "n", "new", "New delegation"),
    Key("r", "retry", "r", "", "Hand the same order out again, as a new task"),
    Key("c", "compare", "c", "", "Compare the result with another task's"),
    Key("e", "visit", "e", "", "Open where the task works in $EDITOR, else in a shell"),
    Key("o", "command", "o", "", "Copy the command that gives the same order"),
    Key("g", "tidy", "g", "", "Clean up worktrees that nobody could miss; asks first"),
    Key("ctrl+p,colon", "palette", "Ctrl P", "", "The palette: everything by name"),
    Key("enter", "open", "Enter", "", "Read the task: move into its pane; show the race"),
    Key("tab", "switch", "Tab", "", "Move on: list, answer to an open question, pane"),
    Key("1", "tab('stream')", "1", "", "Show the stream of events", name="stream"),
    Key("2", "tab('diff')", "2", "", "Show the diff: what the task changed", name="diff"),
    Key("3", "tab('report')", "3", "", "Show the report", name="report"),
    Key("4", "tab('task')", "4", "", "Show the task: brief, rules, limits", name="task"),
    Key("5", "tab('raw')", "5", "", "Show the raw output, byte for byte", name="raw"),
    Key("6", "tab('timeline')", "6", "", "Show the timeline: when what happened", name="timeline"),
    Key("v", "split", "v", "split", "Diff: side by side or one column"),
    Key("right_square_bracket", "hunk(1)", "]", "", "Diff: next hunk", name="next_hunk"),
    Key("left_square_bracket", "hunk(-1)", "[", "", "Diff: previous hunk", name="previous_hunk"),
    Key("right_curly_bracket", "file(1)", "}", "", "Diff: next file", name="next_file"),
    Key("left_curly_bracket", "file(-1)", "{", "", "Diff: previous file", name="previous_file"),
    Key("w", "wrap", "w", "wrap", "Diff: break long lines, or cut them"),
    Key("i", "space", "i", "space", "Diff: ignore white space, or show it"),
    Key("Q", "inbox", "Q", "questions", "Every open question of every task"),
    Key("W", "wall", "W", "wall", "All running tasks at once"),
    Key("R", "race", "R", "race", "The chosen race, or that of the chosen task"),
    Key("z", "zoom", "z", "zoom", "Give the pane the whole screen, or the list its place back"),
    Key("f", "follow", "f", "follow", "Stream: follow its end again"),
    Key("m", "mouse", "m", "", "Let the terminal have the mouse, to select text; or take it back"),
    Key("slash", "filter", "/", "filter", "Filter the list: words, agent:shell, status:failed"),
    Key("s", "order", "s", "sort", "Sort by newest, oldest, agent or silence"),
    Key("h", "history", "h", "", "Show or hide the old tasks"),
    Key("escape", "back", "Esc", "", "Clear the filter, leave the zoom, go to the list"),
    Key("question_mark", "help", "?", "help", "Show this help", stays=True),
    Key("q", "quit", "q", "quit", "Leave; tasks go on", stays=True),
    Key("up,k", "step(-1)", "↑ k", "", "One line up", "pane", name="up"),
    Key("down,j", "step(1)", "↓ j", "", "One line down", "pane", name="down"),
    Key("pageup", "page(-1)", "PgUp", "", "A screenful up", "pane", name="page_up"),
    Key("pagedown", "page(1)", "PgDn", "", "A screenful down", "pane", name="page_down"),
    Key("home", "edge(0)", "Home", "", "The first line", "pane", name="first"),
    Key("end", "edge(-1)", "End", "", "The last line", "pane", name="last"),
    Key("enter", "unfold", "Enter", "unfold", "Show the whole event, or its one line", "stream"),
    Key("slash", "screen.find", "/", "search", "Search in the stream", "stream", name="search"),
    Key("n", "next(1)", "n", "next", "The next match below", "stream", name="next"),
    Key("N", "next(-1)", "N", "", "The next match above", "stream", name="previous"),
    Key("t", "kinds", "t", "types", "Show talk, tools, files, trouble, or all", "stream"),
    Key("y", "copy", "y", "copy", "Copy the whole event", "stream"),
    Key("escape", "forget", "Esc", "", "End the search", "stream"),
    Key("enter", "turn", "Enter", "fold", "Fold the file, or show its lines", "diff"),
    Key("enter", "open", "Enter", "read", "Read the file", "files"),
    Key("left", "cursor(-1)", "←", "", "Look at an earlier moment", "timeline", name="earlier"),
    Key("right", "cursor(1)", "→", "replay", "Look at a later moment", "timeline", name="later"),
    Key(
        "shift+left",
        "cursor(-10)",
        "Shift ←",
        "",
        "Ten steps earlier",
        "timeline",
        name="much_earlier",
    ),
    Key(
        "shift+right", "cursor(10)", "Shift →", "", "Ten steps later", "timeline", name="much_later"
    ),
    Key("enter", "moment", "Enter", "", "Look at the beginning of the line's call", "timeline"),
    Key("escape", "live", "Esc", "live", "Look at the present again", "timeline"),
    Key("enter", "submit", "Enter", "find", "Go to the nearest match", "find"),
    Key("escape", "leave", "Esc", "leave", "End the search", "find"),
    Key("1,2,3,4,5,6,7,8,9", "pick({key})", "1…9", "", "Choose an option", "answer"),
    Key("up", "step(-1)", "↑", "", "Choose the option before", "answer", name="up"),
    Key("down", "step(1)", "↓", "", "Choose the option after", "answer", name="down"),
    Key("enter", "submit", "Enter", "send", "Send the chosen option, or the typed words", "answer"),
    Key("ctrl+j", "newline", "Ctrl J", "", "Begin a new line", "answer"),
    Key("escape", "leave", "Esc", "leave", "Go to the list; the draft stays", "answer"),
    Key("enter", "accept", "Enter", "do it", "Do what the sheet says", "sheet", name="accept"),
    Key(
        "escape,q",
        "dismiss(None)",
        "Esc",
        "leave",
        "Leave the sheet, nothing happens",
        "sheet",
        name="leave",
    ),
    Key("enter", "choose", "Enter", "answer", "Go to the question", "inbox"),
    Key(
        "escape,q,Q",
        "dismiss(None)",
        "Esc",
        "leave",
        "Leave the list of questions",
        "inbox",
        name="leave",
    ),
    Key("left", "go(-1, 0)", "←", "", "Choose the tile on the left", "tiles", name="left"),
    Key("right", "go(1, 0)", "→", "", "Choose the tile on the right", "tiles", name="right"),
    Key("up", "go(0, -1)", "↑", "", "Choose the tile above", "tiles", name="up"),
    Key("down", "go(0, 1)", "↓", "", "Choose the tile below", "tiles", name="down"),
    Key("pageup", "turn(-1)", "PgUp", "", "The page before", "tiles", name="previous_page"),
    Key("pagedown", "turn(1)", "PgDn", "page", "The next page", "tiles", name="next_page"),
    Key("enter", "open", "Enter", "open", "Show the task in full", "tiles"),
    Key(
        "1,2,3,4,5,6,7,8,9",
        "answer({key})",
        "1…9",
        "answer",
        "Answer the tile's question by its option",
        "wall",
    ),
    Key(
        "escape,q,W", "dismiss(None)", "Esc", "leave", "Go back to the board", "wall", name="leave"
    ),
    Key("left", "turn(-1)", "←", "", "The value before", "choice", name="previous"),
    Key("right,space,enter", "turn(1)", "→", "", "The next value", "choice", name="next"),
    Key("ctrl+s", "start", "Ctrl S", "start", "Start it", "form"),
    Key("ctrl+o", "copy", "Ctrl O", "copy command", "Copy the command that does the same", "form"),
    Key(
        "tab",
        "app.focus_next",
        "Tab",
        "next field",
        "Go to the next field",
        "form",
        name="next_field",
    ),
    Key("escape", "leave", "Esc", "leave", "Leave; what is written stays", "form"),
    Key("up", "step(-1)", "↑", "", "The line above", "palette", name="up"),
    Key("down", "step(1)", "↓", "", "The line below", "palette", name="down"),
    Key("enter", "take", "Enter", "do it", "Do what the line says", "palette"),
    Key("escape", "dismiss(None)", "Esc", "leave", "Leave the palette", "palette", name="leave"),
    Key("1,2,3,4,5,6,7,8,9", "look_at({key})", "1…9", "focus", "Focus a contestant", "race"),
    Key("tab", "switch", "Tab", "files or lines", "Move between files and lines", "race"),
    Key("a", "apply", "a", "apply", "Apply the focused one; shows first what happens", "race"),
    Key("p", "combine", "p", "preview", "Combine what was picked; shows what it would do", "race"),
    Key("R", "rank", "R", "rank", "Order by the printed rule, or by the start", "race"),
    Key(
        "equals_sign",
        "against",
        "=",
        "against",
        "Compare with the focused contestant instead of the base",
        "race",
    ),
    Key("x", "stop", "x", "stop losers", "Stop what still runs; asks first", "race"),
    Key("escape,q", "dismiss(None)", "Esc", "leave", "Go back to the board", "race", name="leave"),
    Key(
        "space",
        "screen.pick_file",
        "Space",
        "pick",
        "Pick the focused one's file",
        "matrix",
        name="pick",
    ),
    Key("space", "pick", "Space", "pick", "Pick the hunk under the cursor", "compare"),
)


TOGETHER: Final[tuple[frozenset[Scope], ...]] = (
    frozenset({"list", "board"}),
    frozenset({"pane", "stream"}),
    frozenset({"pane", "diff"}),
    frozenset({"pane", "files"}),
    frozenset({"pane", "timeline"}),
    frozenset({"pane", "matrix", "race"}),
    frozenset({"pane", "compare", "race"}),
    frozenset({"tiles", "wall"}),
    frozenset({"find"}),
    frozenset({"answer"}),
    frozenset({"sheet"}),
    frozenset({"inbox"}),
    frozenset({"choice", "form"}),
    frozenset({"palette"}),
)
"""Scopes whose keys reach the same place, so that none of them may mean two things."""


def keys_of(scope: Scope) -> tuple[Key, ...]:
    """Return the keys of one kind of screen, in the order of the footer."""
    return tuple(key for key in KEYS if key.scope == scope)


def bindings(scope: Scope) -> list[Binding]:
    """Return the bindings of one kind of screen."""
    return [binding for key in keys_of(scope) for binding in key.bindings]
