"""Choosing around agents that are paused: a role goes on with its next, a named one waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from caesar_core.config.settings import Config, Role
from caesar_core.engine.project import Project
from caesar_core.engine.request import Note, Request
from caesar_core.engine.resolve import Resolution
from caesar_core.engine.resolve_agent import UnknownAgentError
from caesar_core.errors import nearest
from caesar_core.store.pauses import clear_pause, load_pause

WAITS: Final = "The task waits"
PASSED_OVER: Final = "Passed over"


def without_preference(config: Config, request: Request, paused: Mapping[str, str]) -> Config:
    """Return the configuration with paused agents at the end of the role that was asked for.

    Args:
        config: as it is.
        request: names the role.
        paused: a sentence for each paused agent.
    """
    role = config.roles.get(request.role or "")
    if role is None or request.agent is not None or paused.keys().isdisjoint(role.agents):
        return config
    return replace(config, roles={**config.roles, role.name: paused_last(role, paused)})


def paused_last(role: Role, paused: Mapping[str, str]) -> Role:
    """Return the role with its paused agents at the end: a task of theirs would wait."""
    return replace(role, agents=tuple(sorted(role.agents, key=lambda agent: agent in paused)))


def passed_over(role: Role, chosen: str, paused: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the agents that would come before the chosen one but are paused, with sentences."""
    if chosen in paused or chosen not in role.agents:
        return []
    before = role.agents[: role.agents.index(chosen)]
    return [(agent, paused[agent]) for agent in before if agent in paused]


def with_notes(resolution: Resolution, config: Config, paused: Mapping[str, str]) -> Resolution:
    """Return the resolution with what there is to say of paused agents; `config` as it was."""
    chosen = resolution.agent.id
    if chosen in paused:
        text = f"{paused[chosen].rstrip('.')}; the task starts by itself when that is over"
        note = Note("info", WAITS, text)
        return replace(resolution, notes=(*resolution.notes, note))
    role = config.roles.get(resolution.role.name) if resolution.role else None
    over = passed_over(role, chosen, paused) if role else []
    notes = (Note("info", PASSED_OVER, text) for _, text in over)
    return replace(resolution, notes=(*resolution.notes, *notes))


def resume_agent(project: Project, agent_id: str) -> bool:
    """End the pause of an agent; whether there was one.

    Raises:
        UnknownAgentError: there is no agent of that name.
    """
    if agent_id not in project.agents:
        raise UnknownAgentError(
            f"There is no agent {agent_id!r}.", nearest(agent_id, project.agents)
        )
    held = load_pause(project.layout, agent_id)
    clear_pause(project.layout, agent_id)
    return held is not None and held.holds(project.clock.now())
