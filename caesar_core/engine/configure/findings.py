"""What is valid in the configuration and still looks like a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from caesar_core.engine.project import Project
from caesar_core.errors import nearest


def doubts(project: Project) -> list[str]:
    """Return a sentence for each name that stands for nothing, and each prompt that is missing.

    Raises:
        CaesarError: the configuration cannot be used.
    """
    return [*_unknown_agents(project), *_missing_prompts(project)]


def _unknown_agents(project: Project) -> Iterator[str]:
    config, known = project.config, project.agents
    policy = config.policy
    named = {
        "policy.allowed": policy.allowed,
        "policy.denied": policy.denied,
        "policy.max_parallel_by_agent": tuple(policy.max_parallel_by_agent),
        "models": tuple(config.models),
        **{f"role.{name}.agents": role.agents for name, role in config.roles.items()},
    }
    for path, agents in named.items():
        for agent in agents:
            if agent not in known:
                yield f"{path} names {agent!r}, which is no agent. {nearest(agent, known)}"


def _missing_prompts(project: Project) -> Iterator[str]:
    for name, role in project.config.roles.items():
        file = role.system_prompt_file
        if project.config.layer_of(f"role.{name}") == "default" or not file:
            continue
        if not (project.layout.caesar / file).exists():
            yield f"role.{name}: its prompt {file} does not exist below .caesar/."
