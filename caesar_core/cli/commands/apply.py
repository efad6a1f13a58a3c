"""`caesar apply`: bring a task's changes into the work tree, all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesar_core.cli.common import json_option, root_option, service_at, task_argument
from caesar_core.cli.conflicts import tell_conflicts
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import EXIT_CONFLICT
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.applying import ApplyResult


@click.command("apply")
@task_argument
@click.option("--check", is_flag=True, help="Say what would happen; write nothing.")
@click.option("--file", "files", metavar="P", multiple=True, help="Only this file or folder.")
@click.option("--refresh", is_flag=True, help="Take the worktree as it is now.")
@click.option("--yes", is_flag=True, help="Accepted for scripts: apply never asks.")
@json_option
@root_option
def command(
    task: str,
    files: tuple[str, ...],
    root: str | None,
    *,
    check: bool,
    refresh: bool,
    yes: bool,  # noqa: ARG001
    as_json: bool,
) -> int:
    """Bring the changes of the task ID into your tree.

    A three-way merge onto your work tree as it is, dirty or not; index, branch and every other
    file stay as they are. When anything conflicts, nothing is written. `caesar undo` takes it
    back.
    """
    service = service_at(root)
    if refresh:
        service.refresh(task)
    result = service.preflight(task, files) if check else service.apply(task, files)
    print_apply(result, as_json=as_json, check=check)
    return EXIT_CONFLICT if result.conflicts else 0


def print_apply(result: ApplyResult, *, as_json: bool, check: bool = False) -> None:
    """Print what applying did, or with `check` would do."""
    if as_json:
        stdout().json(apply_json(result))
    else:
        _tell(result, check=check)


def apply_json(result: ApplyResult) -> dict[str, object]:
    """Return it as JSON (docs/commands.md, `apply`)."""
    from caesar_core.engine.results import conflict_json

    return {
        "id": result.task_id,
        "applied": result.applied,
        "already_applied": result.already_applied,
        "conflicts": [conflict_json(c) for c in result.conflicts],
        "files": list(result.files),
        "merged_with_local": list(result.merged_with_local),
        "message": result.message,
    }


def _tell(result: ApplyResult, *, check: bool) -> None:
    from caesar_core.engine.results import conflict_json

    out, err = stdout(), stderr()
    tell_conflicts(map(conflict_json, result.conflicts), err)
    for path in () if result.conflicts else result.files:
        mixed = " (merged with your edits)" if path in result.merged_with_local else ""
        out.line(f"  {visible(path)}{mixed}")
    (err if result.conflicts else out).line(result.message)
    if result.files and not result.conflicts and not check:
        out.line(out.paint("dim", "`caesar undo` takes it back."))
