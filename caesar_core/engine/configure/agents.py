"""`caesar agents add|remove|set-model|unset-model`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from caesar_core.agents.generic import GenericAgent
from caesar_core.agents.registry import catalogue
from caesar_core.config.settings import DeclaredAgent
from caesar_core.config.values import entry_values
from caesar_core.engine.configure.layer_file import SCOPES, Scope, edit_layer, layer_document
from caesar_core.engine.project import Project
from caesar_core.engine.resolve_agent import UnknownAgentError
from caesar_core.errors import CaesarError, nearest


@dataclass(frozen=True, slots=True)
class AgentAdded:
    """What a declaration did.

    Attributes:
        bin_path: where the program was found; `None`: nowhere yet.
        overrides_native: it takes the place of an agent that is built in.
    """

    agent: DeclaredAgent
    scope: Scope
    replaced: bool
    bin_path: str | None
    overrides_native: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """What a removal did; `restores` says that a weaker entry of the name holds again."""

    name: str
    scope: Scope
    restores: bool


@dataclass(frozen=True, slots=True)
class ModelSet:
    """What a default model did; `ignored`: the agent takes no model."""

    id: str
    model: str | None
    scope: Scope
    changed: bool
    ignored: bool = False


def split_arguments(line: str) -> tuple[str, ...]:
    """Return the arguments that a line holds, as a shell would cut it.

    Raises:
        CaesarError: a quote is not closed.
    """
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise CaesarError(
            f"The arguments {line!r} cannot be cut: {str(error).lower()}.", "Close every quote."
        ) from None


def add_agent(project: Project, entry: DeclaredAgent, scope: Scope) -> AgentAdded:
    """Declare a program as an agent.

    Raises:
        CaesarError: no way for the brief to arrive, an unknown token, a bad id.
    """
    for what, value in (("id", entry.id), ("program", entry.bin)):
        if not value.strip():
            raise CaesarError(f"The agent's {what} is empty.", "Name the agent and its --bin.")
    GenericAgent(
        entry.id, entry.bin, entry.args, prompt=entry.prompt, network_args=entry.network_args
    ).check()
    values = entry_values(entry)
    replaced = edit_layer(project, scope, lambda document: document.put_entry("agent", values))
    found = project.locate(entry.bin)
    return AgentAdded(
        entry, scope, replaced, None if found is None else str(found), entry.id in catalogue()
    )


def remove_agent(project: Project, agent: str, scope: Scope) -> Removed:
    """Take a declaration out of the layer that has it.

    Raises:
        CaesarError: that layer has none; the one that has is named.
    """
    remove_entry(project, "agent", agent, scope)
    return Removed(agent, scope, restores=agent in catalogue())


def remove_entry(project: Project, kind: str, name: str, scope: Scope) -> None:
    """Take an entry out of a layer.

    Raises:
        CaesarError: it is not declared there; the layer that declares it is named.
    """
    if not edit_layer(project, scope, lambda document: document.drop_entry(kind, name)):
        raise CaesarError(
            f"The {scope} configuration declares no {kind} {name!r}.",
            _where_else(project, kind, name, scope),
        )


def set_model(project: Project, agent: str, model: str, scope: Scope) -> ModelSet:
    """Give an agent a default model.

    Raises:
        CaesarError: an unknown agent, an empty model.
    """
    _check_known(project, agent)
    if not model.strip():
        raise CaesarError(
            "The model is empty.", f"`caesar agents unset-model {agent}` takes it away."
        )
    edit_layer(project, scope, lambda document: document.set(("models", agent), model))
    ignored = not project.agents[agent].capabilities.model
    return ModelSet(agent, model, scope, changed=True, ignored=ignored)


def unset_model(project: Project, agent: str, scope: Scope) -> ModelSet:
    """Take an agent's default model out of a layer.

    Raises:
        CaesarError: the layer's file cannot be edited.
    """
    changed = edit_layer(project, scope, lambda document: document.unset(("models", agent)))
    if not changed:
        _check_known(project, agent)
    return ModelSet(agent, project.config.models.get(agent), scope, changed=changed)


def _check_known(project: Project, agent: str) -> None:
    if agent not in project.agents:
        raise UnknownAgentError(f"There is no agent {agent!r}.", nearest(agent, project.agents))


def _where_else(project: Project, kind: str, name: str, scope: Scope) -> str:
    flags: dict[Any, str] = {"global": "--global", "local": "--local", "project": "no scope flag"}
    for other in SCOPES:
        if other != scope and layer_document(project, other).entry(kind, name) is not None:
            return f"The {other} configuration does: use {flags[other]}."
    config = project.config
    known = {"role": config.roles, "agent": project.agents}[kind]
    if name in known:
        return "It is built in, and cannot be removed."
    return nearest(name, known)
