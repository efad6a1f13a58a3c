"""A delegation that is being written: what a form holds, and the same as a command. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a person has filled in; empty leaves a decision to role, policy and agent.

    Attributes:
        agents: `ID` or `ID:MODEL`, separated by commas; several are a race.
        constraints, criteria, checks: several, separated by semicolons.

    """

    objective: str = ""
    context: str = ""
    agents: str = ""
    role: str = ""
    mode: str = ""
    isolation: str = ""
    network: str = ""
    model: str = ""
    timeout: str = ""
    constraints: str = ""
    criteria: str = ""
    checks: str = ""
    channel: str = ""

    @property
    def field(self) -> tuple[str, ...]:
        """Who is to do it."""
        return _parts(self.agents, ",")

    @property
    def is_race(self) -> bool:
        """Whether several are to do it."""
        return len(self.field) > 1

    @property
    def request(self) -> dict[str, Any]:
        """The fields of a request, but for the agent."""
        return {
            "objective": self.objective.strip(),
            "context": self.context.strip(),
            "role": self.role or None,
            "mode": self.mode or None,
            "isolation": self.isolation or None,
            "network": self.network or None,
            "model": self.model or None,
            "timeout": self.timeout or None,
            "constraints": _parts(self.constraints, ";"),
            "acceptance_criteria": _parts(self.criteria, ";"),
            "checks": _parts(self.checks, ";"),
            "channel": self.channel == "yes",
        }

    @property
    def command(self) -> str:
        """The command that does the same."""
        words = ["caesar", "race" if self.is_race else "run", self.objective.strip() or "…"]
        for agent in self.field:
            words += ["--agent", agent]
        values = {
            "--role": self.role,
            "--mode": self.mode,
            "--isolation": "" if self.is_race else self.isolation,
            "--network": self.network,
            "--model": "" if self.is_race else self.model,
            "--timeout": self.timeout,
            "--context": self.context.strip(),
        }
        words += [word for name, value in values.items() if value for word in (name, value)]
        several = {
            "--constraint": _parts(self.constraints, ";"),
            "--criterion": _parts(self.criteria, ";"),
            "--check": _parts(self.checks, ";"),
        }
        words += [word for name, values_ in several.items() for v in values_ for word in (name, v)]
        if self.channel == "yes" and not self.is_race:
            words.append("--channel")
        return shlex.join([*words, "--detach"])

    @classmethod
    def of_task(cls, task: Mapping[str, Any], *, model: str | None = None) -> Draft:
        """Return the draft that means an earlier order."""
        return cls(
            objective=str(task.get("objective") or ""),
            context=str(task.get("context") or ""),
            agents=str(task.get("agent") or ""),
            role=str(task.get("role") or ""),
            mode=str(task.get("mode") or ""),
            isolation=str(task.get("isolation") or ""),
            network="off" if task.get("network") is False else "",
            model=model or "",
            constraints=";".join(map(str, task.get("constraints") or ())),
            criteria=";".join(map(str, task.get("acceptance_criteria") or ())),
            channel="yes" if task.get("channel") else "",
        )


def _parts(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())
