"""Isolation, network and model: what was wanted against what can be promised."""

from __future__ import annotations

from typing import TypeAlias

from caesar_core.agents.base import Agent
from caesar_core.config.settings import Config, Policy, Role
from caesar_core.engine.request import Note, Request, WorkspaceFacts
from caesar_core.errors import CaesarError

Notes: TypeAlias = tuple[Note, ...]


class IsolationError(CaesarError):
    """The isolation that was asked for cannot be had."""

    code = "isolation_refused"


class NetworkError(CaesarError):
    """The network that was asked for cannot be had."""

    code = "network_refused"


class ModelError(CaesarError):
    """The agent takes no model."""

    code = "model_refused"


def choose_isolation(
    request: Request,
    role: Role | None,
    policy: Policy,
    agent: Agent,
    mode: str,
    workspace: WorkspaceFacts,
) -> tuple[str, str, Notes]:
    """Return `worktree` or `inplace`, the reason, and what to tell.

    Raises:
        IsolationError: a worktree where none can be made, or writing in place against the policy.
    """
    wanted, origin = _wanted(
        request.isolation, role.isolation if role else None, policy.default_isolation
    )
    if wanted == "worktree" and not workspace.usable:
        raise IsolationError(f"No worktree can be made: {workspace.reason}", workspace.remedy)
    if not workspace.usable:
        reason = origin if wanted == "inplace" else workspace.reason
        return "inplace", reason, _degraded(wanted, mode, agent, workspace)
    if mode == "read-only" and not agent.capabilities.native_read_only:
        notes: Notes = ()
        if wanted == "inplace":
            notes = (
                Note(
                    "low",
                    "Isolation raised",
                    f"{agent.id} cannot be held to reading, so it works in a worktree",
                ),
            )
        return "worktree", f"{agent.id} has no enforced read-only mode", notes
    if wanted == "auto":
        return ("worktree" if mode == "write" else "inplace"), f"auto ({origin}) for {mode}", ()
    if wanted == "inplace" and mode == "write" and not policy.allow_inplace_write:
        raise IsolationError(
            f"Writing in place ({origin}) is refused by the policy.",
            "Use a worktree, or set [policy] allow_inplace_write = true.",
        )
    return wanted, origin, ()


def _degraded(wanted: str, mode: str, agent: Agent, workspace: WorkspaceFacts) -> Notes:
    """Tell of a worktree that would have been, were there a usable repository."""
    native = agent.capabilities.native_read_only
    missed = wanted == "auto" if mode == "write" else not native
    note = Note("low", "Degraded isolation", f"runs in place: {workspace.reason}")
    return (note,) if missed else ()


def choose_network(
    request: Request, role: Role | None, policy: Policy, agent: Agent, mode: str
) -> tuple[bool, str, Notes]:
    """Return whether the network is available; false only where that is enforced.

    Raises:
        NetworkError: on was asked of an agent that cuts it in read-only mode.
    """
    wanted, origin = _wanted(
        request.network, role.network if role else None, policy.default_network
    )
    control = agent.capabilities.network
    title = "Network not guaranteed"
    if wanted == "off":
        if control in {"toggle", "write-only"}:
            return False, f"off ({origin}); {agent.id} can be cut off", ()
        text = f"{agent.id} gives no control over its network; it stays available"
        return (
            True,
            f"off ({origin}) cannot be enforced with {agent.id}",
            (Note("info", title, text),),
        )
    if control == "write-only" and mode == "read-only":
        if wanted == "on":
            raise NetworkError(
                f"{agent.id} has no network in read-only mode.",
                "Use --mode write, another agent, or --network auto.",
            )
        text = f"{agent.id} has no network in read-only mode"
        note = Note("info", "Network cut off", text)
        return False, f"the read-only sandbox of {agent.id} cuts it", (note,)
    if wanted == "on" and control == "unknown":
        text = f"whether {agent.id} reaches the network is not known"
        return True, f"on ({origin})", (Note("info", title, text),)
    return True, f"{wanted} ({origin})", ()


def choose_model(
    request: Request, role: Role | None, config: Config, agent: Agent
) -> tuple[str | None, str, Notes]:
    """Return the model for the elected agent, if any.

    Raises:
        ModelError: one was asked for explicitly and the agent takes none.
    """
    model, origin = _wanted_model(request, role, config, agent)
    if model is None:
        return None, origin, ()
    if not model.strip():
        raise ModelError("The model is empty.", "Name one, or leave it to the agent.")
    if agent.capabilities.model:
        return model, origin, ()
    if request.model:
        raise ModelError(f"Agent {agent.id} takes no model.", "Leave --model out.")
    text = f"{agent.id} takes no model; {model} was dropped"
    return None, "dropped", (Note("info", "Model not applied", text),)


def _wanted_model(
    request: Request, role: Role | None, config: Config, agent: Agent
) -> tuple[str | None, str]:
    if request.model is not None:
        return request.model, "asked for"
    if role is not None and role.model is not None:
        return role.model, f"role {role.name}"
    if agent.id in config.models:
        return config.models[agent.id], f"[models] {agent.id}"
    return None, "the agent's own default"


def choose_channel(request: Request, role: Role | None, agent: Agent) -> tuple[bool, str, Notes]:
    """Return whether the return channel is injected as an MCP server.

    An agent that takes none has the same in the commands that its brief names.
    """
    if not (request.channel or (role is not None and role.channel)):
        return False, "not asked for", ()
    origin = "asked for" if request.channel else "the role's"
    if agent.capabilities.mcp_injection != "none":
        return True, origin, ()
    why = agent.capabilities.not_injected or f"{agent.id} takes no MCP server"
    text = f"{why}; its brief names the commands that do the same"
    return False, "by commands", (Note("info", "Channel not injected", text),)


def _wanted(asked: str | None, role: str | None, policy: str) -> tuple[str, str]:
    if asked is not None:
        return asked, "asked for"
    if role is not None and role != "auto":
        return role, "the role's"
    return policy, "policy default"
