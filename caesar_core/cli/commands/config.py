"""`caesar config`: read and change what is configured."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesar_core.cli.common import json_option, root_option
from caesar_core.cli.output import stdout
from caesar_core.cli.scope import chosen_scope, project_at, scope_options, told, warn
from caesar_core.cli.tables import columns
from caesar_core.errors import EXIT_OK, EXIT_USAGE, CaesarError
from caesar_core.text import one_line, visible

if TYPE_CHECKING:
    from caesar_core.config.values import Value
    from caesar_core.engine.configure.values import Written


@click.group("config", invoke_without_command=True)
@json_option
@root_option
@click.pass_context
def command(ctx: click.Context, root: str | None, *, as_json: bool) -> int:
    """Read and change what is configured; alone it shows everything."""
    if ctx.invoked_subcommand is None:
        return _show(root, "", as_json=as_json)
    ctx.obj = {**(ctx.find_root().obj or {}), **({"root": root} if root else {})}
    return EXIT_OK


@command.command("show")
@click.argument("path", required=False, default="")
@json_option
@root_option
def show(path: str, root: str | None, *, as_json: bool) -> int:
    """Show every value, or those below PATH, and which file decided it."""
    return _show(root, path, as_json=as_json)


def _show(root: str | None, path: str, *, as_json: bool) -> int:
    from caesar_core.config.values import effective_values, find_values

    project = project_at(root)
    found = find_values(project.config, path) if path else list(effective_values(project.config))
    if as_json:
        stdout().json(
            {"values": [_as_json(value, project) for value in found], "files": _files(root)}
        )
        return EXIT_OK
    rows = [(one_line(v.path), v.layer, _text(v, 400)) for v in found]
    out = stdout()
    for line in columns(("SETTING", "FROM", "VALUE"), rows, out.width if out.is_terminal else 400):
        out.line(line)
    return EXIT_OK


@command.command("get")
@click.argument("path")
@json_option
@root_option
def get(path: str, root: str | None, *, as_json: bool) -> int:
    """Print the value at PATH, such as policy.max_parallel or role.reviewer.mode."""
    from caesar_core.config.values import find_values

    project = project_at(root)
    found = find_values(project.config, path)
    one = found[0] if len(found) == 1 and found[0].path == path else None
    if as_json:
        values = [_as_json(value, project) for value in found]
        stdout().json(values[0] if one else {"values": values})
        return EXIT_OK
    for value in found:
        text = _text(value)
        stdout().line(text if one else f"{one_line(value.path)} = {text}")
    return EXIT_OK


@command.command("set")
@click.argument("path")
@click.argument("values", nargs=-1, required=True, metavar="VALUE...")
@scope_options
@json_option
@root_option
def set_(
    path: str, values: tuple[str, ...], root: str | None, *,
    is_global: bool, is_local: bool, as_json: bool,
) -> int:  # fmt: skip
    """Write VALUE at PATH; several values, or one in brackets, make a list.

    Everything else in the file stays as it is, comments included.
    """
    from caesar_core.engine.configure.values import set_value

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    written = set_value(project_at(root), path, values, scope)
    return _told_written(written, as_json=as_json)


@command.command("unset")
@click.argument("path")
@scope_options
@json_option
@root_option
def unset(path: str, root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Take PATH out of a file, so that what is weaker holds again."""
    from caesar_core.engine.configure.values import unset_value

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    return _told_written(unset_value(project_at(root), path, scope), as_json=as_json, gone=True)


@command.command("path")
@scope_options
@json_option
@root_option
def path_(root: str | None, *, is_global: bool, is_local: bool, as_json: bool) -> int:
    """Print where the files are; with --global or --local only that one."""
    scope = chosen_scope(is_global=is_global, is_local=is_local)
    files = [f for f in _files(root) if not (is_global or is_local) or f["layer"] == scope]
    if as_json:
        stdout().json({"files": files})
    elif is_global or is_local:
        stdout().line(visible(files[0]["path"]))
    else:
        for file in files:
            missing = "" if file["exists"] else "  (none)"
            stdout().line(visible(f"{file['layer']:<8} {file['path']}{missing}"))
    return EXIT_OK


