"""`caesar doctor`: what works here, what is missing, and how to get it."""

from __future__ import annotations

import os
from typing import Any, Final

import click

from caesar_core.cli.common import json_option, root_option
from caesar_core.cli.output import locale_encoding, stdout
from caesar_core.cli.scope import project_at
from caesar_core.cli.tables import columns
from caesar_core.errors import EXIT_FAILED, EXIT_OK
from caesar_core.text import human_duration, one_line, visible

_STYLES: Final = {"ok": "ok", "warn": "warn", "bad": "bad"}
_LOGIN: Final = {
    "found": "credential found",
    "none": "none found",
    "unknown": "cannot tell",
    "unneeded": "not needed",
}


@click.command("doctor")
@click.option("--verbose", is_flag=True, help="Paths, capabilities and evidence as well.")
@click.option("--no-proof", is_flag=True, help="Leave out the run of the embedded agent.")
@json_option
@root_option
def command(root: str | None, *, verbose: bool, no_proof: bool, as_json: bool) -> int:
    """Look at agents, configuration and machine, and prove that a task works end to end.

    Asks each installed CLI for its version and looks for credentials, without using them. Exit 0
    unless something essential is broken.
    """
    from caesar_core.engine.doctor import diagnose
    from caesar_core.engine.machine import Part

    terminal = Part("terminal", "ok", _terminal())
    found = diagnose(project_at(root), terminal, with_proof=not no_proof)
    if as_json:
        stdout().json(found.to_json())
        return EXIT_OK if found.ok else EXIT_FAILED
    for part in found.parts:
        _line(part.state, part.name, part.detail, part.remedy)
    if found.proof is not None:
        took = human_duration(found.proof.duration_ms / 1000)
        state = "ok" if found.proof.ok else "bad"
        _line(state, "proof", f"{found.proof.detail} ({took})", "")
    _agents(found.agents, verbose=verbose)
    for warning in found.warnings:
        _line("warn", "names", warning, "")
    return EXIT_OK if found.ok else EXIT_FAILED


def _agents(agents: tuple[dict[str, Any], ...], *, verbose: bool) -> None:
    out = stdout()
    if not agents:
        return
    rows = [
        (
            one_line(agent["id"], 40),
            one_line(agent["version"] or ("-" if agent["installed"] else "not installed"), 40),
            _LOGIN[agent["login"]["state"]],
            "yes" if agent["policy"]["allowed"] else "no",
            " ".join(agent["capabilitiesShort"]),
        )
        for agent in agents
    ]
    out.line()
    width = out.width if out.is_terminal else 200
    for line in columns(("AGENT", "VERSION", "LOGIN", "ALLOWED", "CAN"), rows, width):
        out.line(line)
    missing = [agent for agent in agents if agent["remedy"]]
    denied = [agent for agent in agents if not agent["policy"]["allowed"]]
    doubtful = [(a["id"], a["version_doubt"]) for a in agents if a["version_doubt"]]
    _remedies("Of a version that was not tried:", doubtful)
    _remedies("To install:", [(agent["id"], agent["remedy"]) for agent in missing])
    _remedies(
        "Refused by the policy:",
        [(a["id"], f"{a['policy']['reason']} {a['policy']['remedy']}") for a in denied],
    )
    waiting = [(a["id"], a["paused"]) for a in agents if "paused" in a]
    _remedies(
        "Paused, because the provider refused (`caesar agents resume` ends it):",
        [(name, f"until {pause['until']}: {pause['message']}") for name, pause in waiting],
    )
    if verbose:
        _evidence(agents)


def _remedies(title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        stdout().line(f"\n{title}")
    for name, text in rows:
        stdout().line(visible(f"  {name:<12} {text}"))


def _evidence(agents: tuple[dict[str, Any], ...]) -> None:
    out = stdout()
    out.line("\nPATH searched:")
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        out.line(visible(f"  {folder}"))
    for agent in agents:
        evidence = agent["login"]["evidence"] or "-"
        out.line()
        out.line(visible(f"{agent['id']}: {agent['path'] or agent['bin']}"))
        out.line(visible(f"  login: {evidence}"))
        out.line(visible(f"  can: {', '.join(agent['capabilities']) or '-'}"))


def _line(state: str, name: str, detail: str, remedy: str) -> None:
    out = stdout()
    mark = out.paint(_STYLES[state], f"{state:<4}")
    out.line(f"{mark} {name:<14} {visible(detail, keep_newlines=True)}")
    if remedy:
        out.line(f"{'':<20}{visible(remedy, keep_newlines=True)}")


def _terminal() -> str:
    out = stdout()
    kind = os.environ.get("TERM") or "no TERM"
    colors = os.environ.get("COLORTERM") or ("colours" if out.has_color else "no colours")
    place = f"{out.width} columns" if out.is_terminal else "not a terminal"
    return f"{kind}, {colors}, {locale_encoding()}, {place}"
