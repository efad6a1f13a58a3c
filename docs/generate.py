# ruff: noqa: INP001 - a script, not a package
"""Write the tables of these pages that the program itself knows: flags, keys, events, schemas.

    python docs/generate.py           writes them between their markers
    python docs/generate.py --check   exits with 1 and names the pages that are stale

A table stands between `<!-- generated: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import click

from caesar_core.cli.main import cli
from caesar_core.protocol.event import BODIES
from caesar_core.protocol.report import Report
from caesar_core.protocol.task import Task
from caesar_tui.keymap import Scope, keys_of

SCOPES: Final[dict[str, Scope]] = {name: name for name in get_args(Scope)}
DOCS: Final = Path(__file__).resolve().parent
_BLOCK: Final = re.compile(r"(<!-- generated: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def flags(command: str) -> str:
    """Return the flags of a command such as `run` or `protocol schema`."""
    found = find_command(command)
    options = [option for option in found.params if isinstance(option, click.Option)]
    return table(("Flag", "What it does"), [(_flag(o), o.help or "") for o in options])


def keys(scope: Scope) -> str:
    """Return the keys of one kind of screen."""
    rows = [(f"`{k.shown}`", k.help, "" if k.is_fixed else f"`{k.id}`") for k in keys_of(scope)]
    return table(("Key", "What it does", "Name"), rows)


def events() -> str:
    """Return the kinds of event with their own keys."""
    return table(
        ("`type`", "Own keys"),
        [(f"`{b.kind}`", ", ".join(f"`{spec.name}`" for spec in fields(b))) for b in BODIES],
    )


def document(model: type[Report | Task]) -> str:
    """Return the keys of a document, with their defaults."""
    rows = []
    for name, spec in model.model_fields.items():
        if name == "protocol":
            default = f'required: `"{model.version}"`'
        else:
            default = "required" if spec.is_required() else f"`{json.dumps(spec.default)}`"
        rows.append((f"`{name}`", _kind(get_type_hints(model)[name]), default))
    return table(("Key", "Type", "Default"), rows)


def block(name: str) -> str:
    """Return what belongs between the markers of this name."""
    kind, _, what = name.partition(" ")
    if kind == "flags":
        return flags(what)
    if kind == "keys":
        return keys(SCOPES[what])
    return {"events": events(), "report": document(Report), "task": document(Task)}[kind]


def find_command(path: str) -> click.Command:
    """Return the click object of `run` or `protocol schema`."""
    found: click.Command = cli
    for name in path.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None, f"there is no command {path}"
        found = inner
    return found


def renewed(text: str) -> str:
    """Return a page with its generated tables up to date."""
    return _BLOCK.sub(lambda match: f"{match[1]}{block(match[2])}\n{match[3]}", text)


def main(arguments: Sequence[str]) -> int:
    """Renew every page, or with `--check` say which are stale."""
    stale = []
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if (now := renewed(text)) != text:
            stale.append(page.name)
            if "--check" not in arguments:
                page.write_text(now, encoding="utf-8")
    for name in stale:
        sys.stdout.write(f"{name}\n")
    return 1 if stale and "--check" in arguments else 0


def _flag(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} `{'|'.join(option.type.choices)}`"
    return f"{names} `{option.metavar or 'N'}`{' (repeatable)' if option.multiple else ''}"


def _kind(hint: Any) -> str:
    """Return a type in words."""
    if hint in _KINDS:
        return _KINDS[hint]
    arguments = [part for part in get_args(hint) if part is not type(None)]
    if arguments and all(isinstance(part, str) for part in arguments):
        return " or ".join(f"`{part}`" for part in arguments)
    if getattr(hint, "__origin__", None) is tuple:
        return f"list of {_kind(arguments[0])}"
    if arguments:
        return _kind(arguments[0])
    return "object"


_KINDS: Final[dict[Any, str]] = {str: "text", int: "integer", float: "number", bool: "true/false"}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
