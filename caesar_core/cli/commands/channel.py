"""`caesar channel serve`: the return channel, for what starts it by command instead of module."""

from __future__ import annotations

from importlib import import_module

import click


@click.group("channel", hidden=True)
def command() -> None:
    """The return channel of one task."""


@command.command("serve")
@click.option("--task-dir", metavar="DIR", required=True, help="The task's directory.")
def serve(task_dir: str) -> None:
    """Serve the four tools over stdin and stdout."""
    import_module("caesar_core.servers.channel").serve_channel(task_dir)
