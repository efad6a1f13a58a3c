"""All agents by id: the embedded ones, the known CLIs, and what the configuration declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from caesar_core.agents.antigravity import AntigravityAgent
from caesar_core.agents.base import Agent
from caesar_core.agents.claude import ClaudeAgent
from caesar_core.agents.codex import CodexAgent
from caesar_core.agents.copilot import CopilotAgent
from caesar_core.agents.demo import DEMO_AGENTS
from caesar_core.agents.gemini import GeminiAgent
from caesar_core.agents.generic import GenericAgent
from caesar_core.agents.opencode import OpenCodeAgent
from caesar_core.agents.shell import ShellAgent


def builtin_agents() -> tuple[Agent, ...]:
    """Return the agents that need no declaration."""
    return (
        CodexAgent(),
        ClaudeAgent(),
        OpenCodeAgent(),
        CopilotAgent(),
        GeminiAgent(),
        AntigravityAgent(),
        ShellAgent(),
        *DEMO_AGENTS,
    )


def catalogue(declared: Iterable[GenericAgent] = ()) -> Mapping[str, Agent]:
    """Return every agent by id; a declared one replaces a built-in of the same id."""
    agents: dict[str, Agent] = {agent.id: agent for agent in builtin_agents()}
    agents.update({agent.id: agent for agent in declared})
    return MappingProxyType(agents)
