"""Which processes die here, and what has to be true after one more command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.kill.further import FURTHER
from tests.kill.judging import MERGED, RUN, done, ordered, said, tree
from tests.kill.remains import faults, remains
from tests.kill.steps import Death
from tests.kill.sweep import Scenario
from tests.kill.world import World

_CANCELS_ITSELF: Final = 'echo {} > "$CAESAR_TASK_DIR/cancel.json"; exec sleep 60'


def _applied(folder: Path) -> World:
    world = done(folder)
    assert world.command("apply", world.task_id) == 0, world.log
    return world


def _after_a_supervisor(world: World) -> list[str]:
    before = world.users_own()
    code = world.command("ps")
    world.until_quiet()
    [record] = world.records
    moved = [] if world.users_own() == before else ["the user's tree changed"]
    lost = record.exit_code is None
    return [*said(code), *faults(world, record, lost=lost), *remains(world), *moved]


def _after_a_wish(world: World) -> list[str]:
    """Whoever heard it has cancelled the task; whoever did not has finished it."""
    code = world.command("ps")
    world.until_quiet()
    [record] = world.records
    if record.status == "succeeded":
        return [*said(code), *faults(world, record, lost=True), *remains(world)]
    kept = (record.status, record.reason)
    wrong = [] if kept == ("cancelled", "cancelled") else [f"ended as {kept}"]
    return [*said(code), *wrong, *remains(world)]


def _after_an_order(world: World) -> list[str]:
    if not world.records:
        return [*said(world.command("ps")), *remains(world)]
    return _after_a_supervisor(world)


def _after_a_stop(status: str) -> Callable[[World], list[str]]:
    def judge(world: World) -> list[str]:
        code = world.command("ps")
        world.until_quiet()
        [record] = world.records
        kept = (record.status, record.reason, record.report_source, record.stat)
        stat = {"files": 2, "insertions": 2, "deletions": 0}
        reason = {"timed_out": "timeout"}.get(status, status)
        wanted = (status, reason, "file", stat)
        return [*said(code), *([f"ended as {kept}"] if kept != wanted else []), *remains(world)]

    return judge


def _applies(world: World, death: Death | None) -> int:
    return world.command("apply", world.task_id, death=death)


def _after_an_apply(world: World) -> list[str]:
    code = world.command("apply", world.task_id)
    [record] = world.records
    wrong = [] if record.applied_at else ["the record does not say that it was applied"]
    return [*said(code), *wrong, *tree(world, MERGED), *remains(world)]


def _after_an_apply_unwanted(world: World) -> list[str]:
    """The tree is whole at the next look: all of the outcome is there, or nothing."""
    code = world.command("show", world.task_id)
    found, _ = world.users_own()
    whole = tree(world, MERGED if "new.txt" in found else {})
    return [*said(code), *said(world.command("gc")), *whole, *remains(world)]


def _after_an_undo(world: World) -> list[str]:
    code = world.command("undo")
    [record] = world.records
    wrong = ["the record says that it is applied"] if record.applied_at else []
    return [*said(code), *wrong, *tree(world, {}), *remains(world)]


def _after_a_collection(world: World) -> list[str]:
    code = world.command("gc")
    [record] = world.records
    wrong = [] if record.worktree is None else ["the record names a worktree"]
    branches = world.sandbox.git("branch", "--list", "caesar/*")
    wrong += [f"branch {branches}"] if branches else []
    shown = world.command("diff", world.task_id)
    return [*said(code), *said(shown), *wrong, *tree(world, MERGED), *remains(world)]


SCENARIOS: Final = (
    Scenario("supervisor", ordered, World.supervise, _after_a_supervisor, asked=_after_a_wish),
    Scenario(
        "supervisor that cancels",
        lambda folder: ordered(folder, _CANCELS_ITSELF),
        World.supervise,
        _after_a_stop("cancelled"),
        begins="end.json",
        hears=False,
    ),
    Scenario(
        "supervisor at the deadline",
        lambda folder: ordered(folder, "exec sleep 60", "--timeout", "500ms"),
        World.supervise,
        _after_a_stop("timed_out"),
        begins="end.json",
        hears=False,
    ),
    Scenario(
        "run", World.make, lambda world, death: world.command(*RUN, death=death), _after_an_order
    ),
    Scenario("apply", done, _applies, _after_an_apply),
    Scenario("apply, then a look", done, _applies, _after_an_apply_unwanted),
    Scenario(
        "undo", _applied, lambda world, death: world.command("undo", death=death), _after_an_undo
    ),
    Scenario(
        "gc", _applied, lambda world, death: world.command("gc", death=death), _after_a_collection
    ),
    *FURTHER,
)
