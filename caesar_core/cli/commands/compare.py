"""`caesar compare`: several results side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesar_core.cli.common import complete_task, json_option, root_option, service_at
from caesar_core.cli.output import Output, stderr, stdout
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.board.race import ComparisonView
    from caesar_core.engine.service import Service


@click.command("compare")
@click.argument(
    "names", metavar="RACE|ID...", nargs=-1, required=True, shell_complete=complete_task
)
@click.option("--stat", is_flag=True, help="Of two results: only the files in which they differ.")
@click.option("--files", is_flag=True, help="Only who did what to which file.")
@json_option
@root_option
def command(
    names: tuple[str, ...], root: str | None, *, stat: bool, files: bool, as_json: bool
) -> int:
    """Set the results of a race, or of any tasks, side by side.

    The contestants ranked by the printed rule, a table of files, which results are the same and
    which would collide. Of two tasks also the difference between their results.
    """
    from caesar_core.cli.compare_text import comparison_lines, matrix_lines

    service = service_at(root)
    found = service.compare(names)
    out = stdout()
    if as_json:
        out.json(service.comparison_json(found))
        return 0
    for line in matrix_lines(found, out) if files else comparison_lines(found, out):
        out.line(line)
    for note in found.notes:
        stderr().line(visible(f"note: {note}"))
    if len(found.race.contestants) == 2 and not files:
        _difference(service, found, out, stat=stat)
    return 0


def _difference(service: Service, found: ComparisonView, out: Output, *, stat: bool) -> None:
    from caesar_core.cli.commands.diff import print_difference

    first, second = found.race.task_ids
    difference = service.diff(second, against=first)
    if difference.is_empty:
        return
    out.line()
    out.line(out.paint("bold", f"From {first[:10]} to {second[:10]}"))
    print_difference(service, difference, out, stat=stat)
