"""What a caller asks for, and the small facts that a resolution is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from caesar_core.engine.budget import Budget
from caesar_core.errors import CaesarError
from caesar_core.text import visible


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asked for; `None` leaves a decision to role, policy and agent.

    Attributes:
        extra: arguments for the agent's own command line.
        base_ref: the commit the result is compared with; the current one when `None`.
        start_ref: the commit the worktree starts from, when not `base_ref`.
        resumes: the task whose work this one goes on with.
        session: the agent's own name of the session to go on with.
        notes: what the caller and the report should know of how the request was made.
        earlier: what that session had taken, as the keys of `agents.base.TokenUsage`.
    """

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
    budget: Budget = field(default_factory=Budget)
    channel: bool = False
    start_ref: str | None = None
    resumes: str | None = None
    session: str | None = None
    earlier: dict[str, Any] = field(default_factory=dict, hash=False)
    notes: tuple[Note, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return what is needed besides order and record to ask for the same again."""
        kept = {name: getattr(self, name) for name in REPEATED}
        return {name: value for name, value in kept.items() if value}


def order_digest(data: bytes) -> str:
    """Return what tells whether `task.json` is still the one that was written."""
    return hashlib.sha256(data).hexdigest()


ORDER_DIGEST: Final = "order"
REPEATED: Final = ("isolation", "network", "model", "timeout", "extra", "checks", "channel")


def require_checks(commands: Iterable[str]) -> None:
    """Make sure that each check says something, and can be run and written down as it was given.

    Raises:
        CaesarError: one is empty, or holds what is not text.
    """
    for command in commands:
        if not command.strip():
            raise CaesarError("A check is empty: it would always pass.", "Say what is to be run.")
        if not is_plain_text(command):
            raise CaesarError(
                f"The check {visible(command)!r} is not UTF-8 text, or holds a NUL character.",
                "Put it into a script, and check with that.",
            )


def is_plain_text(text: str) -> bool:
    """Whether a text can be handed to any program and written to any file as it is."""
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)


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


def depth_in(environment: Mapping[str, str]) -> int:
    """Return how deep a process is itself: 0 for a person or a main agent.

    A negative `$CAESAR_DEPTH`, and what is no number, read as 0.
    """
    text = environment.get("CAESAR_DEPTH", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
