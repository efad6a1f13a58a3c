"""`caesar retry`: the same task once more, from the files as they are now."""

from __future__ import annotations

from typing import Any

import click

from caesar_core.cli.ci_options import ci_options
from caesar_core.cli.commands.run import carry_out
from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.task_options import TaskCommand, task_options


@click.command("retry", cls=TaskCommand)
@task_argument
@task_options
@ci_options
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, /, task: str, root: str | None, **options: Any) -> int:
    """Hand the objective of task ID out again, as a new task.

    Everything is as it was asked for the first time, except what the options say. The worktree
    starts from the current commit.
    """
    service = service_at(root)
    changes = changes_of(options, ctx.meta.get("extra"))
    return carry_out(service, service.retry_request(task, changes), options)


def changes_of(options: dict[str, Any], extra: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the parts of a request that the options replace."""
    from caesar_core.cli.commands.run import context_of
    from caesar_core.engine.budget import parse_budget
    from caesar_core.engine.depth import current_depth

    changes = {
        "agent": options["agent"],
        "role": options["role"],
        "mode": options["mode"],
        "isolation": options["isolation"],
        "network": options["network"],
        "model": options["model"],
        "timeout": options["timeout"],
        "context": context_of(options["context"]),
        "constraints": options["constraint"],
        "acceptance_criteria": options["criterion"],
        "checks": options["check"],
        "channel": options["channel"],
        "budget": parse_budget(options["budget"]),
        "extra": extra,
    }
    return {"depth": current_depth() + 1, **{k: v for k, v in changes.items() if v}}
