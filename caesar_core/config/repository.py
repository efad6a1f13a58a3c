"""What a file inside a repository would make us run, set or answer: it needs consent first."""

from __future__ import annotations

import shlex
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


# Two different things must never read alike: what was agreed to is kept by its text.
def _brought(file: ConfigFile) -> Iterator[tuple[str, str]]:
    for agent in file.agent or ():
        # An argument with a bracket or a blank is quoted, so it cannot pass for the last part.
        network = f" [{shlex.join(agent.network_args)}]" if agent.network_args else ""
        yield f"agent.{agent.id}", shlex.join([agent.bin, *agent.args]) + network
    if file.worktree is not None:
        for number, command in enumerate(file.worktree.setup or ()):
            yield f"worktree.setup.{number}", command
    if file.checks is not None:
        for number, check in enumerate(file.checks.commands or ()):
            yield f"checks.commands.{number}", check.run
    for number, rule in enumerate(file.answer or ()):
        # A rule that holds an arrow is quoted, so the bare one is always ours.
        yield f"answer.{number}", f"{shlex.quote(rule.match)} -> {shlex.quote(rule.answer)}"
    yield from _loosened(file)


def _loosened(file: ConfigFile) -> Iterator[tuple[str, str]]:
    if file.environment is not None:
        for name, value in (file.environment.set_ or {}).items():
            yield f"environment.set.{name}", f"{name}={value}"
        if file.environment.pass_:
            yield "environment.pass", shlex.join(file.environment.pass_)
        if file.environment.redact is False:
            yield "environment.redact", "redact = false"
    if file.policy is not None and file.policy.allow_inplace_write:
        yield "policy.allow_inplace_write", "allow_inplace_write = true"
