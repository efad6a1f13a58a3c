"""The click group that imports a command when it is called, and the edge where errors end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from caesar_core import VERSION
from caesar_core.__main__ import COMPLETION_VARIABLE
from caesar_core.cli.crash import keep_traceback, options_of
from caesar_core.cli.output import complain, prepare_streams, stderr, stdout
from caesar_core.cli.table import ENTRIES, HIDDEN, help_text
from caesar_core.errors import EXIT_CANCELLED, EXIT_FAILED, CaesarError

_EXIT_SIGPIPE = 141


class LazyGroup(click.Group):
    """Commands come from the static table; only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names, in the table's order."""
        return list(ENTRIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        entry = ENTRIES.get(cmd_name) or HIDDEN.get(cmd_name)
        if entry is None:
            return None
        module = import_module(f"caesar_core.cli.commands.{entry.module}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a name like an existing one gets a suggestion."""
        import difflib

        if args and args[0] not in {*ENTRIES, *HIDDEN} and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], ENTRIES, n=1)
            more = f"Did you mean {close[0]!r}?" if close else "`caesar --help` lists them."
            raise CaesarError(f"There is no command {args[0]!r}.", more)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Print the table."""
        formatter.write(help_text())


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.option("--root", metavar="DIR", default=None)
@click.version_option(VERSION, "-V", "--version", message="caesar %(version)s")
@click.pass_context
def cli(ctx: click.Context, root: str | None) -> None:  # noqa: ARG001 - the commands look it up
    """Delegate coding tasks to other coding agents."""
    if ctx.invoked_subcommand is None:
        stdout().write(help_text())


def run_cli(arguments: list[str]) -> int:
    """Run one command line and return its exit code; a traceback reaches nobody."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    try:
        prepare_streams()
        code = _invoke(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except Exception as error:  # noqa: BLE001 - the edge: every error becomes a line and a code
        return _explain(error, arguments)
    except KeyboardInterrupt:
        return EXIT_CANCELLED
    return code if isinstance(code, int) else 0


def _invoke(arguments: list[str]) -> object:
    if COMPLETION_VARIABLE in os.environ:
        return cli.main(
            arguments,
            prog_name="caesar",
            complete_var=COMPLETION_VARIABLE,
            standalone_mode=False,
        )
    # Not `main`, which ends the process with 1 when a reader has left.
    with cli.make_context("caesar", list(arguments)) as context:
        return cli.invoke(context)


def _explain(error: Exception, arguments: list[str]) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.Abort):
        return EXIT_CANCELLED
    failure = _as_caesar_error(error, arguments)
    try:
        if not {"--json", "--ndjson"}.isdisjoint(options_of(arguments)):
            stdout().json({"error": _error_json(failure)})
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except OSError:  # a full disk behind stdout: what is said on stderr may still be read
        stdout().discard()
    with suppress(OSError):
        complain(failure.message, failure.hint)
    return failure.exit_code


def _as_caesar_error(error: Exception, arguments: list[str]) -> CaesarError:
    if isinstance(error, CaesarError):
        return error
    if isinstance(error, click.ClickException):
        return CaesarError(error.format_message(), _usage_hint(error))
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        return CaesarError(f"{error.strerror}{where}.", exit_code=EXIT_FAILED, code="os")
    log = keep_traceback(arguments)
    return CaesarError(
        f"caesar itself failed: {type(error).__name__}: {error}",
        f"The details are in {log}.",
        exit_code=EXIT_FAILED,
        code="internal",
    )


def _error_json(failure: CaesarError) -> dict[str, Any]:
    return {
        "code": failure.code,
        "message": failure.message,
        "hint": failure.hint,
        "exit_code": failure.exit_code,
    }


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "caesar"
    return f"`{path} --help` tells how it is used."


def _reader_gone() -> int:
    """Whoever read our output has left: say nothing more, as other programs do."""
    for stream in (stdout(), stderr()):
        stream.discard()
    return _EXIT_SIGPIPE
