"""Worlds to begin with, and what the judgements have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.kill.world import CONFIG, World

RUN: Final = ("run", "--agent", "codex", "do it", "--detach")
MERGED: Final = {"a.txt": b"one\nagent\n", "new.txt": b"new\n"}


def ordered(folder: Path, last: str = "", *words: str, config: str = CONFIG) -> World:
    """Return a world in which a task was ordered and whoever did so is gone."""
    world = World.make(folder, last, config)
    assert world.command(*RUN, *words, launches=False) == 0, world.log
    return world


def done(folder: Path) -> World:
    """Return a world in which a task has ended well."""
    world = ordered(folder)
    assert world.supervise() == 0, world.log
    return world


def said(code: int, *, wanted: int = 0) -> list[str]:
    """Complain about an exit code."""
    return [] if code == wanted else [f"the command exits with {code}"]


def tree(world: World, changed: dict[str, bytes]) -> list[str]:
    """Compare the user's files and index with those at the beginning, but for `changed`."""
    found, index = world.users_own()
    contents = {path: content for path, (_, content) in found.items()}
    wanted = {path: content for path, (_, content) in world.first[0].items()} | changed
    wrong = [f"{p} holds {contents.get(p)!r}" for p in wanted if contents.get(p) != wanted[p]]
    wrong += [f"{path} was added" for path in contents.keys() - wanted.keys()]
    return wrong if index == world.first[1] else [*wrong, "the index changed"]
