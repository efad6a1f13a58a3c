"""`caesar answer`: tell an agent what it asked."""

from __future__ import annotations

import sys

import click

from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.output import stdout


@click.command("answer")
@task_argument
@click.argument("question", metavar="QUESTION")
@click.argument("text")
@json_option
@root_option
def command(task: str, question: str, text: str, root: str | None, *, as_json: bool) -> None:
    """Answer QUESTION of the task ID with TEXT (`-`: stdin). Of two answers the first stays.

    `caesar questions` lists what is asked; QUESTION may be any unique beginning of its id.
    """
    service = service_at(root)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    task_id = service.resolve_id(task)
    found = service.answer(task_id, question, text, by="caesar answer")
    if as_json:
        stdout().json({"task_id": task_id, "question_id": found.file.id, "answered": True})
    else:
        stdout().line(f"answered {found.file.id}")
