"""`caesar ask`: an agent asks whoever gave it the task, and waits."""

from __future__ import annotations

import click

from caesar_core.cli.common import json_option, text_or_stdin
from caesar_core.cli.output import stderr, stdout
from caesar_core.durations import parse_duration
from caesar_core.engine.agent_side import LONGEST_WAIT, AgentSide
from caesar_core.errors import EXIT_BLOCKED, EXIT_OK
from caesar_core.text import visible


@click.command("ask")
@click.argument("question")
@click.option("--option", "options", metavar="V", multiple=True, help="An answer; repeatable.")
@click.option("--default", metavar="V", help="What will do where nobody can be asked.")
@click.option("--timeout", metavar="D", help="How long to wait at most; default: 5m.")
@json_option
def command(
    question: str,
    options: tuple[str, ...],
    default: str | None,
    timeout: str | None,
    *,
    as_json: bool,
) -> int:
    """Ask QUESTION (`-`: stdin) from inside a task and print the answer.

    Waits for five minutes, never past the task's deadline. Without an answer: exit 3, and the
    agent goes on by its own judgement.
    """
    patience = LONGEST_WAIT if timeout is None else parse_duration(timeout, what="--timeout") / 1000
    side = AgentSide.here()
    reply = side.wait(side.ask(text_or_stdin(question), options, patience, default))
    if as_json:
        stdout().json(reply.to_json())
    elif reply.answer is not None:
        out = stdout()
        exact = not out.is_terminal  # what reads a pipe wants the answer as it was given
        out.line(reply.answer if exact else visible(reply.answer, keep_newlines=True))
    else:
        stderr().line(reply.message or "")
    return EXIT_OK if reply.answered else EXIT_BLOCKED
