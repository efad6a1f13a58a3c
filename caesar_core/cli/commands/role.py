"""`caesar role`: profiles that choose an agent."""

from __future__ import annotations

from typing import Any

import click

from caesar_core.cli.common import json_option, root_option
from caesar_core.cli.output import stdout
from caesar_core.cli.scope import chosen_scope, project_at, scope_options, told
from caesar_core.cli.tables import columns
from caesar_core.text import one_line, visible


@click.group("role", invoke_without_command=True)
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, root: str | None, *, as_json: bool) -> int:
    """Profiles that choose an agent and set its defaults; alone it lists them."""
    if ctx.invoked_subcommand is None:
        return _list(root, as_json=as_json)
    ctx.obj = {**(ctx.find_root().obj or {}), **({"root": root} if root else {})}
    return 0


@command.command("list")
@json_option
@root_option
def list_(root: str | None, *, as_json: bool) -> int:
    """List the roles, and the agent that each would choose now."""
    return _list(root, as_json=as_json)


def _list(root: str | None, *, as_json: bool) -> int:
    from caesar_core.engine.inventory import role_rows

    roles = role_rows(project_at(root))
    out = stdout()
    if as_json:
        out.json({"roles": roles})
        return 0
    rows = [
        (
            one_line(role["name"], 40),
            role["mode"],
            one_line(role.get("picked") or "nobody", 40),
            one_line(", ".join(role["agents"]), 80),
            one_line(role["purpose"], 80),
        )
        for role in roles
    ]
    width = out.width if out.is_terminal else 200
    for line in columns(("ROLE", "MODE", "WOULD PICK", "AGENTS", "PURPOSE"), rows, width):
        out.line(line)
    for role in roles:
        if "error" in role:
            out.line(out.paint("dim", visible(role["error"])))
    return 0


@command.command("show")
@click.argument("name")
@json_option
@root_option
def show(name: str, root: str | None, *, as_json: bool) -> int:
    """Show one role with its prompt."""
    from caesar_core.durations import format_duration
    from caesar_core.engine.configure.roles import show_role

    role = show_role(project_at(root), name)
    out = stdout()
    if as_json:
        out.json(role)
        return 0
    for key, value in role.items():
        if key == "systemPrompt" or value is None or value == "":
            continue
        text = ", ".join(value) if isinstance(value, list) else str(value)
        text = format_duration(value) if key == "timeout" else text
        out.line(f"{key:<18} {one_line(text, 400)}")
    if role["systemPrompt"]:
        out.line()
        out.line(visible(role["systemPrompt"].rstrip(), keep_newlines=True))
    return 0


@command.command("add")
@click.argument("name")
@click.option("--agents", metavar="A,B", required=True, help="In order of preference.")
@click.option(
    "--mode", type=click.Choice(["read-only", "write"]), required=True, help="What it may do."
)
@click.option("--purpose", metavar="TEXT", default="", help="What it is for; for people.")
@click.option(
    "--isolation",
    type=click.Choice(["inplace", "worktree", "auto"]),
    default="auto",
    help="Where it works.",
)
@click.option(
    "--network", type=click.Choice(["auto", "on", "off"]), default="auto", help="Its network."
)
@click.option("--model", metavar="NAME", help="For whichever agent is chosen.")
@click.option("--timeout", metavar="D", default="10m", help="90s, 10m, 2h.")
@click.option("--prompt-file", metavar="F", help="Below .caesar/, such as roles/NAME.md.")
@scope_options
@json_option
@root_option
def add(
    name: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool, **options: Any
) -> int:
    """Declare the role NAME; one of that name is replaced, but for its prompt file."""
    from caesar_core.config.settings import Role
    from caesar_core.durations import parse_duration
    from caesar_core.engine.configure.roles import add_role

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    role = Role(
        name=name,
        agents=tuple(agent.strip() for agent in options["agents"].split(",") if agent.strip()),
        mode=options["mode"],
        purpose=options["purpose"],
        isolation=options["isolation"],
        network=options["network"],
        timeout=parse_duration(options["timeout"], what="--timeout"),
        system_prompt_file=options["prompt_file"],
        model=options["model"],
    )
    added = add_role(project_at(root), role, scope)
    document = {"role": added.role.name, "replaced": added.replaced, "scope": scope}
    done = "Replaced" if added.replaced else "Added"
    return told(as_json, document, f"{done} role {name} in the {scope} file.")


@command.command("remove")
@click.argument("name")
@scope_options
@json_option
@root_option
def remove(name: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Take the role NAME out of the file that declares it."""
    from caesar_core.engine.configure.roles import remove_role

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    removed = remove_role(project_at(root), name, scope)
    document = {"name": name, "removed": True, "scope": scope, "restores": removed.restores}
    more = " The one below it holds again." if removed.restores else ""
    return told(as_json, document, f"Removed role {name} from the {scope} file.{more}")
