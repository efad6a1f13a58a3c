"""`caesar run`: hand a task to an agent, watch it work, print its result."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesar_core.cli.ci_options import CiOutputs, ci_options
from caesar_core.cli.common import json_option, root_option, service_at
from caesar_core.cli.consent import ask_for_trust
from caesar_core.cli.output import stderr, stdout
from caesar_core.cli.task_options import TaskCommand, task_options
from caesar_core.errors import CaesarError
from caesar_core.text import counted, visible

if TYPE_CHECKING:
    from caesar_core.engine.request import Request
    from caesar_core.engine.service import Service


@click.command("run", cls=TaskCommand)
@click.argument("objective", required=False)
@click.option("--objective-file", metavar="F", help="Read the objective from a file.")
@task_options
@ci_options
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, /, root: str | None, **options: Any) -> int:
    """Hand OBJECTIVE to an agent and wait for its result.

    The agent works in a disposable git worktree; `caesar apply` brings its changes into your
    tree. OBJECTIVE may be `-` for stdin. What stands after a literal `--` goes to the agent.
    Ctrl-C cancels.
    """
    from caesar_core.engine.budget import parse_budget
    from caesar_core.engine.depth import current_depth
    from caesar_core.engine.request import Request

    service = service_at(root)
    request = Request(
        objective=objective_of(options["objective"], options["objective_file"]),
        agent=options["agent"],
        role=options["role"],
        mode=options["mode"],
        isolation=options["isolation"],
        network=options["network"],
        model=options["model"],
        timeout=options["timeout"],
        context=context_of(options["context"]),
        constraints=options["constraint"],
        acceptance_criteria=options["criterion"],
        checks=options["check"],
        budget=parse_budget(options["budget"]),
        extra=ctx.meta.get("extra", ()),
        depth=current_depth() + 1,
        channel=options["channel"],
    )
    return carry_out(service, request, options)


def carry_out(service: Service, request: Request, options: dict[str, Any]) -> int:
    """Start a task as its options say, follow it to its end, and return the exit code."""
    as_json = options["as_json"] or options["ndjson"]
    if options["dry_run"]:
        return _dry_run(service, request, as_json=as_json)
    outputs = CiOutputs.prepare(options)
    if options["trust"]:
        service.agree()
    elif not as_json and not outputs.no_input:
        ask_for_trust(service)
    record, resolution = service.delegate(request)
    for warning in resolution.warnings:
        stderr().line(visible(f"note: {warning}"))
    if options["detach"]:
        return _detached(record, resolution, as_json=as_json)
    from caesar_core.cli.follow import follow_to_end

    return follow_to_end(
        service, record, as_json=as_json, events_as_json=options["ndjson"], outputs=outputs
    )


def objective_of(given: str | None, file: str | None) -> str:
    """Return the objective: as given, from stdin for `-`, or from a file.

    Raises:
        CaesarError: there is none, or two, or it cannot be read.
    """
    if (given is None) == (file is None):
        raise CaesarError(
            "Give one objective.", 'As in: caesar run --agent shell "make test", or -, or a file.'
        )
    if given == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    if given is not None:
        return given
    return _read(str(file), "objective", errors="surrogateescape").strip()


def context_of(given: str) -> str:
    """Return the context: as given, or what the file after `@` holds."""
    if not given.startswith("@"):
        return given
    from caesar_core.engine.request import is_plain_text

    held = _read(given[1:], "context", errors="surrogateescape")
    if not is_plain_text(held):
        raise CaesarError(
            f"The context file {given[1:]} is not UTF-8 text, or holds a NUL character.",
            "Name the file in the objective, and the agent looks at it itself.",
        )
    return held


def _read(name: str, what: str, errors: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8", errors=errors)
    except OSError as error:
        raise CaesarError(f"The {what} file {name} cannot be read: {error.strerror}.") from None


def _dry_run(service: Any, request: Any, *, as_json: bool) -> int:
    resolution = service.plan(request)
    decisions = [
        {"field": d.field, "value": d.value, "reason": d.reason} for d in resolution.decisions
    ]
    out, warnings = stdout(), [*resolution.warnings, *_consent_needed(service)]
    if as_json:
        values = {decision["field"]: decision["value"] for decision in decisions}
        out.json({**values, "decisions": decisions, "warnings": warnings})
        return 0
    for decision in decisions:
        value = visible(_spoken(decision["value"]))
        out.line(f"{decision['field']:<12} {value:<20} {out.paint('dim', decision['reason'])}")
    for warning in warnings:
        out.line(visible(f"note: {warning}"))
    return 0


def _spoken(value: object) -> str:
    # Not a look-up by equality: to Python 1 is True, and a depth of 1 is not "on".
    if value is None:
        return "-"
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _consent_needed(service: Any) -> list[str]:
    fresh = [] if os.environ.get("CAESAR_TRUST") == "1" else service.review().fresh
    brought = counted(len(fresh), "command")
    return [f"{brought} of this repository would need your consent first"] if fresh else []


def _detached(record: Any, resolution: Any, *, as_json: bool) -> int:
    out = stdout()
    if not as_json:
        out.line(record.id)
        return 0
    out.json(
        {
            "task_id": record.id,
            "status": "running",
            "agent": record.agent,
            "mode": record.mode,
            "isolation": record.isolation,
            "network": record.network,
            "model": record.model,
            "workspace": record.workspace,
            "warnings": list(resolution.warnings),
        }
    )
    return 0
