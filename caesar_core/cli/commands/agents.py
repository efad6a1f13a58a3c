"""`caesar agents`: who can be delegated to."""

from __future__ import annotations

import sys
from typing import Any, Final

import click

from caesar_core.cli.common import json_option, root_option, service_at
from caesar_core.cli.consent import ask_for_trust
from caesar_core.cli.output import stdout
from caesar_core.cli.scope import chosen_scope, project_at, scope_options, told, warn
from caesar_core.cli.tables import columns
from caesar_core.errors import EXIT_FAILED, EXIT_OK, CaesarError
from caesar_core.text import human_duration, one_line

_WHY_NOT: Final = {"denied": "denied", "allowed": "unlisted", "allow_recursion": "recursion"}


@click.group("agents", invoke_without_command=True)
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, root: str | None, *, as_json: bool) -> int:
    """List, enable, declare and try agents; alone it lists them."""
    if ctx.invoked_subcommand is None:
        return _list(root, as_json=as_json)
    ctx.obj = {**(ctx.find_root().obj or {}), **({"root": root} if root else {})}
    return 0


@command.command("list")
@json_option
@root_option
def list_(root: str | None, *, as_json: bool) -> int:
    """List every agent: is it installed, may it be used, what can it do."""
    return _list(root, as_json=as_json)


def _list(root: str | None, *, as_json: bool) -> int:
    from caesar_core.engine.inventory import agent_rows

    agents = agent_rows(project_at(root))
    out = stdout()
    if as_json:
        out.json({"agents": agents})
        return 0
    rows = [
        (
            one_line(row["id"], 40),
            "yes" if row["installed"] else "no",
            _WHY_NOT.get(row["policy"]["rule"], "paused" if "paused" in row else "yes"),
            one_line(row.get("default_model") or "-", 40),
            " ".join(row["capabilitiesShort"]),
            row["provenance"] if row["provenance"] != "default" else "built in",
        )
        for row in agents
    ]
    header = ("AGENT", "INSTALLED", "ALLOWED", "MODEL", "CAN", "FROM")
    for line in columns(header, rows, out.width if out.is_terminal else 200):
        out.line(line)
    return 0


