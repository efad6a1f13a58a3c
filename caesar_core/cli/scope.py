"""Which layer of the configuration a command changes, and how it says what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from caesar_core.cli.common import service_at
from caesar_core.cli.output import stderr, stdout
from caesar_core.errors import CaesarError
from caesar_core.text import visible

if TYPE_CHECKING:
    from caesar_core.engine.configure.layer_file import Scope
    from caesar_core.engine.project import Project

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def scope_options(function: Decorated) -> Decorated:
    """Add `--global` and `--local`; without either a command means the project's file."""
    far = click.option("--global", "is_global", is_flag=True, help="Your own file, everywhere.")
    near = click.option("--local", "is_local", is_flag=True, help="Yours, in this project only.")
    return far(near(function))


def chosen_scope(*, is_global: bool, is_local: bool) -> Scope:
    """Return the layer.

    Raises:
        CaesarError: both were asked for; nothing has been written.
    """
    if is_global and is_local:
        raise CaesarError("--global and --local exclude each other.", "Give one of them.")
    if is_global:
        return "global"
    return "local" if is_local else "project"


def project_at(root: str | None) -> Project:
    """Return the project, to be configured."""
    return service_at(root).project


def told(as_json: bool, document: dict[str, Any], *sentences: str) -> int:
    """Print what was done: the document for a script, else the sentences."""
    if as_json:
        stdout().json(document)
    else:
        for sentence in sentences:
            stdout().line(visible(sentence))
    return 0


def warn(warnings: Iterable[str]) -> None:
    """Say what may surprise, on stderr."""
    for warning in warnings:
        stderr().line(visible(f"note: {warning}"))
