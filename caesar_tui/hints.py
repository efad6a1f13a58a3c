"""Which keys apply to the chosen task. Pure: the screen asks, the footer shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from caesar_core.board.views import TaskFacts, TaskView
from caesar_tui.keymap import Key

_OF_A_TASK: Final[dict[str, Callable[[TaskFacts], bool]]] = {
    "apply": lambda facts: not facts.is_active and facts.files != 0,
    "apply_now": lambda facts: not facts.is_active and facts.files != 0,
    "cancel": lambda facts: facts.is_active,
    "retry": lambda facts: not facts.is_active,
    "compare": lambda facts: not facts.is_active,
    "visit": lambda facts: bool(facts.id),
    "race": lambda facts: facts.race_id is not None,
    "command": lambda facts: bool(facts.id),
}
_DIFF: Final = frozenset(("split", "hunk", "file", "wrap", "space"))


def applies(action: str, view: TaskView | None, tab: str) -> bool:
    """Whether an action of the board can do anything.

    Args:
        action: its name, without arguments.
        view: the chosen task.
        tab: what its pane shows (see `widgets.task_head.TABS`).

    """
    if action in {"find", "follow"}:
        return view is not None and tab in {"stream", "raw"}
    if action in _DIFF:
        return view is not None and tab == "diff"
    if action not in _OF_A_TASK:
        return True
    return view is not None and _OF_A_TASK[action](view.facts)


def board_hints(
    keys: Iterable[Key],
    view: TaskView | None,
    tab: str,
    *,
    has_applied: bool,
    in_race: bool = False,
) -> list[Key]:
    """Return the keys for the footer; undo always works, and is shown when something was applied.

    Args:
        keys: those of the board.
        in_race: whether the row of a race is chosen.

    """
    return [
        key
        for key in keys
        if key.label
        and ((in_race and key.action == "race") or _applies(key, view, tab))
        and (has_applied or key.action != "undo")
    ]


def _applies(key: Key, view: TaskView | None, tab: str) -> bool:
    return applies(key.action.partition("(")[0], view, tab)
