"""A paused agent is passed over by its role, and waited for when nobody else can work."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, iso
from caesar_core.config.settings import Config, Role
from caesar_core.engine.delegate import plan_only
from caesar_core.engine.inventory import agent_rows, role_rows
from caesar_core.engine.offers import agent_offers, role_offers
from caesar_core.engine.paused_agents import resume_agent
from caesar_core.engine.project import Project
from caesar_core.engine.request import Request
from caesar_core.engine.resolve_agent import UnknownAgentError
from caesar_core.store.pauses import Pause, save_pause

ROLE = Role("r", ("shell", "demo-quick"), "write")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, FakeClock(), config=Config(roles={"r": ROLE}))


def pause(project: Project, *agents: str) -> None:
    now = project.clock.now()
    for agent in agents:
        until = iso(now + timedelta(hours=1))
        save_pause(
            project.layout,
            Pause(agent=agent, reason="quota", since=iso(now), until=until, stated=True),
        )


def chosen(project: Project) -> tuple[str, list[str]]:
    """Return who would be chosen, everywhere the same, and the titles of the notes."""
    resolution = plan_only(project, Request("x", role="r"))
    (offer,), (row,) = role_offers(project), role_rows(project)
    assert offer["would_pick"] == row["picked"] == resolution.agent.id
    titles = [note.title for note in resolution.notes if note.title != "Degraded isolation"]
    return resolution.agent.id, titles


def test_a_role_goes_on_with_its_next_agent(project: Project) -> None:
    """Case M1."""
    assert chosen(project) == ("shell", [])
    pause(project, "shell")
    assert chosen(project) == ("demo-quick", ["Passed over"])
    (offer,), (row,) = role_offers(project), role_rows(project)
    assert [skip["agentId"] for skip in offer["skipped"]] == ["shell"]
    assert offer["skipped"] == row["skipped"]
    assert offer["agents"] == ["shell", "demo-quick"]


def test_when_all_are_paused_the_first_one_is_waited_for(project: Project) -> None:
    pause(project, "shell", "demo-quick")
    assert chosen(project) == ("shell", ["The task waits"])


def test_a_named_agent_is_waited_for(project: Project) -> None:
    pause(project, "shell")
    resolution = plan_only(project, Request("x", agent="shell", role="r"))
    assert resolution.agent.id == "shell"
    assert any("shell is paused until" in warning for warning in resolution.warnings)


def test_lists_of_agents_tell_of_it_until_it_is_over(project: Project) -> None:
    pause(project, "shell")
    assert [row["id"] for row in agent_rows(project) if "paused" in row] == ["shell"]
    assert [offer["id"] for offer in agent_offers(project, 1) if "paused" in offer] == ["shell"]
    project.clock.sleep(3601)
    assert [row["id"] for row in agent_rows(project) if "paused" in row] == []
    assert chosen(project) == ("shell", [])


def test_a_pause_is_ended_by_hand_once(project: Project) -> None:
    pause(project, "shell")
    assert resume_agent(project, "shell") is True
    assert resume_agent(project, "shell") is False
    with pytest.raises(UnknownAgentError):
        resume_agent(project, "shel")
