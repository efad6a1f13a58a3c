"""`caesar report`: an agent hands in its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import stdout
from caesar_core.engine.agent_side import AgentSide
from caesar_core.errors import CaesarError

_STATUSES = ("success", "partial", "failed", "blocked")
_EXAMPLE = 'As in: caesar report --status success --summary "…", or --file report.json.'


@click.command("report")
@click.option("--status", type=click.Choice(_STATUSES), help="The agent's own verdict.")
@click.option("--summary", metavar="T", help="What was done and what came of it.")
@click.option("--details", metavar="T", default="", help="More, for who wants to know.")
@click.option("--next-step", "next_steps", metavar="T", multiple=True, help="What is left.")
@click.option("--file", metavar="F", help="A whole report as JSON; `-`: stdin.")
@json_option
def command(file: str | None, *, as_json: bool, **words: Any) -> None:
    """Hand in the report from inside a task; it is checked at once, and the last one counts."""
    side = AgentSide.here()
    if file is not None:
        if any(words.values()):
            raise CaesarError("--file holds the whole report.", "Leave the other options out.")
        side.hand_in(_document(file))
    else:
        side.hand_in_checked(_from_words(**words))
    if as_json:
        stdout().json({"ok": True, "task_id": side.task_id})


def _from_words(
    status: str | None, summary: str | None, details: str, next_steps: tuple[str, ...]
) -> dict[str, Any]:
    """Return a report that needs no model to be known as right."""
    if status is None:
        raise CaesarError("--status is missing.", _EXAMPLE)
    if not (summary or "").strip():
        raise CaesarError("--summary is missing or empty.", _EXAMPLE)
    return {
        "protocol": "caesar.report/v1",
        "status": status,
        "summary": summary,
        "details": details,
        "next_steps": list(next_steps),
    }


def _document(name: str) -> dict[str, Any]:
    from caesar_core.protocol.strictjson import BadJsonError, strict_json

    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        document = strict_json(data)
    except OSError as error:
        raise CaesarError(f"The report {name} cannot be read: {error.strerror}.") from None
    except BadJsonError as error:
        raise CaesarError(f"The report {name} is not acceptable: {error}.", _EXAMPLE) from None
    if not isinstance(document, dict):
        raise CaesarError(f"The report {name} is not a JSON object.", _EXAMPLE)
    return document
