"""`caesar usage`: tokens, cost and time, summed up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from caesar_core.cli.common import json_option, project_root, root_option
from caesar_core.cli.output import stderr, stdout
from caesar_core.cli.tables import columns
from caesar_core.text import human_duration, one_line, visible

if TYPE_CHECKING:
    from caesar_core.engine.usage import By, UsageRow

_HEADER: Final = ("", "TASKS", "INPUT", "CACHED", "OUTPUT", "COST", "TIME")
_UNKNOWN: Final = "unknown"


@click.command("usage")
@click.option(
    "--by",
    type=click.Choice(["agent", "day", "race", "task"]),
    default="agent",
    help="What is summed up together.",
)
@click.option("--since", metavar="D", help="Only tasks from then on: 7d, 12h, 2026-12-01.")
@json_option
@root_option
def command(by: By, since: str | None, root: str | None, *, as_json: bool) -> int:
    """Sum up what tasks took.

    What a stream does not say is unknown, never zero; a sum with a `+` is of those that said it.
    """
    from caesar_core.engine.service import Service
    from caesar_core.engine.usage import parse_since, sum_up, usage_rows, worked

    service = Service(project_root(root))
    scan = service.project.records.scan()
    for task_id, why in scan.damaged:
        stderr().line(visible(f"note: the record of {task_id} is damaged: {why}"))
    moment = None if since is None else parse_since(since, service.clock.now())
    tasks = worked(scan.records, moment)
    rows = usage_rows(tasks, by)
    total = sum_up(None, tasks)
    out = stdout()
    if as_json:
        out.json({"by": by, "rows": [row.to_json() for row in rows], "total": total.to_json()})
        return 0
    if not rows:
        out.line("No agent has worked here" + (" since then." if since else " yet."))
        return 0
    cells = [_cells(row, one_line(row.key or "no race", 60)) for row in rows]
    header, *lines = columns((by.upper(), *_HEADER[1:]), [*cells, _cells(total, "total")], 160)
    out.line(out.paint("dim", header))
    for line in lines:
        out.line(line)
    return 0


def _cells(row: UsageRow, name: str) -> tuple[str, ...]:
    tokens = (row.input_tokens, row.cached_input_tokens, row.output_tokens)
    cost = None if row.cost_usd is None else f"{row.cost_usd:.4f}"
    return (
        name,
        str(row.tasks),
        *(_known(count, row.tokens_unknown) for count in tokens),
        _known(cost, row.cost_unknown),
        human_duration(row.duration_ms / 1000),
    )


def _known(value: object, unknown: int) -> str:
    """Return a sum in words; a `+` stands for the tasks that did not say."""
    if value is None:
        return _UNKNOWN
    return f"{value}+" if unknown else str(value)
