"""Which role, which agent, and why not the others."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping

from caesar_core.agents.base import Agent
from caesar_core.config.policy import refusal
from caesar_core.config.settings import Config, Role
from caesar_core.engine.request import Request
from caesar_core.errors import CaesarError


class UnknownAgentError(CaesarError):
    """No agent has that id."""

    code = "unknown_agent"


class UnknownRoleError(CaesarError):
    """No role has that name."""

    code = "unknown_role"


class NotInstalledError(CaesarError):
    """The agent's program is not on this machine."""

    code = "not_installed"


class NobodyAvailableError(CaesarError):
    """A role has no agent that could work."""

    code = "nobody_available"


def choose_role(request: Request, config: Config) -> Role | None:
    """Return the role that was asked for.

    Raises:
        UnknownRoleError: there is none of that name.
        CaesarError: neither an agent nor a role was named.
    """
    if request.role is None:
        if request.agent is None:
            raise CaesarError(
                "Name an agent or a role.", "For example --agent shell, or --role implementer."
            )
        return None
    role = config.roles.get(request.role)
    if role is None:
        raise UnknownRoleError(
            f"There is no role {request.role!r}.", nearest(request.role, config.roles)
        )
    return role


def choose_agent(
    request: Request,
    role: Role | None,
    config: Config,
    agents: Mapping[str, Agent],
    installed: Callable[[str], bool],
) -> tuple[Agent, str]:
    """Return the agent and why: the one named, else the role's first that can work.

    Raises:
        UnknownAgentError, NotInstalledError, NobodyAvailableError: with every reason.
    """
    if request.agent is not None:
        agent = agents.get(request.agent)
        if agent is None:
            raise UnknownAgentError(
                f"There is no agent {request.agent!r}.", nearest(request.agent, agents)
            )
        if not installed(agent.bin):
            raise NotInstalledError(
                f"Agent {agent.id} is not installed: {agent.bin} was not found.",
                "Install it, or name another agent.",
            )
        return agent, "asked for"
    assert role is not None
    return _from_role(role, config, agents, installed)


def _from_role(
    role: Role, config: Config, agents: Mapping[str, Agent], installed: Callable[[str], bool]
) -> tuple[Agent, str]:
    if not role.agents:
        raise NobodyAvailableError(
            f"Role {role.name} names no agent.", 'Give it some: agents = ["…"].'
        )
    reasons = []
    for candidate in role.agents:
        agent = agents.get(candidate)
        refused = refusal(config.policy, candidate, depth=0)
        if agent is None:
            reasons.append(f"{candidate}: no such agent")
        elif not installed(agent.bin):
            reasons.append(f"{candidate}: not installed")
        elif refused is not None and refused.rule != "max_depth":
            reasons.append(f"{candidate}: {refused.reason}")
        else:
            skipped = f"; skipped {', '.join(reasons)}" if reasons else ""
            return agent, f"role {role.name}{skipped}"
    raise NobodyAvailableError(
        f"Role {role.name} has no agent that can work: {'; '.join(reasons)}.",
        "Install one of them, or name one with --agent.",
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint: the known name most like `name`, else all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known: {', '.join(names)}." if names else "None is known."
