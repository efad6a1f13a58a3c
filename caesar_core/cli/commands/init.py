"""`caesar init`: make a project ready."""

from __future__ import annotations

from typing import Any

import click

from caesar_core.cli.common import json_option, root_option
from caesar_core.cli.output import stdout
from caesar_core.cli.scope import project_at, warn
from caesar_core.text import counted, visible


@click.command("init")
@click.option("--force", is_flag=True, help="Write settings and role prompts anew.")
@click.option("--global", "is_global", is_flag=True, help="Your own settings and skills instead.")
@click.option("--agent", "agents", metavar="ID", multiple=True, help="Whose skills; repeatable.")
@click.option("--no-skills", is_flag=True, help="No skills and commands for main agents.")
@json_option
@root_option
def command(root: str | None, *, as_json: bool, is_global: bool, **options: Any) -> int:
    """Make this project ready: settings it needs, role prompts, ignore rules, skills.

    Nothing is needed before the first `caesar run`; init saves the second thought. Run again, it
    leaves settings and prompts alone and renews the skills. Your own .gitignore stays as it is.
    """
    from caesar_core.engine.initialize import initialize, initialize_global

    project = project_at(root)
    given: dict[str, Any] = {
        "runtimes": options["agents"] or None,
        "force": options["force"],
        "skills": not options["no_skills"],
    }
    if is_global:
        done = initialize_global(project, **given)
        if as_json:
            stdout().json(done)
        else:
            state = "was there already" if done["refreshed"] and not given["force"] else "written"
            _line(f"{done['config_path']}: {state}")
            _skills(done["assets"])
        return 0
    document = initialize(project, **given).to_json()
    if as_json:
        stdout().json(document)
        return 0
    warn(document["warnings"])
    _say(document)
    return 0


def _say(document: dict[str, Any]) -> None:
    needs = document["worktree"]
    if needs:
        _line(f"{document['config_path']}: [worktree] " + ", ".join(needs))
        for key, values in needs.items():
            _line(f"  {key} = {values}")
    elif not document["refreshed"]:
        _line("Nothing was found that a fresh worktree would lack; no settings written.")
    else:
        _line("Settings were there already; they stay as they are (--force writes them anew).")
    written = document["role_files"]
    if written:
        _line(f"{document['roles_dir']}: {counted(len(written), 'role prompt')} written")
    ignored = document["gitignore"]
    if ignored and ignored["added"]:
        _line(f"{ignored['path']}: keeps tasks and worktrees out of git")
    _skills(document["assets"])
    _line("Next: `caesar doctor`, or `caesar demo`.")


def _skills(assets: dict[str, Any] | None) -> None:
    if assets is None:
        return
    for file in assets["files"]:
        if file["action"] != "unchanged":
            _line(f"{file['path']}: {file['action']}")
    for path in assets["stale"]:
        _line(f"{path}: of an older version, left alone")


def _line(text: str) -> None:
    stdout().line(visible(text))
