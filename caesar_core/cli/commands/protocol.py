"""`caesar protocol`: the contract between caesar and an agent."""

from __future__ import annotations

import json

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import stdout


@click.group("protocol", no_args_is_help=False)
def command() -> None:
    """The contract between caesar and an agent."""


@command.command("schema", short_help="Print the JSON Schema of a document.")
@click.argument("document", required=False, metavar="[task|report|event|question]")
@click.option("--strict", is_flag=True, help="Closed, for native structured output.")
@json_option
def schema(document: str | None, *, strict: bool, as_json: bool) -> int:
    """Print the JSON Schema of a document (draft 2020-12); without a name, list them."""
    from caesar_core.protocol.schema import DOCUMENTS, json_schema

    out = stdout()
    if document is None:
        if as_json:
            out.json({"documents": list(DOCUMENTS)})
        else:
            for name in DOCUMENTS:
                out.line(name)
        return 0
    found = json_schema(document, strict=strict)
    if as_json:
        out.json(found)
    else:
        out.line(json.dumps(found, indent=2))
    return 0