@command.command("validate")
@json_option
@root_option
def validate(root: str | None, *, as_json: bool) -> int:
    """Check every file; exit 2 when one of them cannot be used."""
    from caesar_core.engine.configure.findings import doubts
    from caesar_core.engine.configure.values import check_files

    project = project_at(root)
    checks = check_files(project)
    bad = [check for check in checks if check.error is not None]
    doubtful = [] if bad else doubts(project)
    if as_json:
        files = [
            {
                "layer": c.scope, "path": c.path, "exists": c.exists, "valid": c.error is None,
                "message": c.error.message if c.error else None,
                "hint": c.error.hint if c.error else None,
            }
            for c in checks
        ]  # fmt: skip
        stdout().json({"valid": not bad, "files": files, "warnings": doubtful})
        return EXIT_USAGE if bad else EXIT_OK
    for check in checks:
        state = "none" if not check.exists else "valid" if check.error is None else "not valid"
        stdout().line(visible(f"{check.scope:<8} {check.path}  {state}"))
        if check.error is not None:
            stdout().line(
                visible(f"  {check.error.message}\n  {check.error.hint}", keep_newlines=True)
            )
    warn(doubtful)
    return EXIT_USAGE if bad else EXIT_OK


@command.command("edit")
@scope_options
@root_option
def edit(root: str | None, *, is_global: bool, is_local: bool) -> int:
    """Open a file in $VISUAL or $EDITOR, and check it afterwards."""
    from caesar_core.engine.configure.by_hand import edit_by_hand

    scope = chosen_scope(is_global=is_global, is_local=is_local)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not editor.strip():
        hint = "Set $EDITOR, or open the file that `caesar config path` names."
        raise CaesarError("No editor is set.", hint)
    if not sys.stdin.isatty():
        raise CaesarError("An editor needs a terminal.", "`caesar config set` needs none.")
    path = edit_by_hand(project_at(root), scope, editor)
    stdout().line(visible(f"{path} is valid."))
    return EXIT_OK


def _told_written(written: Written, *, as_json: bool, gone: bool = False) -> int:
    now = [{"path": v.path, "value": v.value, "layer": v.layer} for v in written.effective]
    warnings = _surprises(written, gone=gone)
    if not as_json:
        warn(warnings)
    done = "Took" if gone else "Wrote"
    sentence = f"{done} {written.path} {'out of' if gone else 'to'} {written.file}."
    if not written.changed:
        sentence = f"{written.file} does not say {written.path}; nothing was changed."
    document = {
        "path": written.path, "scope": written.scope, "file": written.file,
        "changed": written.changed, "materialized": written.took_over,
        "effective": now, "warnings": warnings,
    }  # fmt: skip
    return told(as_json, document, sentence)


def _surprises(written: Written, *, gone: bool) -> list[str]:
    order = ("default", "global", "project", "local")
    warnings = []
    stronger = {
        v.layer for v in written.effective if order.index(v.layer) > order.index(written.scope)
    }
    if stronger and not gone:
        warnings.append(f"The {stronger.pop()} file says something else, which wins here.")
    if written.took_over:
        warnings.append(
            "The whole entry now stands in this file; weaker files no longer change it."
        )
    return warnings


def _files(root: str | None) -> list[dict[str, Any]]:
    from caesar_core.engine.configure.layer_file import SCOPES, layer_path

    project = project_at(root)
    paths = [(scope, layer_path(project, scope)) for scope in SCOPES]
    return [{"layer": s, "path": str(p), "exists": os.path.lexists(p)} for s, p in paths]


def _as_json(value: Value, project: Any) -> dict[str, Any]:
    place = None if value.layer == "default" else project.file_of(value.layer)
    return {
        "path": value.path, "value": value.value, "layer": value.layer,
        "file": None if place is None else str(Path(place)),
    }  # fmt: skip


def _text(value: Value, limit: int = 0) -> str:
    from caesar_core.config.values import shown_value

    shown = shown_value(value.path, value.value)
    text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    return one_line(text, limit) if limit else visible(text)
