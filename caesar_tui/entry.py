"""How `caesar watch` starts the dashboard: guarded, and without importing Textual before."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from caesar_core.board.glyphs import Glyphs, glyphs_for
from caesar_core.clock import SystemClock
from caesar_core.store.layout import Layout
from caesar_tui.guard import guarded

if TYPE_CHECKING:
    from caesar_tui.actions import Engine


def run_dashboard(
    layout: Layout, *, ids: Collection[str] | None = None, theme: str = "dark"
) -> int:
    """Show the dashboard until it is left; return the exit code.

    Args:
        layout: the project.
        ids: show only these tasks; `None` shows all.
        theme: `dark` or `light`.

    """

    def run(lifeline: int) -> int:
        from caesar_tui.app import CaesarApp

        app = CaesarApp(
            layout,
            engine=lambda: _engine(layout),
            clock=SystemClock(),
            ids=ids,
            theme=theme,
            glyphs=locale_glyphs(os.environ),
            lifeline=lifeline,
        )
        return app.run() or app.return_code or 0

    return guarded(run)


def locale_glyphs(environ: Mapping[str, str]) -> Glyphs:
    """Return the marks that the locale of `environ` can show; ASCII when it does not say UTF-8."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next((environ[name] for name in names if environ.get(name)), "")
    return glyphs_for(locale.partition(".")[2].partition("@")[0])


def _engine(layout: Layout) -> Engine:
    from caesar_core.engine.service import Service

    return Service(layout.root)
