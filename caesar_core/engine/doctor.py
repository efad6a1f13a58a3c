"""`caesar doctor`: what works here, what is missing, and how to get it."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from caesar_core.agents.base import Agent
from caesar_core.agents.install import install_hint
from caesar_core.agents.login import Login, login_of
from caesar_core.engine.configure.findings import doubts
from caesar_core.engine.configure.values import check_files
from caesar_core.engine.doctor_proof import Proof, prove
from caesar_core.engine.inventory import agent_row, version_doubt
from caesar_core.engine.machine import Part, git_part, python_part, watcher_part
from caesar_core.engine.project import Project
from caesar_core.engine.trust import UntrustedError, require
from caesar_core.errors import CaesarError
from caesar_core.home import home_folder
from caesar_core.process.environment import agent_environment
from caesar_core.process.version import program_version


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was looked at.

    Attributes:
        agents: rows of `agents list` with `version` and `login`.
        proof: the embedded agent's run; `None` when it was not asked for.
    """

    agents: tuple[dict[str, Any], ...]
    parts: tuple[Part, ...]
    warnings: tuple[str, ...]
    proof: Proof | None

    @property
    def ok(self) -> bool:
        """Whether everything essential works; a missing CLI is not essential."""
        proved = self.proof is None or self.proof.ok
        return proved and all(part.state != "bad" for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form (docs/commands.md, `doctor`)."""
        return {
            "ok": self.ok,
            "agents": list(self.agents),
            "missing": [a["id"] for a in self.agents if not a["installed"]],
            "denied": [a["id"] for a in self.agents if not a["policy"]["allowed"]],
            "parts": [asdict(part) for part in self.parts],
            "warnings": list(self.warnings),
            "proof": None if self.proof is None else asdict(self.proof),
        }


def diagnose(project: Project, terminal: Part, *, with_proof: bool = True) -> Diagnosis:
    """Look at agents, configuration and machine, and prove that a task works.

    Nothing that the repository declares is started unless it was agreed to.
    """
    parts = [python_part(), git_part(), watcher_part(), terminal, *_configuration(project)]
    usable = all(part.name != "configuration" or part.state != "bad" for part in parts)
    works = all(part.name != "git" or part.state != "bad" for part in parts)
    return Diagnosis(
        agents=tuple(_agents(project)) if usable else (),
        parts=tuple(parts),
        warnings=tuple(doubts(project)) if usable else (),
        proof=prove() if with_proof and works else None,
    )


def _configuration(project: Project) -> list[Part]:
    checks = check_files(project)
    bad = [check.error for check in checks if check.error is not None]
    if bad:
        return [Part("configuration", "bad", error.message, error.hint) for error in bad]
    there = [check.scope for check in checks if check.exists]
    found = [Part("configuration", "ok", ", ".join(there) or "built-in defaults")]
    try:
        require(project.root, project.config)
    except UntrustedError as error:
        found.append(Part("trust", "warn", error.message, error.hint))
    return found


def _agents(project: Project) -> list[dict[str, Any]]:
    agents = list(project.agents.values())
    with ThreadPoolExecutor(max_workers=8) as pool:
        versions = list(pool.map(lambda agent: _version(project, agent), agents))
    return [_row(project, a, version) for a, version in zip(agents, versions, strict=True)]


def _row(project: Project, agent: Agent, version: str | None) -> dict[str, Any]:
    row = agent_row(project, agent)
    embedded = agent.bin == sys.executable
    login = Login("unneeded") if embedded else login_of(agent.id, os.environ, home_folder())
    row["version"] = version
    row["version_doubt"] = version_doubt(agent, version or "") or None
    row["login"] = asdict(login)
    row["remedy"] = None if row["installed"] else install_hint(agent.bin)
    return row


def _version(project: Project, agent: Agent) -> str | None:
    if agent.bin == sys.executable:
        return "embedded"
    program = project.locate(agent.bin)
    if program is None:
        return None
    if project.config.layer_of(f"agent.{agent.id}") in {"project", "local"}:
        try:
            require(project.root, project.config)
        except CaesarError:
            return None
    return program_version(program, agent_environment(os.environ, {}))
