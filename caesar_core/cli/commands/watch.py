"""`caesar watch`: the control room, or its content as lines."""

from __future__ import annotations

import click

from caesar_core.cli.common import complete_task, json_option, project_root, root_option
from caesar_core.errors import NotFoundError
from caesar_core.ids import resolve_prefix
from caesar_core.store.layout import Layout


@click.command("watch")
@click.argument("tasks", metavar="[ID]...", nargs=-1, shell_complete=complete_task)
@click.option("--race", metavar="ID", help="Only the contestants of a race.")
@click.option("--once", is_flag=True, help="One frame, then exit.")
@click.option("--plain", is_flag=True, help="One line an event, no escape sequences.")
@click.option("--web", is_flag=True, help="The dashboard in a browser, on this machine only.")
@click.option("--theme", metavar="NAME", help="The dashboard's theme.")
@json_option
@root_option
def command(
    tasks: tuple[str, ...],
    race: str | None,
    theme: str | None,
    root: str | None,
    *,
    once: bool,
    plain: bool,
    web: bool,
    as_json: bool,
) -> int:
    """Watch every task live, see its diff, apply it; or only the tasks named.

    In a terminal: the dashboard. Elsewhere, and with --plain: one line an event. With --json:
    the merged events as NDJSON. Quitting never stops a task.
    """
    layout = Layout(project_root(root))
    ids = _resolved(layout, tasks)
    from caesar_core.engine.service import Service

    service = Service(layout.root)
    service.adopt()
    race = None if race is None else service.race(race).id
    if once:
        from caesar_core.cli.frame import print_frame

        return print_frame(layout, ids, race, as_json=as_json)
    if web:
        from caesar_core.cli.dashboard import open_in_browser

        if race is not None:
            ids = list(service.race(race).file.task_ids)
        return open_in_browser(layout, ids=ids, theme=theme)
    if not (plain or as_json):
        from caesar_core.cli.dashboard import can_show, open_dashboard

        if can_show():
            return open_dashboard(layout, ids=ids, theme=theme, race=race)
    from caesar_core.cli.watch_lines import watch_lines

    return watch_lines(layout, ids, race, as_json=as_json)


def _resolved(layout: Layout, prefixes: tuple[str, ...]) -> list[str] | None:
    if not prefixes:
        return None
    from caesar_core.engine.listing import task_ids

    known = task_ids(layout.root)
    if not known:
        raise NotFoundError(f"No task {prefixes[0]}.", "This project has none yet.")
    return [resolve_prefix(prefix, known) for prefix in prefixes]
