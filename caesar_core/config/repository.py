"""What a file inside a repository would make us run, set or answer: it needs consent first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caesar_core.config.settings import Layer, RepositoryCommand

if TYPE_CHECKING:
    from caesar_core.config.models import ConfigFile


def repository_commands(file: ConfigFile, layer: Layer) -> tuple[RepositoryCommand, ...]:
    """Return what a file of this layer brings; the person's own global file needs no consent."""
    if layer not in {"project", "local"}:
        return ()
    return tuple(RepositoryCommand(f"{layer}.{path}", text) for path, text in _brought(file))


def _brought(file: ConfigFile) -> Iterator[tuple[str, str]]:
    for agent in file.agent or ():
        yield f"agent.{agent.id}", " ".join([agent.bin, *agent.args, *agent.network_args])
    if file.worktree is not None:
        for number, command in enumerate(file.worktree.setup or ()):
            yield f"worktree.setup.{number}", command
    if file.checks is not None:
        for number, check in enumerate(file.checks.commands or ()):
            yield f"checks.commands.{number}", check.run
    for number, rule in enumerate(file.answer or ()):
        yield f"answer.{number}", f"{rule.match} -> {rule.answer}"
    if file.environment is not None:
        for name, value in (file.environment.set_ or {}).items():
            yield f"environment.set.{name}", f"{name}={value}"
