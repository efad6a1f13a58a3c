"""What `run`, `retry` and `resume` take alike: who works, on what terms, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_OPTIONS: Final = (
    click.option("--agent", metavar="ID", help="Who does it."),
    click.option("--role", metavar="NAME", help="Or: the profile that chooses who does it."),
    click.option("--mode", type=click.Choice(["read-only", "write"]), help="What it may do."),
    click.option(
        "--isolation", type=click.Choice(["inplace", "worktree", "auto"]), help="Where it works."
    ),
    click.option(
        "--network", type=click.Choice(["auto", "on", "off"]), help="Whether it may reach out."
    ),
    click.option("--timeout", metavar="D", help="90s, 10m, 2h; a number alone is milliseconds."),
    click.option("--model", metavar="NAME", help="For agents that take one."),
    click.option("--context", metavar="TEXT|@FILE", default="", help="What the agent should know."),
    click.option("--constraint", metavar="T", multiple=True, help="A rule to keep; repeatable."),
    click.option("--criterion", metavar="T", multiple=True, help="When it is done; repeatable."),
    click.option("--check", metavar="CMD", multiple=True, help="Run it on the result; repeatable."),
    click.option("--channel", is_flag=True, help="Let the agent ask and report by an MCP server."),
    click.option("--detach", is_flag=True, help="Return at once; `caesar watch` shows it."),
    click.option("--dry-run", is_flag=True, help="Say what would be done, and why."),
    click.option("--trust", is_flag=True, help="Agree to the commands of this repository."),
    click.option("--ndjson", is_flag=True, help="Each event as a line of JSON, then the result."),
)


def task_options(function: Decorated) -> Decorated:
    """Add the options."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), function)


class TaskCommand(click.Command):
    """A command whose operands after a literal `--` belong to the agent."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the agent's own arguments aside before click looks for options in them."""
        if "--" in args:
            cut = args.index("--")
            ctx.meta["extra"] = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)
