"""Choosing around agents that are paused: a role goes on with its next, a named one waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from caesar_core.config.settings import Config
from caesar_core.engine.project import Project
from caesar_core.engine.request import Note, Request
from caesar_core.engine.resolve import Resolution
from caesar_core.engine.resolve_agent import UnknownAgentError, nearest
from caesar_core.store.pauses import clear_pause, load_pause


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
    agents = tuple(sorted(role.agents, key=lambda agent: agent in paused))
    return replace(config, roles={**config.roles, role.name: replace(role, agents=agents)})


def with_notes(resolution: Resolution, config: Config, paused: Mapping[str, str]) -> Resolution:
    """Return the resolution with what there is to say of paused agents; `config` as it was."""
    chosen = resolution.agent.id
    if chosen in paused:
        text = f"{paused[chosen]} The task starts by itself when that is over."
        note = Note("info", "The task waits", text)
        return replace(resolution, notes=(*resolution.notes, note))
    role = config.roles.get(resolution.role.name) if resolution.role else None
    preferred = role.agents[: role.agents.index(chosen)] if role and chosen in role.agents else ()
    notes = (Note("info", "Passed over", paused[name]) for name in preferred if name in paused)
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
