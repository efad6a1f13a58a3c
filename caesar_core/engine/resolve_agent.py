"""Which role, which agent, and why not the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from caesar_core.agents.base import Agent
from caesar_core.agents.install import install_hint
from caesar_core.config.policy import NO_DEPTH, refusal
from caesar_core.config.settings import Config, Role
from caesar_core.engine.request import Request
from caesar_core.errors import CaesarError, nearest


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


@dataclass(frozen=True, slots=True)
class Fit:
    """A role's first agent that can work, and why those before it cannot."""

    agent: Agent
    skipped: tuple[tuple[str, str], ...] = ()


def choose_agent(
    request: Request,
    role: Role | None,
    config: Config,
    agents: Mapping[str, Agent],
    installed: Callable[[str], bool],
) -> tuple[Agent, str]:
    """Return the agent and why: the one named, else the role's first that can work.

    The policy is asked before the machine: to install what is denied would help nobody.

    Raises:
        UnknownAgentError, NotInstalledError, NobodyAvailableError: with every reason.
        PolicyRefusedError: denied, not allowed, too deep, or recursion.
    """
    if request.agent is None:
        assert role is not None
        fit = fitting_agent(role, config, agents, installed)
        _check_policy(config, fit.agent, request.depth)
        skipped = "".join(f"; skipped {name}: {reason}" for name, reason in fit.skipped)
        return fit.agent, f"role {role.name}{skipped}"
    agent = agents.get(request.agent)
    if agent is None:
        raise UnknownAgentError(
            f"There is no agent {request.agent!r}.", nearest(request.agent, agents)
        )
    _check_policy(config, agent, request.depth)
    if not installed(agent.bin):
        raise NotInstalledError(
            f"Agent {agent.id} is not installed: {agent.bin} was not found.",
            f"{install_hint(agent.bin)} Or name another agent.",
        )
    return agent, "asked for"


def fitting_agent(
    role: Role, config: Config, agents: Mapping[str, Agent], installed: Callable[[str], bool]
) -> Fit:
    """Return the first agent of a role that is known, allowed and installed; depth is not asked.

    Raises:
        NobodyAvailableError: none is, with the reason for each.
    """
    if not role.agents:
        raise NobodyAvailableError(
            f"Role {role.name} names no agent.", 'Give it some: agents = ["…"].'
        )
    skipped: list[tuple[str, str]] = []
    for candidate in role.agents:
        agent = agents.get(candidate)
        reason = _unfit(candidate, agent, config, installed)
        if reason is None and agent is not None:
            return Fit(agent, tuple(skipped))
        skipped.append((candidate, reason or ""))
    reasons = "; ".join(f"{name}: {reason}" for name, reason in skipped)
    raise NobodyAvailableError(
        f"Role {role.name} has no agent that can work: {reasons}.",
        "`caesar doctor` says how to install or allow one; or name one with --agent.",
    )


def _unfit(
    candidate: str, agent: Agent | None, config: Config, installed: Callable[[str], bool]
) -> str | None:
    if agent is None:
        return "there is no such agent"
    refused = refusal(config.policy, candidate, depth=NO_DEPTH)
    if refused is not None:
        return refused.reason.rstrip(".")
    if not installed(agent.bin):
        return f"{agent.bin} is not installed"
    return None


def _check_policy(config: Config, agent: Agent, depth: int) -> None:
    refused = refusal(config.policy, agent.id, depth=depth)
    if refused is not None:
        raise refused.error()
