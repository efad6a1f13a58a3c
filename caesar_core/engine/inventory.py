"""Which agents and roles there are, whether they could work now, and why not."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from caesar_core.agents.base import Agent, Capabilities
from caesar_core.agents.generic import GenericAgent
from caesar_core.agents.tested import TESTED, Tested
from caesar_core.config.policy import refusal
from caesar_core.config.settings import Role
from caesar_core.engine.paused_agents import passed_over, paused_last
from caesar_core.engine.pauses import pause_json, paused_sentences
from caesar_core.engine.project import Project
from caesar_core.engine.resolve_agent import fitting_agent
from caesar_core.errors import CaesarError
from caesar_core.store.pauses import load_pause

_SHORT: Final = {
    "json_events": "json",
    "output_schema": "schema",
    "final_message_file": "final",
    "native_read_only": "read-only",
    "resume": "resume",
    "add_dir": "dirs",
    "mcp_injection": "mcp",
    "model": "model",
    "network": "net",
}


def agent_row(project: Project, agent: Agent) -> dict[str, Any]:
    """Return an agent as the JSON of `agents list` (docs/commands.md)."""
    config = project.config
    path = project.locate(agent.bin)
    model = config.models.get(agent.id)
    row: dict[str, Any] = {
        "id": agent.id,
        "display_name": agent.display_name,
        "bin": agent.bin,
        "installed": path is not None,
        "path": None if path is None else str(path),
        "capabilities": capability_names(agent.capabilities),
        "capabilitiesShort": [_SHORT[name] for name in _granted(agent.capabilities)],
        "policy": policy_verdict(project, agent),
        "provenance": config.layer_of(f"agent.{agent.id}"),
    }
    tested = _tested(agent)
    if tested is not None:
        row["tested"] = {"from": tested.first, "before": tested.before}
    pause = load_pause(project.layout, agent.id)
    if pause is not None and pause.holds(project.clock.now()):
        row["paused"] = pause_json(pause)
    if model is not None:
        row["default_model"] = model
        row["model_provenance"] = config.layer_of(f"models.{agent.id}")
    return row


def version_doubt(agent: Agent, told: str) -> str:
    """Return why the version that an agent's program tells is doubtful; empty when it is not."""
    tested = _tested(agent)
    return tested.doubt(told) if tested else ""


def _tested(agent: Agent) -> Tested | None:
    # One that was declared under the name of a known one is another program.
    return None if isinstance(agent, GenericAgent) else TESTED.get(agent.id)


def agent_rows(project: Project) -> list[dict[str, Any]]:
    """Return every agent.

    Raises:
        CaesarError: the configuration cannot be used.
    """
    return [agent_row(project, agent) for agent in project.agents.values()]


def policy_verdict(project: Project, agent: Agent) -> dict[str, Any]:
    """Return whether the policy lets an agent work here, and the rule that does not."""
    refused = refusal(project.config.policy, agent.id, depth=0)
    if refused is None or refused.rule == "max_depth":
        return {"allowed": True, "reason": None, "rule": None}
    return {
        "allowed": False,
        "reason": refused.reason,
        "rule": refused.rule,
        "remedy": refused.remedy,
    }


def capability_names(capabilities: Capabilities) -> list[str]:
    """Return what an agent can do by name, in camel case: `jsonEvents`, `network:toggle`."""
    names = []
    for name in _granted(capabilities):
        first, *rest = name.split("_")
        camel = first + "".join(word.capitalize() for word in rest)
        value = getattr(capabilities, name)
        names.append(f"{camel}:{value}" if isinstance(value, str) else camel)
    return names


def role_rows(project: Project) -> list[dict[str, Any]]:
    """Return every role with the agent it would choose now."""
    return [role_row(project, role) for role in project.config.roles.values()]


def role_row(project: Project, role: Role) -> dict[str, Any]:
    """Return a role as the JSON of `role list`: `picked`, or `error` with every reason."""
    row: dict[str, Any] = {
        "name": role.name,
        "purpose": role.purpose,
        "agents": list(role.agents),
        "mode": role.mode,
        "provenance": project.config.layer_of(f"role.{role.name}"),
    }
    try:
        paused = paused_sentences(project.layout, project.clock.now())
        able = paused_last(role, paused)
        fit = fitting_agent(able, project.config, project.agents, project.is_installed)
    except CaesarError as error:
        return {**row, "error": error.message}
    without = (*fit.skipped, *passed_over(role, fit.agent.id, paused))
    skipped = [{"agentId": name, "reason": reason} for name, reason in without]
    return {**row, "picked": fit.agent.id, "skipped": skipped}


def _granted(capabilities: Capabilities) -> list[str]:
    names = [spec.name for spec in fields(capabilities) if spec.name in _SHORT]
    return [n for n in names if getattr(capabilities, n) not in {False, "none", "unknown"}]
