"""Which keys apply to the chosen task. Pure: the screen asks, the footer shows."""

from __future__ import annotations

from typing import Final

from caesar_core.board.views import TaskView
from caesar_tui.keymap import Key, keys_of

_DIFF: Final = frozenset(("split", "hunk", "file", "wrap", "space"))


def applies(action: str, view: TaskView | None, tab: str) -> bool:
    """Whether an action of the board can do anything.

    Args:
        action: its name, without arguments.
        view: the chosen task.
        tab: what its pane shows (see `widgets.task_head.TABS`).

    """
    if action == "apply":
        return view is not None and not view.facts.is_active and view.facts.files != 0
    if action == "cancel":
        return view is not None and view.facts.is_active
    if action in _DIFF:
        return view is not None and tab == "diff"
    if action == "follow":
        return view is not None and tab in {"stream", "raw"}
    if action == "find":
        return tab in {"stream", "raw"}
    return True


def board_hints(view: TaskView | None, tab: str, *, has_applied: bool) -> list[Key]:
    """Return the keys for the footer; `u` always works, and is shown when something was applied."""
    return [
        key
        for key in keys_of("board")
        if key.label
        and applies(key.action.partition("(")[0], view, tab)
        and (has_applied or key.action != "undo")
    ]
