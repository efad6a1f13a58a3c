"""Deaths before each step of a process, one after the other, and what each left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM

from tests.kill.steps import REACHED, Death
from tests.kill.world import World


@dataclass(frozen=True, slots=True)
class Scenario:
    """A process that can die, and how what it left is mended and judged.

    Attributes:
        name: what it is called in the table.
        make: a world in which the process is about to begin.
        act: run it, to its end or to its death; its exit code.
        mend: one command, and then what is wrong all the same, in words.
        asked: the same when it was asked to stop, and may have done so.
        begins: only steps from the first one on that this matches are tried.
        hears: whether another signal than SIGKILL leaves what is judged here.
    """

    name: str
    make: Callable[[Path], World]
    act: Callable[[World, Death | None], int]
    mend: Callable[[World], list[str]]
    begins: str = ""
    hears: bool = True
    asked: Callable[[World], list[str]] | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """One death and what came of it.

    Attributes:
        died: the step was reached, and the signal sent.
        wrong: what was not as it has to be.
    """

    death: Death
    died: bool
    wrong: tuple[str, ...]


def deaths(world: World, begins: str = "") -> Iterator[Death]:
    """Yield a death before each step of the last process that was watched."""
    seen: Counter[str] = Counter()
    begun = False
    for label in world.trace.read_text().splitlines():
        seen[label] += 1
        begun = begun or re.search(begins, label) is not None
        if begun:
            yield Death(f"^{re.escape(label)}$", seen[label])


def rehearsed(scenario: Scenario, folder: Path) -> tuple[World, list[Death]]:
    """Make the world, let everything go well once, and return the deaths that there are.

    Raises:
        AssertionError: it did not go well.
    """
    world = scenario.make(folder)
    world.save()
    world.trace.unlink(missing_ok=True)
    code = scenario.act(world, None)
    found = list(deaths(world, scenario.begins))
    wrong = [*([f"exit code {code}"] if code else []), *scenario.mend(world)]
    assert not wrong, (scenario.name, wrong, world.log)
    return world, found


def fate_of(scenario: Scenario, world: World, death: Death) -> Fate:
    """Let the process die once, from the saved world on."""
    world.restore()
    scenario.act(world, death)
    died = REACHED in world.trace.read_text().splitlines()
    judge = scenario.asked if death.number == SIGTERM else scenario.mend
    return Fate(death, died, tuple((judge or scenario.mend)(world)))
