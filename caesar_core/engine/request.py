"""What a caller asks for, and the small facts that a resolution is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asked for; `None` leaves a decision to role, policy and agent."""

    objective: str
    agent: str | None = None
    role: str | None = None
    mode: str | None = None
    isolation: str | None = None
    network: str | None = None
    model: str | None = None
    timeout: str | int | None = None
    context: str = ""
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    depth: int = 1
    race_id: str | None = None
    checks: tuple[str, ...] = ()
    task_id: str | None = None
    base_ref: str | None = None
    channel: bool = False


@dataclass(frozen=True, slots=True)
class WorkspaceFacts:
    """What git says of the place: usable for worktrees, or why not and what to do."""

    usable: bool
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decided value with its reason in words."""

    field: str
    value: object
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something the caller and the report should know about the resolution."""

    severity: str
    title: str
    detail: str
