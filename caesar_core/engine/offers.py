"""What a main agent can choose from: agents and roles, and whether each could work right now."""

from __future__ import annotations

from typing import Any

from caesar_core.agents.base import Agent
from caesar_core.config.policy import refusal
from caesar_core.config.settings import Role
from caesar_core.engine.paused_agents import passed_over, paused_last
from caesar_core.engine.pauses import paused_sentences
from caesar_core.engine.project import Project
from caesar_core.engine.resolve_agent import NobodyAvailableError, fitting_agent


def agent_offers(project: Project, depth: int) -> list[dict[str, Any]]:
    """Return every agent as an item of `caesar_list_agents`.

    Raises:
        CaesarError: the configuration cannot be used.
    """
    return [_agent_offer(project, agent, depth) for agent in project.agents.values()]


def role_offers(project: Project) -> list[dict[str, Any]]:
    """Return every role as an item of `caesar_list_roles`, resolved now.

    Raises:
        CaesarError: the configuration cannot be used.
    """
    return [_role_offer(project, role) for role in project.config.roles.values()]


def _agent_offer(project: Project, agent: Agent, depth: int) -> dict[str, Any]:
    path = project.locate(agent.bin)
    refused = refusal(project.config.policy, agent.id, depth=depth)
    able = agent.capabilities
    offer: dict[str, Any] = {
        "id": agent.id,
        "display_name": agent.display_name,
        "bin": agent.bin,
        "installed": path is not None,
        "path": None if path is None else str(path),
        "capabilities": {
            "jsonEvents": able.json_events,
            "outputSchema": able.output_schema,
            "finalMessageFile": able.final_message_file,
            "nativeReadOnly": able.native_read_only,
            "resume": able.resume,
            "addDir": able.add_dir,
            "mcpInjection": able.mcp_injection,
            "model": able.model,
            "network": able.network,
        },
        "policy": {"allowed": True}
        if refused is None
        else {"allowed": False, "reason": f"{refused.reason} {refused.remedy}"},
    }
    paused = paused_sentences(project.layout, project.clock.now()).get(agent.id)
    if paused is not None:
        offer["paused"] = paused
    model = project.config.models.get(agent.id)
    return offer if model is None else {**offer, "default_model": model}


def _role_offer(project: Project, role: Role) -> dict[str, Any]:
    offer: dict[str, Any] = {
        "name": role.name,
        "purpose": role.purpose,
        "mode": role.mode,
        "isolation": role.isolation,
        "network": role.network,
        "timeout_ms": role.timeout,
        "agents": list(role.agents),
    }
    if role.model is not None:
        offer["model"] = role.model
    paused = paused_sentences(project.layout, project.clock.now())
    ready = paused_last(role, paused)
    try:
        fit = fitting_agent(ready, project.config, project.agents, project.is_installed)
    except NobodyAvailableError as error:
        return {**offer, "would_pick": None, "reason": error.message, "skipped": []}
    over = (*fit.skipped, *passed_over(role, fit.agent.id, paused))
    skipped = [{"agentId": name, "reason": reason} for name, reason in over]
    return {**offer, "would_pick": fit.agent.id, "skipped": skipped}
