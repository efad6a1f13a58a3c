"""The demonstration: a small repository, two embedded agents, one objective, one winner."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from caesar_core.agents.demo import DEMO_AGENTS, OBJECTIVE, PROJECT
from caesar_core.engine.race import Race, RaceOrder
from caesar_core.engine.request import Request
from caesar_core.engine.service import Service
from caesar_core.repo.create import create_repository


def start_demo(folder: Path) -> tuple[Service, Race]:
    """Make the repository and send both agents off from the same commit.

    Raises:
        CaesarError: git or a supervisor could not be started.
    """
    create_repository(folder, PROJECT, "A function with two defects, and its tests")
    service = Service(folder)
    request = Request(
        objective=OBJECTIVE,
        acceptance_criteria=("python -m unittest passes",),
        checks=(f"{shlex.quote(sys.executable)} -m unittest --quiet",),
    )
    race, _ = service.start_race(RaceOrder(request, tuple(agent.id for agent in DEMO_AGENTS)))
    return service, race
