"""`caesar demo`: two agents race in a small repository, the better one is applied."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import stdout
from caesar_core.errors import EXIT_CANCELLED, EXIT_FAILED
from caesar_core.text import one_line, visible

if TYPE_CHECKING:
    from caesar_core.engine.demo import DemoRace

_PAUSE: Final = 0.05
_EXIT_SIGNAL: Final = 128


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the repository and say where it is.")
@click.option("--plain", is_flag=True, help="Lines instead of the dashboard.")
@json_option
def command(*, keep: bool, plain: bool, as_json: bool) -> int:
    """Make a small repository, let two embedded agents race in it, apply the better result.

    Real processes in real git worktrees; no model, no network, no question asked.
    """
    from caesar_core.engine.demo import start_demo

    with _stoppable(), _folder(keep=keep) as folder:
        race = start_demo(folder)
        try:
            _watch(race, plain=plain or as_json, quiet=as_json)
        except KeyboardInterrupt as error:
            race.cancel()
            return error.exit_code if isinstance(error, _StoppedError) else EXIT_CANCELLED
        code = _finish(race, as_json=as_json)
        if keep and not as_json:
            stdout().line(f"\nThe repository is kept: cd {visible(str(folder))}")
        return code


class _StoppedError(KeyboardInterrupt):
    """TERM or HUP: an end like Ctrl-C, so that neither a task nor the repository stays."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = _EXIT_SIGNAL + number


@contextmanager
def _stoppable() -> Iterator[None]:
    def stop(number: int, _: object) -> None:
        raise _StoppedError(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _folder(*, keep: bool) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="caesar-demo-")).resolve()
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _watch(race: DemoRace, *, plain: bool, quiet: bool) -> None:
    """Show the race until it is over: on the board in a terminal, else line by line."""
    if not plain and sys.stdout.isatty() and sys.stdin.isatty():
        from caesar_core.cli.dashboard import can_show, open_dashboard

        if can_show():
            open_dashboard(race.service.layout, ids=None, race=race.race_id, until_over=True)
    from caesar_core.cli.follow import EventStream

    streams = {
        record.id: EventStream(
            race.service, record.id, as_json=False, quiet=quiet, label=record.agent
        )
        for record in race.records()
    }
    over = False
    while not over:
        over = race.is_over()
        for stream in streams.values():
            stream.show_new()
        race.service.clock.sleep(_PAUSE)


def _finish(race: DemoRace, *, as_json: bool) -> int:
    from caesar_core.board.ranking import RULE
    from caesar_core.engine.demo import standings_json

    standings = race.standings()
    winner = standings[0][1]
    result = race.service.apply(winner.task_id)
    out = stdout()
    if as_json:
        out.json(
            {
                "race_id": race.race_id,
                "contestants": standings_json(standings),
                "winner": winner.task_id,
                "applied": result.applied,
            }
        )
        return 0 if result.applied else EXIT_FAILED
    out.line()
    out.line(out.paint("bold", f"Ranked by: {RULE}"))
    for place, contestant in standings:
        record = race.service.record(contestant.task_id)
        report = race.service.report(contestant.task_id) or {}
        status = str(contestant.report_status)
        painted = out.paint("ok" if status == "success" else "warn", f"{status:<8}")
        summary = one_line(report.get("summary", ""), 100)
        out.line(f"  {place}. {record.agent:<13} {painted} {summary}")
    out.line()
    out.line(f"{out.paint('ok', winner.task_id[:10])}: {result.message}")
    out.line()
    out.line(out.paint("dim", "$ git diff"))
    out.line(visible(race.service.tree_diff(), keep_newlines=True).rstrip())
    return 0 if result.applied else EXIT_FAILED
