"""`caesar mcp`: the server for main agents, and registering it with them."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from caesar_core.cli.common import json_option, project_root, root_option, service_at
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import CaesarError
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.clients import Change

# Only strings: the command line and the servers do not know each other.
_STDIO = "caesar_core.servers.main"
_HTTP = "caesar_core.servers.http"
_TOKEN = "CAESAR_MCP_TOKEN"  # noqa: S105 - the variable's name


@click.group("mcp")
def command() -> None:
    """Drive delegations from a main agent, as an MCP server."""


@command.command("serve")
@click.option("--http", is_flag=True, help="Streamable HTTP on 127.0.0.1 instead of stdio.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), help="With --http; default: any."
)
@click.option("--trust", is_flag=True, help="Agree to the commands of this repository.")
@root_option
def serve(port: int | None, root: str | None, *, http: bool, trust: bool) -> None:
    """Serve the ten tools until the client leaves or a signal comes; tasks go on.

    With --http a bearer token is required: $CAESAR_MCP_TOKEN, else one is made and printed.
    """
    if port is not None and not http:
        raise CaesarError("--port needs --http.", "Over stdio there is no port.")
    folder = project_root(root)
    if trust:
        service_at(root).agree()
    if http:
        import_module(_HTTP).serve_http(folder, port or 0, os.environ.get(_TOKEN), _announce)
    if sys.stdin.isatty():
        stderr().line("waiting for a client on stdin; `caesar mcp install` makes one start this")
    import_module(_STDIO).serve_stdio(folder)


def _announce(url: str, token: str) -> None:
    err = stderr()
    err.line(f"serving {url}")
    if _TOKEN not in os.environ:
        err.line(f"token {token}")


@command.command("install")
@click.argument("client")
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@json_option
@root_option
def install(client: str, root: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Register the server with CLIENT: claude, codex, copilot, opencode, gemini or antigravity."""
    from caesar_core.engine.clients import install as register

    _tell(register(client, project_root(root), dry_run=dry_run), as_json=as_json)


@command.command("uninstall")
@click.argument("client")
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@json_option
@root_option
def uninstall(client: str, root: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Take the server out of CLIENT again."""
    from caesar_core.engine.clients import uninstall as take_out

    _tell(take_out(client, project_root(root), dry_run=dry_run), as_json=as_json)


def _tell(change: Change, *, as_json: bool) -> None:
    if as_json:
        stdout().json(change.to_json())
    else:
        stdout().line(visible(change.sentence(), keep_newlines=True))
