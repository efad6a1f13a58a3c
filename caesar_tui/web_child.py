"""The dashboard for one tab of a browser; started by the server, which brings its driver."""

from __future__ import annotations

import sys
from pathlib import Path

from caesar_core.store.layout import Layout


def main(arguments: list[str]) -> int:
    """Show it: the project's root, a theme, then ids."""
    from caesar_tui.app import show

    root, theme, *ids = arguments
    layout = Layout(Path(root))
    return show(layout, ids=ids or None, theme=theme, race=None, until_over=False, lifeline=None)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
