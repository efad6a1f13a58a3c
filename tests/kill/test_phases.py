"""R3, R4: each phase of each process once. `make soak` dies before every single step instead."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.kill.steps import Death
from tests.kill.sweep import Scenario, fate_of
from tests.kill.world import World

RECORD = "rename .caesar/state/tasks/"
PHASES = [
    ("run", "before-the-record", "write .*brief", 1),
    ("run", "behind-the-record", "remove .caesar/state/tasks/", 1),
    ("supervisor", "first-breath", RECORD, 1),
    ("supervisor", "lease", "rename .*marker.json", 1),
    ("supervisor", "worktree-made-and-not-noted", RECORD, 3),
    ("supervisor", "setup", "start sh -c echo setup", 1),
    ("supervisor", "queue", "remove .caesar/state/queue/0", 1),
    ("supervisor", "agent-started-and-not-noted", RECORD, 6),
    ("supervisor", "stream", "write .*/raw.log", 1),
    ("supervisor", "stream-half-taken-in", "write .*events.jsonl", 3),
    ("supervisor", "outcome", "start git update-ref", 1),
    ("supervisor", "checks", "start sh -c grep", 1),
    ("supervisor", "checks-done", "rmdir .caesar/wt/checks", 1),
    ("supervisor", "report", r"rename .*/report\.json", 1),
    ("supervisor", "end-of-all", "remove .caesar/state/plans/", 3),
    ("supervisor that cancels", "before-it-stops-the-agent", "remove .*end.json", 1),
    ("supervisor that cancels", "agent-stopped-and-not-noted", "write .*end.json", 2),
    ("supervisor at the deadline", "before-it-stops-the-agent", "remove .*end.json", 1),
    ("apply", "merge", "start git merge-tree", 1),
    ("apply", "journal", "rename .*journal.json", 1),
    ("apply", "second-file", "rename new.txt", 1),
    ("apply, then a look", "first-file", "rename a.txt", 1),
    ("undo", "second-file", "rename a.txt", 1),
    ("undo", "undone-and-not-noted", RECORD, 1),
    ("gc", "worktree-half-removed", "remove built.txt", 1),
    ("gc", "branch", "start git branch", 1),
    ("gc", "not-noted", RECORD, 1),
    ("supervisor of a task in place", "place-taken", "start git write-tree", 1),
    ("supervisor of a task in place", "end-of-all", "remove .caesar/state/plans/", 3),
    ("race", "before-its-first-task", "remove .*state/races/", 1),
    ("race", "between-two-tasks", "rename .*/brief.md", 2),
    ("race apply", "second-file", "rename new.txt", 1),
    ("pick", "before-the-record", "link .*state/tasks/", 1),
    ("pick", "in-its-checks", "start sh -c grep", 1),
    ("agent's ask", "asked-and-not-told", "write .*events.jsonl", 1),
    ("agent's report", "handed-in-by-half", "rename .*report.channel.json", 1),
    ("answer", "written-by-half", "link .*answers/", 1),
    ("MCP answer", "given-and-not-told", "write .*events.jsonl", 1),
    ("MCP delegate", "before-the-record", "link .*state/tasks/", 1),
    ("MCP apply", "second-file", "rename new.txt", 1),
    ("dashboard's answer", "given-and-not-told", "write .*events.jsonl", 1),
    ("dashboard's apply", "second-file", "rename new.txt", 1),
]


@pytest.mark.parametrize(
    ("name", "pattern", "nth"),
    [(name, pattern, nth) for name, _, pattern, nth in PHASES],
    ids=[f"{re.sub('[^A-Za-z]+', '-', name)}-{phase}" for name, phase, _, _ in PHASES],
)
def test_r3_killed_in_each_phase_one_command_brings_the_right_end(
    world_of: Callable[[str], tuple[Scenario, World]], name: str, pattern: str, nth: int
) -> None:
    """R4: an apply and an undo are among the processes."""
    scenario, world = world_of(name)

    fate = fate_of(scenario, world, Death(f"^{pattern}" if pattern[0] != "^" else pattern, nth))

    assert fate.died, world.trace.read_text()
    assert fate.wrong == (), world.log