@command.command("enable")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def enable(agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Take agent ID off the list of those that may not be used."""
    scope = chosen_scope(is_global=is_global, is_local=is_local)
    return _switch(agent, root, scope, on=True, as_json=as_json)


@command.command("disable")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def disable(agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Put agent ID on the list of those that may not be used."""
    scope = chosen_scope(is_global=is_global, is_local=is_local)
    return _switch(agent, root, scope, on=False, as_json=as_json)


def _switch(agent: str, root: str | None, scope: Any, *, on: bool, as_json: bool) -> int:
    from caesar_core.cli.commands.policy import took_over
    from caesar_core.engine.configure import policy

    edit = (policy.undeny if on else policy.deny)(project_at(root), agent, scope)
    document = {
        "id": agent, "enabled": on, "scope": scope, "denied": list(edit.listed),
        "materialized": edit.materialized, "warnings": list(edit.warnings),
    }  # fmt: skip
    if not as_json:
        warn(edit.warnings)
    state = "enabled" if on else "disabled"
    done = f"is {state} now" if edit.changed else f"was {state} already"
    owned = f" {took_over('denied', len(edit.listed), scope)}" if edit.materialized else ""
    return told(as_json, document, f"{agent} {done}.{owned}")


@command.command("resume")
@click.argument("agent", metavar="ID")
@json_option
@root_option
def resume(agent: str, root: str | None, *, as_json: bool) -> int:
    """Give agent ID tasks again although its provider refused: those that wait start at once."""
    from caesar_core.engine.paused_agents import resume_agent

    resumed = resume_agent(project_at(root), agent)
    said = f"{agent} gets tasks again." if resumed else f"{agent} was not paused."
    return told(as_json, {"id": agent, "resumed": resumed}, said)


@command.command("add")
@click.argument("agent", metavar="ID")
@click.option("--bin", "program", metavar="P", required=True, help="A name on PATH, or a path.")
@click.option("--args", "line", metavar="LINE", help="Default: {{prompt}}, unless --prompt.")
@click.option("--prompt", type=click.Choice(["stdin", "none"]), help="How else the brief arrives.")
@click.option("--network-args", metavar="LINE", default="", help="Added while the network is on.")
@click.option("--display-name", metavar="NAME", help="What people see.")
@click.option(
    "--cwd-mode",
    type=click.Choice(["process", "flag"]),
    default="process",
    help="Where it starts: in the workspace, or in the task directory.",
)
@click.option("--read-only-native", is_flag=True, help="It can be held to reading.")
@scope_options
@json_option
@root_option
def add(
    agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool, **options: Any
) -> int:
    """Declare a program as agent ID; one of that name is replaced."""
    from caesar_core.config.settings import DeclaredAgent
    from caesar_core.engine.configure.agents import add_agent, split_arguments

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    line = options["line"]
    if line is None:
        line = "" if options["prompt"] else "{{prompt}}"
    entry = DeclaredAgent(
        id=agent,
        bin=options["program"],
        args=split_arguments(line),
        display_name=options["display_name"],
        prompt=options["prompt"],
        cwd_mode=options["cwd_mode"],
        native_read_only=options["read_only_native"],
        network_args=split_arguments(options["network_args"]),
    )
    added = add_agent(project_at(root), entry, scope)
    warnings = []
    if added.bin_path is None:
        warnings.append(f"{entry.bin} was not found; the agent cannot work before it is there.")
    if added.overrides_native:
        warnings.append(f"{agent} takes the place of the built-in agent of that name.")
    document = {
        "agent": agent, "replaced": added.replaced, "scope": scope, "bin_path": added.bin_path,
        "overrides_native": added.overrides_native, "warnings": warnings,
    }  # fmt: skip
    if not as_json:
        warn(warnings)
    done = "Replaced" if added.replaced else "Declared"
    return told(as_json, document, f"{done} agent {agent} in the {scope} file.")


@command.command("remove")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def remove(agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Take the declaration of agent ID out of the file that has it."""
    from caesar_core.engine.configure.agents import remove_agent

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    removed = remove_agent(project_at(root), agent, scope)
    document = {"id": agent, "removed": True, "scope": scope, "restores_native": removed.restores}
    more = " The built-in agent of that name is back." if removed.restores else ""
    return told(as_json, document, f"Removed agent {agent} from the {scope} file.{more}")


@command.command("set-model")
@click.argument("agent", metavar="ID")
@click.argument("model")
@scope_options
@json_option
@root_option
def set_model_(
    agent: str, model: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool
) -> int:
    """Make MODEL the default model of agent ID."""
    from caesar_core.engine.configure.agents import set_model

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    done = set_model(project_at(root), agent, model, scope)
    document: dict[str, Any] = {"id": agent, "model": model, "scope": scope}
    if done.ignored:
        document["capability_missing"] = True
        warn([f"{agent} takes no model: this one will be dropped."] if not as_json else [])
    return told(as_json, document, f"{agent} uses {model} by default ({scope} file).")


@command.command("unset-model")
@click.argument("agent", metavar="ID")
@scope_options
@json_option
@root_option
def unset_model_(
    agent: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool
) -> int:
    """Take the default model of agent ID out of a file."""
    from caesar_core.engine.configure.agents import unset_model

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    done = unset_model(project_at(root), agent, scope)
    document = {"id": agent, "removed": done.changed, "scope": scope}
    now = f"{done.model} holds now" if done.model else "its own default holds now"
    missing = f"The {scope} file names no model for {agent}; {now}."
    return told(as_json, document, f"Removed; {now}." if done.changed else missing)


@command.command("test")
@click.argument("agent", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask: it may cost money.")
@click.option("--trust", is_flag=True, help="Agree to the commands of this repository.")
@json_option
@root_option
def test(agent: str, root: str | None, *, yes: bool, trust: bool, as_json: bool) -> int:
    """Give agent ID one small read-only task, and see whether it responds.

    It is a real task: at most 60 seconds, in a slot like any other, and it may cost money.
    """
    from caesar_core.engine.agent_test import run_agent_test
    from caesar_core.engine.depth import current_depth

    service = service_at(root)
    _consent_to_spend(agent, yes=yes)
    if trust:
        service.agree()
    elif not as_json:
        ask_for_trust(service)
    done = run_agent_test(service, agent, depth=current_depth() + 1)
    word = "responded" if done.responded else "did not respond"
    took = human_duration(done.duration_ms / 1000)
    sentence = f"{agent} {word} in {took}: {done.summary or done.status}"
    told(as_json, done.to_json(), sentence)
    return EXIT_OK if done.status == "succeeded" else EXIT_FAILED


def _consent_to_spend(agent: str, *, yes: bool) -> None:
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CaesarError(f"A test of {agent} may cost money.", "Say --yes if it may.")
    if not click.confirm(f"Run a small task with {agent}? It may cost money.", err=True):
        raise click.Abort
