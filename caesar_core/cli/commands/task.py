"""`caesar task`: an agent reads its order."""

from __future__ import annotations

import json

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import stdout
from caesar_core.engine.agent_side import AgentSide
from caesar_core.text import visible


@click.command("task")
@json_option
def command(*, as_json: bool) -> None:
    """Print from inside a task what was asked for: task.json."""
    order = AgentSide.here().order()
    if as_json:
        stdout().json(order)
    else:
        out = stdout()
        text = json.dumps(order, ensure_ascii=False, indent=2)
        out.line(visible(text, keep_newlines=True) if out.is_terminal else text)
