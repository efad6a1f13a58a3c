"""The command line as a real process, and one world for each process that dies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.integration.engine.conftest import caesar
from tests.kill.scenarios import SCENARIOS
from tests.kill.sweep import Scenario
from tests.kill.world import World

__all__ = ["caesar"]


@pytest.fixture(scope="session")
def world_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Scenario, World]]:
    """Return a scenario and its world, made once and kept as it was then."""
    made: dict[str, tuple[Scenario, World]] = {}

    def get(name: str) -> tuple[Scenario, World]:
        if name not in made:
            [scenario] = [each for each in SCENARIOS if each.name == name]
            world = scenario.make(tmp_path_factory.mktemp("world"))
            world.save()
            made[name] = scenario, world
        return made[name]

    return get
