"""`caesar undo`: take the last apply back."""

from __future__ import annotations

import click

from caesar_core.cli.common import complete_task, json_option, root_option, service_at
from caesar_core.cli.conflicts import tell_conflicts
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import EXIT_CONFLICT
from caesar_core.text import visible


@click.command("undo")
@click.argument("task", metavar="[ID]", required=False, shell_complete=complete_task)
@json_option
@root_option
def command(task: str | None, root: str | None, *, as_json: bool) -> int:
    """Take back the last apply, or that of the task ID.

    A three-way reverse: what you edited elsewhere since stays. Where it collides, nothing is
    written.
    """
    from caesar_core.engine.results import conflict_json

    result = service_at(root).undo(task)
    if as_json:
        stdout().json(
            {
                "id": result.task_id,
                "undone": result.undone,
                "files": list(result.files),
                "conflicts": [conflict_json(c) for c in result.conflicts],
                "message": result.message,
            }
        )
        return EXIT_CONFLICT if result.conflicts else 0
    tell_conflicts(map(conflict_json, result.conflicts), stderr())
    for path in result.files:
        stdout().line(f"  {visible(path)}")
    (stderr() if result.conflicts else stdout()).line(result.message)
    return EXIT_CONFLICT if result.conflicts else 0
