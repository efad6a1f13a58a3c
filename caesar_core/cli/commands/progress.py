"""`caesar progress`: an agent says how far it is."""

from __future__ import annotations

import click

from caesar_core.cli.common import json_option, text_or_stdin
from caesar_core.cli.output import stdout
from caesar_core.engine.agent_side import AgentSide


@click.command("progress")
@click.argument("message")
@click.option("--pct", metavar="N", type=float, help="0 to 100.")
@json_option
def command(message: str, pct: float | None, *, as_json: bool) -> None:
    """Say from inside a task what is being done; everybody who watches sees MESSAGE.

    `-` reads it from stdin.
    """
    side = AgentSide.here()
    side.progress(text_or_stdin(message), pct)
    if as_json:
        stdout().json({"ok": True})
