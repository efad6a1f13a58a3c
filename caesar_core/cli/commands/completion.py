"""`caesar completion`: the completion script of a shell."""

from __future__ import annotations

import click

from caesar_core.cli.output import stdout


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of SHELL.

    For bash: eval "$(caesar completion bash)" in ~/.bashrc; zsh and fish alike.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    root = ctx.find_root().command
    stdout().line(kind(root, {}, "caesar", "_CAESAR_COMPLETE").source())
    return 0
