"""`caesar resume`: go on with what an agent did, with one more thing to do."""

from __future__ import annotations

from typing import Any

import click

from caesar_core.cli.ci_options import ci_options
from caesar_core.cli.commands.retry import changes_of
from caesar_core.cli.commands.run import carry_out, objective_of
from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.task_options import TaskCommand, task_options


@click.command("resume", cls=TaskCommand)
@task_argument
@click.argument("more", required=False)
@click.option("--objective-file", metavar="F", help="Read MORE from a file.")
@task_options
@ci_options
@json_option
@root_option
@click.pass_context
def command(
    ctx: click.Context, /, task: str, more: str | None, root: str | None, **options: Any
) -> int:
    """Let the agent of task ID go on: MORE is what it has to do now.

    It is a new task. Its worktree starts from the earlier result, its diff holds both. The agent
    goes on with its own session where its CLI can; else it is told the earlier objective and
    report. MORE may be `-` for stdin.
    """
    service = service_at(root)
    told = objective_of(more, options["objective_file"])
    changes = changes_of(options, ctx.meta.get("extra"))
    return carry_out(service, service.resume_request(task, told, changes), options)
