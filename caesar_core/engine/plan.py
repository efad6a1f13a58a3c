"""The plan: everything a supervisor needs to run a task, decided before it starts.

It is written once by whoever delegates and read by every supervisor of the task, so none of them
loads the configuration, and a change of it does not reach a task that has begun.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from caesar_core.agents.base import (
    NO_CONTEXT,
    Agent,
    Invocation,
    RunContext,
    SilentTranslator,
    Translator,
)
from caesar_core.agents.registry import builtin_agents
from caesar_core.engine.budget import Budget
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic

_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan as it lies in `state/plans/<id>.json`; paths absolute, times in milliseconds.

    Attributes:
        argv, cwd, stdin, env, shown: the agent's process (see `agents.base.Invocation`).
        files: what is written for it before it starts, as (path, text).
        mirrors: what is linked for it, as (folder, source, names); see `agents.base.Mirror`.
        stop_signal: see `agents.base.Capabilities`.
        schema: its last message is held to the schema of a report.
        earlier: what the session had taken before, as the keys of `agents.base.TokenUsage`.
        session_id: the name that the agent's session is given on its command line, if any.
        start_ref: the commit the worktree starts from when that is not `base_ref`.
        translator: the built-in agent whose stream this is; empty for one without structure.
        base_ref: the commit the outcome is compared with; `None` in place.
        checks: what is run on the outcome, as (command, name, limit in milliseconds).
        answers: `[[answer]]` as (match, answer).
        agent_limit: how many tasks of its agent may run at a time.
        min_free_memory: bytes; see `config.settings.Policy`.
        budget_usd, budget_tokens: see `engine.budget.Budget`.
        notes: findings that the resolution brought, as (severity, title, detail).
    """

    argv: tuple[str, ...]
    cwd: str
    shown: str
    deadline_ms: int
    stdin: str | None = None
    env: dict[str, str] = field(default_factory=dict, hash=False)
    files: tuple[tuple[str, str], ...] = ()
    mirrors: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    stop_signal: str = "SIGTERM"
    schema: bool = False
    earlier: dict[str, Any] = field(default_factory=dict, hash=False)
    session_id: str | None = None
    start_ref: str | None = None
    translator: str = ""
    declares_changes: bool = True
    deny: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    assigned: dict[str, str] = field(default_factory=dict, hash=False)
    redact: bool = True
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    setup_timeout_ms: int = 1_800_000
    checks: tuple[tuple[str, str, int], ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    max_parallel: int = 4
    agent_limit: int | None = None
    min_free_memory: int = 0
    budget_usd: float | None = None
    budget_tokens: int | None = None
    branch_stem: str = ""
    base_ref: str | None = None
    notes: tuple[tuple[str, str, str], ...] = ()

    @property
    def budget(self) -> Budget:
        """What the task may take at most."""
        return Budget(self.budget_usd, self.budget_tokens)

    def new_translator(self, context: RunContext = NO_CONTEXT) -> Translator:
        """Return a translator for the agent's stream."""
        for agent in builtin_agents():
            if agent.id == self.translator:
                return agent.translator(context)
        return SilentTranslator()


def process_fields(agent: Agent, invocation: Invocation) -> dict[str, Any]:
    """Return the plan's fields that describe the agent's process."""
    builtin = any(known is agent or known == agent for known in builtin_agents())
    return {
        "argv": invocation.argv,
        "cwd": str(invocation.cwd),
        "shown": invocation.shown,
        "stdin": None if invocation.stdin is None else str(invocation.stdin),
        "env": invocation.env,
        "files": tuple((str(file.path), file.text) for file in invocation.files),
        "mirrors": tuple((str(m.folder), str(m.source), m.only) for m in invocation.mirrors),
        "stop_signal": agent.capabilities.stop_signal,
        "translator": agent.id if builtin else "",
        "declares_changes": agent.capabilities.declares_changes,
    }


def save_plan(path: Path, plan: Plan) -> None:
    """Write the plan; for the person's eyes only, as `[environment] set` may hold a secret.

    Raises:
        StoreError: it cannot be written.
    """
    write_atomic(path, json.dumps(asdict(plan)).encode("ascii"), mode=0o600)


def load_plan(path: Path) -> Plan | None:
    """Return the plan, `None` when there is none.

    Raises:
        StoreError: it is there and cannot be read or understood.
    """
    try:
        document = json.loads(read_bounded(path, _LARGEST))
        known = {spec.name for spec in fields(Plan)}
        return Plan(**{k: _frozen(v) for k, v in document.items() if k in known})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path} is not a plan: {error}.") from None


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
