"""`caesar demo`: two agents race in a small repository, the better one is applied."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import stdout
from caesar_core.cli.stoppable import exit_code_of, stoppable
from caesar_core.errors import EXIT_FAILED, EXIT_OK
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.race import Race
    from caesar_core.engine.service import Service


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the repository and say where it is.")
@click.option("--plain", is_flag=True, help="Lines instead of the dashboard.")
@json_option
def command(*, keep: bool, plain: bool, as_json: bool) -> int:
    """Make a small repository, let two embedded agents race in it, apply the better result.

    Real processes in real git worktrees; no model, no network, no question asked.
    """
    from caesar_core.engine.demo import start_demo

    with stoppable(), _folder(keep=keep) as folder:
        service, race = start_demo(folder)
        try:
            _watch(service, race, plain=plain or as_json, quiet=as_json)
        except KeyboardInterrupt as error:
            race.cancel()
            return exit_code_of(error)
        code = _finish(service, race, as_json=as_json)
        if keep and not as_json:
            stdout().line(f"\nThe repository is kept: cd {visible(str(folder))}")
        return code


@contextmanager
def _folder(*, keep: bool) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="caesar-demo-")).resolve()
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _watch(service: Service, race: Race, *, plain: bool, quiet: bool) -> None:
    """Show the race until it is over: on the board in a terminal, else line by line."""
    if not plain and sys.stdout.isatty() and sys.stdin.isatty():
        from caesar_core.cli.dashboard import can_show, open_dashboard

        if can_show():
            open_dashboard(service.layout, ids=None, race=race.id, until_over=True)
    from caesar_core.cli.race_follow import show_race

    show_race(service, race, quiet=quiet)


def _finish(service: Service, race: Race, *, as_json: bool) -> int:
    view = race.view()
    result = service.apply(view.winner) if view.winner else None
    applied = result is not None and result.applied
    out = stdout()
    if as_json:
        out.json(service.race_json(race.view()))
        return EXIT_OK if applied else EXIT_FAILED
    from caesar_core.cli.race_text import standings_lines

    out.line()
    for line in standings_lines(view, out):
        out.line(line)
    if result is None:
        return EXIT_FAILED
    out.line()
    out.line(f"{out.paint('ok', result.task_id[:10])}: {result.message}")
    out.line()
    out.line(out.paint("dim", "$ git diff"))
    out.line(visible(service.tree_diff(), keep_newlines=True).rstrip())
    return EXIT_OK if applied else EXIT_FAILED
