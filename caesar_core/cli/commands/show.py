"""`caesar show`: the whole report of a task, readable."""

from __future__ import annotations

import click

from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.output import stdout


@click.command("show")
@task_argument
@json_option
@root_option
def command(task: str, root: str | None, *, as_json: bool) -> int:
    """Read everything about the task ID: report, changes, claims, questions."""
    service = service_at(root)
    service.adopt()
    shown = service.show(task)
    out = stdout()
    if as_json:
        out.json(shown)
        return 0
    from caesar_core.cli.report_text import show_lines

    for line in show_lines(shown, out):
        out.line(line)
    return 0
