"""`caesar policy`: which agents may be used."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from caesar_core.cli.common import json_option, root_option
from caesar_core.cli.output import stdout
from caesar_core.cli.scope import chosen_scope, project_at, scope_options, told, warn
from caesar_core.cli.tables import columns
from caesar_core.text import counted, one_line


@click.group("policy", invoke_without_command=True)
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, root: str | None, *, as_json: bool) -> int:
    """Which agents may be used, and how by default; alone it shows the policy."""
    if ctx.invoked_subcommand is None:
        return _show(root, as_json=as_json)
    ctx.obj = {**(ctx.find_root().obj or {}), **({"root": root} if root else {})}
    return 0


@command.command("show")
@json_option
@root_option
def show(root: str | None, *, as_json: bool) -> int:
    """Show the policy, and which file decided each part of it."""
    return _show(root, as_json=as_json)


def _show(root: str | None, *, as_json: bool) -> int:
    from caesar_core.config.values import shown_value

    project = project_at(root)
    config = project.config
    policy = {name: _listed(value) for name, value in asdict(config.policy).items()}
    provenance = {name: config.layer_of(f"policy.{name}") for name in policy}
    if as_json:
        paths = [(layer, project.file_of(layer)) for layer in ("global", "project", "local")]
        sources = [
            {"layer": layer, "path": str(path), "exists": path.exists()}
            for layer, path in paths
            if path is not None
        ]
        stdout().json({"policy": policy, "provenance": provenance, "sources": sources})
        return 0
    rows = []
    for name, value in policy.items():
        shown = shown_value(name, value)
        text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
        rows.append((name, provenance[name], one_line(text, 200)))
    width = stdout().width if stdout().is_terminal else 400
    for line in columns(("SETTING", "FROM", "VALUE"), rows, width):
        stdout().line(line)
    return 0


@command.command("allow")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def allow(agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Put agent ID on the list of the only ones that may be used."""
    from caesar_core.engine.configure import policy

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    edit = policy.allow(project_at(root), agent, scope)
    document = {
        "id": agent, "scope": scope, "allowed": list(edit.listed),
        "narrowed_allowlist": edit.changed and edit.listed == (agent,),
        "materialized": edit.materialized, "warnings": list(edit.warnings),
    }  # fmt: skip
    if not as_json:
        warn(edit.warnings)
    done = "is allowed now" if edit.changed else "was allowed already"
    owned = f" {took_over('allowed', len(edit.listed), scope)}" if edit.materialized else ""
    return told(as_json, document, f"{agent} {done}.{owned}")


@command.command("deny")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def deny(agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Put agent ID on the list of those that may not be used; it wins over `allow`."""
    from caesar_core.engine.configure import policy

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    edit = policy.deny(project_at(root), agent, scope)
    document = {
        "id": agent, "scope": scope, "denied": list(edit.listed),
        "materialized": edit.materialized, "warnings": list(edit.warnings),
    }  # fmt: skip
    if not as_json:
        warn(edit.warnings)
    done = "is denied now" if edit.changed else "was denied already"
    owned = f" {took_over('denied', len(edit.listed), scope)}" if edit.materialized else ""
    return told(as_json, document, f"{agent} {done}.{owned}")


def took_over(name: str, count: int, scope: str) -> str:
    """Say that a file now has a list of its own, and what follows from it."""
    held = counted(count, "agent")
    return f"The {scope} file now has its own list `{name}` ({held}); it no longer follows others."


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
