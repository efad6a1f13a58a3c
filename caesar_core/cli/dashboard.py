"""The way from the command line to the dashboard, which is imported only when it is shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from caesar_core.cli.output import stderr, stdout
from caesar_core.cli.table import BROWSER, DASHBOARD
from caesar_core.store.layout import Layout


def can_show() -> bool:
    """Whether this terminal can show it; says so when it cannot."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if os.environ.get("TERM", "dumb") in {"dumb", "unknown"}:
        stderr().line("note: TERM says that this terminal shows lines only; so lines it is.")
        return False
    return True


def open_dashboard(
    layout: Layout,
    *,
    ids: Sequence[str] | None,
    theme: str | None = None,
    race: str | None = None,
    until_over: bool = False,
) -> int:
    """Show the dashboard and return its exit code.

    Args:
        until_over: close it by itself a moment after all that it shows has ended.
    """
    module, _, name = DASHBOARD.partition(":")
    run = getattr(import_module(module), name)
    return int(run(layout, ids=ids, theme=theme, race=race, until_over=until_over))


def open_in_browser(layout: Layout, *, ids: Sequence[str] | None, theme: str | None) -> int:
    """Serve it on this machine until it is interrupted; say where."""
    module, _, name = BROWSER.partition(":")
    serve = getattr(import_module(module), name)

    def tell(address: str) -> None:
        stderr().line("The dashboard is at this address, once; Ctrl-C ends it, tasks go on:")
        stdout().line(address)

    return int(serve(layout, tell=tell, ids=ids, theme=theme))
