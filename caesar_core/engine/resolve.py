"""From what was asked to what will be done, each decision with its reason.

Pure but for the two questions it asks through its arguments: is a program installed, and what is
the workspace. Nothing is written; a refusal leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from caesar_core.agents.base import Agent
from caesar_core.config.policy import permission
from caesar_core.config.settings import Config, Role
from caesar_core.durations import parse_duration
from caesar_core.engine.request import (
    Decision,
    Note,
    Request,
    WorkspaceFacts,
    is_plain_text,
    require_checks,
)
from caesar_core.engine.resolve_agent import choose_agent, choose_role
from caesar_core.engine.resolve_limits import (
    choose_channel,
    choose_isolation,
    choose_model,
    choose_network,
)
from caesar_core.errors import CaesarError

Installed: TypeAlias = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What will be done."""

    agent: Agent
    role: Role | None
    mode: str
    isolation: str
    network: bool
    model: str | None
    deadline_ms: int
    channel: bool
    decisions: tuple[Decision, ...]
    notes: tuple[Note, ...] = field(default=())

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes as sentences."""
        return tuple(f"{note.title}: {note.detail}" for note in self.notes)


def resolve(
    request: Request,
    config: Config,
    agents: Mapping[str, Agent],
    installed: Installed,
    workspace: WorkspaceFacts,
) -> Resolution:
    """Decide agent, mode, isolation, network, model and deadline.

    Raises:
        CaesarError: unknown role or agent, not installed, refused by policy, an impossible
            combination, or an unreadable duration; nothing has been created.
    """
    _check_objective(request.objective)
    require_checks(request.checks)
    role = choose_role(request, config)
    agent, agent_reason = choose_agent(request, role, config, agents, installed)
    mode, mode_reason = _first(
        (request.mode, "asked for"),
        (role.mode if role else None, f"role {role.name}" if role else ""),
        (config.policy.default_mode, "policy default"),
    )
    isolation, isolation_reason, notes = choose_isolation(
        request, role, config.policy, agent, mode, workspace
    )
    network, network_reason, network_notes = choose_network(
        request, role, config.policy, agent, mode
    )
    model, model_reason, model_notes = choose_model(request, role, config, agent)
    channel, channel_reason, channel_notes = choose_channel(request, role, agent)
    deadline, deadline_reason = _deadline(request, role, config)
    return Resolution(
        agent=agent,
        role=role,
        mode=mode,
        isolation=isolation,
        network=network,
        model=model,
        deadline_ms=deadline,
        channel=channel,
        decisions=(
            Decision("role", role.name if role else None, "asked for" if role else "none named"),
            Decision("agent", agent.id, agent_reason),
            Decision("policy", "allowed", permission(config.policy, agent.id, depth=request.depth)),
            Decision("depth", request.depth, "one more than $CAESAR_DEPTH, 0 where it is not set"),
            Decision("mode", mode, mode_reason),
            Decision("isolation", isolation, isolation_reason),
            Decision("network", network, network_reason),
            Decision("model", model, model_reason),
            Decision("deadline_ms", deadline, deadline_reason),
            Decision("channel", channel, channel_reason),
        ),
        notes=(*request.notes, *notes, *network_notes, *model_notes, *channel_notes),
    )


def _first(*choices: tuple[str | None, str]) -> tuple[str, str]:
    return next((value, reason) for value, reason in choices if value)


def _deadline(request: Request, role: Role | None, config: Config) -> tuple[int, str]:
    if request.timeout is not None:
        return parse_duration(request.timeout, what="timeout"), "asked for"
    if role is not None:
        return role.timeout, f"role {role.name}"
    return config.policy.default_timeout, "policy default"


def _check_objective(objective: str) -> None:
    if not objective.strip():
        raise CaesarError("The objective is empty.", "Say what is to be done.")
    # To replace a byte would be to run another command than was asked for.
    if not is_plain_text(objective):
        raise CaesarError(
            "The objective is not UTF-8 text, or holds a NUL character.",
            "A command with such bytes goes into a script.",
        )
