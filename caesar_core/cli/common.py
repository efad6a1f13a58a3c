"""What the commands share: options, the project, ids with completion."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesar_core.errors import CaesarError
from caesar_core.home import expand_home
from caesar_core.store.layout import CAESAR_DIR, Layout, find_root

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from caesar_core.board.lines import EventLine
    from caesar_core.engine.service import Service
    from caesar_core.protocol.event import Event

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def root_option(function: Decorated) -> Decorated:
    """Add `--root`, which may also stand before the command."""
    return click.option("--root", metavar="DIR", default=None, help="The project.")(function)


def json_option(function: Decorated) -> Decorated:
    """Add `--json`."""
    option = click.option("--json", "as_json", is_flag=True, help="One line of JSON on stdout.")
    return option(function)


def project_root(root: str | None) -> Path:
    """Return the project's root: as asked, else the nearest one above.

    Raises:
        CaesarError: the folder that was asked for does not exist.
    """
    if root is None:
        root = _root_before(click.get_current_context(silent=True))
    if root is None:
        return _with_our_folder(find_root(_current_folder()))
    path = expand_home(root)
    if not path.is_dir():
        raise CaesarError(f"There is no folder {root}.", "Give --root an existing folder.")
    return _with_our_folder(path.resolve())


def _root_before(context: click.Context | None) -> str | None:
    """Return the `--root` of the command line, wherever it stands."""
    while context is not None:
        root = context.params.get("root")
        if isinstance(root, str):
            return root
        context = context.parent
    return None


def _with_our_folder(root: Path) -> Path:
    ours = root / CAESAR_DIR
    if os.path.lexists(ours) and not ours.is_dir():
        raise CaesarError(f"{ours} is not a folder.", "Move it away: caesar keeps its tasks there.")
    layout = Layout(root)
    for place in (ours, layout.state, layout.tasks, ours / "wt"):
        _stays_inside(place, root)
    return root


def _stays_inside(place: Path, root: Path) -> None:
    """Refuse a link by which a cloned repository would have us write anywhere."""
    if not place.is_symlink():
        return
    target = Path(os.path.realpath(place))
    if not target.is_relative_to(os.path.realpath(root)):
        raise CaesarError(
            f"{place} is a link that leads out of the project, to {target}.",
            "Put a folder in its place: caesar writes there.",
        )


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise CaesarError(
            "The current folder does not exist any more.", "Change to another one, or give --root."
        ) from None


def service_at(root: str | None) -> Service:
    """Return the engine for the project."""
    from caesar_core.engine.service import Service

    return Service(project_root(root))


def line_of(service: Service, task_id: str, event: Event) -> EventLine:
    """Return the line that tells an event; a success that a check contradicts is called so."""
    from caesar_core.board.lines import event_line
    from caesar_core.protocol.event import Finished

    ends = isinstance(event.body, Finished)
    return event_line(event, failed_check=ends and bool(service.record(task_id).failed_checks))


def text_or_stdin(given: str) -> str:
    """Return a text that was given as an argument; `-` stands for what stdin holds."""
    if given != "-":
        return given
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()


def complete_race(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """Offer the ids of the project's races."""
    from click.shell_completion import CompletionItem

    from caesar_core.engine.listing import known_races

    try:
        known = known_races(project_root(_root_before(ctx)))
    except CaesarError:  # whoever presses Tab is not to be told
        return []
    return [CompletionItem(race_id) for race_id in known if race_id.startswith(incomplete)]


def complete_task(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """Offer the ids of the project's tasks."""
    from click.shell_completion import CompletionItem

    from caesar_core.engine.listing import task_ids

    try:
        known = task_ids(project_root(_root_before(ctx)))
    except CaesarError:  # whoever presses Tab is not to be told
        return []
    return [CompletionItem(task_id) for task_id in known if task_id.startswith(incomplete)]


def task_argument(function: Decorated) -> Decorated:
    """Add the argument that names a task."""
    return click.argument("task", metavar="ID", shell_complete=complete_task)(function)
