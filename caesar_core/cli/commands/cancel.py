"""`caesar cancel`: stop a task and everything it started."""

from __future__ import annotations

import click

from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.output import stdout
from caesar_core.errors import EXIT_FAILED, EXIT_OK


@click.command("cancel")
@task_argument
@json_option
@root_option
def command(task: str, root: str | None, *, as_json: bool) -> int:
    """Stop the task ID: TERM, five seconds, KILL. Returns when nothing of it is left."""
    result = service_at(root).cancel(task)
    if as_json:
        stdout().json(
            {
                "id": result.task_id,
                "cancelled": result.cancelled,
                "status": result.status,
                "message": result.message,
            }
        )
    else:
        stdout().line(result.message)
    return EXIT_FAILED if result.stopping else EXIT_OK
