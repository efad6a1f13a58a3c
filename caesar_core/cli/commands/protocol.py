"""`caesar protocol`: the contract between caesar and an agent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from caesar_core.cli.common import json_option
from caesar_core.cli.output import Output, stderr, stdout
from caesar_core.cli.stoppable import exit_code_of, stoppable
from caesar_core.errors import EXIT_FAILED, EXIT_OK
from caesar_core.text import one_line

if TYPE_CHECKING:
    from caesar_core.engine.kit.bench import Row

_MINUTE: Final = 60_000


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


@command.command(
    "check",
    short_help="Put a program through the contract.",
    context_settings={"ignore_unknown_options": True},
)
@click.option("--only", metavar="N", multiple=True, help="Only this scenario; repeatable.")
@click.option("--timeout", metavar="D", help="The limit of each scenario; default: 1m.")
@click.option("--junit", metavar="F", help="Write the rows as JUnit XML.")
@json_option
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
def check(
    words: tuple[str, ...],
    only: tuple[str, ...],
    timeout: str | None,
    junit: str | None,
    *,
    as_json: bool,
) -> int:
    """Run COMMAND as an agent through the contract and print what it honours.

    Exit code 1 when a part of the contract is not honoured, or a scenario that --only names.
    What an agent is able to do beyond the contract is told and fails nothing.
    """
    from caesar_core.durations import parse_duration
    from caesar_core.engine.artifacts import check_targets
    from caesar_core.engine.kit.bench import candidate
    from caesar_core.engine.kit.bench import check as run_kit
    from caesar_core.engine.kit.scenarios import chosen

    scenarios = chosen(only)
    limit = _MINUTE if timeout is None else parse_duration(timeout, what="--timeout")
    check_targets([("--junit", Path(junit))] if junit else [])
    agent = candidate(words, Path.cwd())
    err = stderr()

    def show(row: Row) -> None:
        if not as_json and err.is_terminal:
            err.line(f"{_mark(row, err)} {row.name}")

    try:
        with stoppable():
            rows = run_kit(agent, scenarios, timeout_ms=limit, on_row=show)
    except KeyboardInterrupt as error:
        return exit_code_of(error)
    conforms = all(row.honoured for row in rows if row.contract or row.name in only)
    if junit:
        _write_junit(Path(junit), rows, words, only)
    if as_json:
        found = [row.to_json() for row in rows]
        stdout().json({"command": list(words), "conforms": conforms, "rows": found})
    else:
        _print_rows(rows, conforms=conforms)
    return EXIT_OK if conforms else EXIT_FAILED


def _print_rows(rows: Sequence[Row], *, conforms: bool) -> None:
    out = stdout()
    for contract, title in ((True, "The contract"), (False, "What it is able to do beyond that")):
        group = [row for row in rows if row.contract is contract]
        if group:
            out.line(out.paint("bold", title))
        for row in group:
            detail = out.paint("dim", one_line(row.detail, 160))
            out.line(f"  {_mark(row, out)} {row.name:<14} {row.requirement:<50} {detail}")
    verdict = out.paint("ok", "conforms") if conforms else out.paint("bad", "does not conform")
    out.line(f"It {verdict}.")


def _mark(row: Row, out: Output) -> str:
    if row.honoured:
        return out.paint("ok", "yes")
    return out.paint("bad", "NO ") if row.contract else out.paint("dim", "no ")


def _write_junit(
    path: Path, rows: Sequence[Row], words: Sequence[str], only: Sequence[str]
) -> None:
    from caesar_core.ci.junit import Case, Kind, Suite, junit_of
    from caesar_core.engine.artifacts import target

    def case(row: Row) -> Case:
        needed = row.contract or row.name in only
        group = "caesar.contract" if row.contract else "caesar.ability"
        kind: Kind | None = None if row.honoured else "failure" if needed else "skipped"
        return Case(group, row.name, row.seconds, kind, row.detail, row.requirement)

    suite = Suite(f"caesar protocol check {one_line(' '.join(words), 120)}", [*map(case, rows)])
    with target(path) as out:
        out.write(junit_of([suite]).encode("utf-8", "replace"))
