"""`caesar pick`: one outcome out of parts of several, proved and applied like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesar_core.cli.common import json_option, root_option, service_at
from caesar_core.cli.conflicts import tell_conflicts
from caesar_core.cli.consent import ask_for_trust
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import EXIT_CANCELLED, EXIT_CONFLICT, EXIT_FAILED, EXIT_OK

if TYPE_CHECKING:
    from caesar_core.engine.applying import ApplyResult
    from caesar_core.engine.pick import Picked


@click.command("pick")
@click.option(
    "--take",
    "takes",
    metavar="ID:PATH[#HUNK]",
    multiple=True,
    required=True,
    help="A file, a folder, or hunks of a file (#2, #1,3-5) of a result; repeatable.",
)
@click.option("--check", metavar="CMD", multiple=True, help="Run it on the result; repeatable.")
@click.option("--apply", "wants_apply", is_flag=True, help="Apply it when every check passes.")
@click.option("--trust", is_flag=True, help="Agree to the commands of this repository.")
@json_option
@root_option
def command(
    takes: tuple[str, ...],
    check: tuple[str, ...],
    root: str | None,
    *,
    wants_apply: bool,
    trust: bool,
    as_json: bool,
) -> int:
    """Combine parts of several results to a new one with an id of its own.

    The results have to start from the same commit. Parts that collide are refused with the place,
    and nothing is kept. The new id works with `diff`, `apply`, `undo` and `show`.
    """
    from caesar_core.cli.follow import Signals
    from caesar_core.engine.pick import Take

    service = service_at(root)
    if trust:
        service.agree()
    elif not as_json:
        ask_for_trust(service)
    signals = Signals()
    with signals:
        picked = service.pick(
            [Take.parse(text) for text in takes], check, lambda: bool(signals.stop)
        )
    applied = None
    if wants_apply and picked.id and picked.passed and not signals.stop:
        applied = service.apply(picked.id)
    document = service.pick_json(picked, applied)
    if as_json:
        stdout().json(document)
    else:
        _tell(document, picked, applied)
        if wants_apply and picked.id and not picked.passed:
            stderr().line("Not applied: a check did not pass.")
    if signals.stop:
        return EXIT_CANCELLED
    if picked.conflicts or (applied is not None and applied.conflicts):
        return EXIT_CONFLICT
    return EXIT_OK if picked.passed else EXIT_FAILED


def _tell(document: dict[str, Any], picked: Picked, applied: ApplyResult | None) -> None:
    from caesar_core.cli.report_text import check_lines, file_line

    out, err = stdout(), stderr()
    tell_conflicts(document["conflicts"], err)
    if picked.id is None:
        err.line("Nothing was kept: the parts collide.")
        return
    out.line(out.paint("bold", picked.id))
    for change in document["files"]:
        out.line(f"  {file_line(change, out)}")
    for line in check_lines(document, out):
        out.line(line)
    if applied is not None:
        (err if applied.conflicts else out).line(applied.message)
    else:
        out.line(
            out.paint("dim", f"  caesar diff {picked.id[:10]} · caesar apply {picked.id[:10]}")
        )
