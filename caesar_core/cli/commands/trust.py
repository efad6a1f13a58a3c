"""`caesar trust`: agree to the commands that a repository brings."""

from __future__ import annotations

import click

from caesar_core.cli.common import json_option, root_option, service_at
from caesar_core.cli.consent import review_lines
from caesar_core.cli.output import stdout


@click.command("trust")
@click.option("--show", is_flag=True, help="Only show them.")
@click.option("--revoke", is_flag=True, help="Take the agreement back.")
@json_option
@root_option
def command(root: str | None, *, show: bool, revoke: bool, as_json: bool) -> int:
    """Agree to the programs, setup commands and variables that this repository's .caesar names.

    They are asked about again when they change. CAESAR_TRUST=1 agrees for one command.
    """
    service = service_at(root)
    before = service.review()
    if revoke:
        service.revoke()
    elif not show:
        service.agree()
    after = service.review()
    if as_json:
        stdout().json(
            {
                "root": str(after.root),
                "trusted": after.is_trusted,
                "commands": [
                    {"path": c.path, "command": c.text, "new": c in before.fresh}
                    for c in after.commands
                ],
            }
        )
        return 0
    for line in review_lines(before):
        stdout().line(line)
    if after.commands:
        stdout().line("Agreed." if after.is_trusted else "Not agreed to.")
    return 0
