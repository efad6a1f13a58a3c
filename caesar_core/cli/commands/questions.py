"""`caesar questions`: what agents ask and nobody has answered yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesar_core.cli.common import complete_task, json_option, root_option, service_at
from caesar_core.cli.output import Output, stdout
from caesar_core.clock import parse_iso
from caesar_core.text import human_duration, one_line, visible

if TYPE_CHECKING:
    from datetime import datetime

    from caesar_core.engine.questions import AskedQuestion
    from caesar_core.engine.service import Service

_PAUSE = 0.25


@click.command("questions")
@click.argument("task", metavar="[ID]", required=False, shell_complete=complete_task)
@click.option("--follow", is_flag=True, help="Go on, and print each question when it is asked.")
@json_option
@root_option
def command(task: str | None, root: str | None, *, follow: bool, as_json: bool) -> None:
    """List the open questions of all tasks; of the task ID, the answered and closed ones too.

    With --follow and --json: one line a question, for a program that answers.
    """
    service = service_at(root)
    if follow:
        _follow(service, task, as_json=as_json)
        return
    found = service.questions(task)
    listed = found if task else tuple(q for q in found if q.is_open)
    if as_json:
        stdout().json({"questions": [question.to_json() for question in listed]})
        return
    for question in listed:
        _print(stdout(), question, service.clock.now())
    if not listed:
        stdout().line("no open question" if task is None else "no question")


def _follow(service: Service, task: str | None, *, as_json: bool) -> None:
    out = stdout()
    known: set[tuple[str, str]] = set()
    while True:
        for question in service.questions(task):
            key = (question.task_id, question.state.file.id)
            if question.is_open and key not in known:
                known.add(key)
                if as_json:
                    out.json(question.to_json())
                else:
                    _print(out, question, service.clock.now())
        if task is not None and not service.record(task).is_active:
            return
        service.clock.sleep(_PAUSE)


def _print(out: Output, question: AskedQuestion, now: datetime) -> None:
    state, file = question.state, question.state.file
    out.line(f"{out.paint('accent', '?')} {visible(file.question, keep_newlines=True)}")
    if file.options:
        out.line("  options: " + " / ".join(one_line(option, 80) for option in file.options))
    out.line("  " + out.paint("dim", _standing(question, now)))
    if state.state == "open":
        out.line(f"  caesar answer {question.task_id} {visible(file.id)} TEXT")


def _standing(question: AskedQuestion, now: datetime) -> str:
    state = question.state
    if state.state == "answered":
        by = f" ({visible(state.by)})" if state.by else ""
        return f"answered: {one_line(state.answer or '', 200)}{by}"
    if state.state == "closed":
        return f"closed: {visible(state.reason or 'it is over')}"
    closes = parse_iso(state.file.closes_at or "")
    if closes is None:
        return "open"
    left = max(0.0, (closes - now).total_seconds())
    return f"open; the agent goes on alone in {human_duration(left)}"
