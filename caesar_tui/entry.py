"""How `caesar watch` starts the dashboard: guarded, and without importing Textual before."""

from __future__ import annotations

from collections.abc import Collection

from caesar_core.store.layout import Layout
from caesar_tui.guard import guarded


def run_dashboard(
    layout: Layout,
    *,
    ids: Collection[str] | None = None,
    theme: str | None = None,
    race: str | None = None,
    until_over: bool = False,
) -> int:
    """Show the dashboard until it is left; return the exit code.

    Args:
        layout: the project.
        ids: show only these tasks; `None` shows all.
        theme: `dark`, `light`, or the name of one of Textual's themes; `None` is `dark`.
        race: begin with the contestants of this race.
        until_over: leave a moment after all that is shown has ended.

    """

    def run(lifeline: int) -> int:
        from caesar_tui.app import show

        return show(
            layout, ids=ids, theme=theme, race=race, until_over=until_over, lifeline=lifeline
        )

    return guarded(run)
