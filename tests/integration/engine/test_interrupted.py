"""R4: an apply that was killed in the middle is put back by whatever command comes next."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.integration.engine.conftest import Caesar

KILLED = """
import os, signal, sys
from pathlib import Path
from caesar_core.repo import apply as room
real = room.carry_out
def carry_out(journal, on_step):
    steps = iter(range({step}))
    def die(step):
        if next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
    return real(journal, die)
room.carry_out = carry_out
from caesar_core.engine.service import Service
Service(Path({root!r})).apply({task!r})
"""


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("command", ["show", "apply", "undo", "watch"])
def test_r4_killed_apply_leaves_a_whole_tree_at_the_next_command(
    caesar: Caesar, step: int, command: str
) -> None:
    task_id = caesar.run("echo 1 >> a.txt; echo 2 > b.txt; echo 3 > c.txt")["task_id"]
    index = (caesar.root / ".git" / "index").read_bytes()
    code = KILLED.format(step=step, root=str(caesar.root), task=task_id)
    done = subprocess.run([sys.executable, "-c", code], env=caesar.env, check=False)
    assert done.returncode == -signal.SIGKILL

    arguments = {"show": ("show", task_id), "apply": ("apply", task_id), "undo": ("undo",)}
    ran = caesar(*arguments.get(command, ("watch", "--once")))

    assert ran.code == 0
    applied = command == "apply"
    assert (caesar.root / "b.txt").exists() is applied
    assert (caesar.root / "c.txt").exists() is applied
    wanted = "one\ntwo\nthree\n1\n" if applied else "one\ntwo\nthree\n"
    assert (caesar.root / "a.txt").read_text() == wanted
    assert (caesar.root / ".git" / "index").read_bytes() == index
    assert len(list(caesar.layout.applied.glob("*/"))) == int(applied)
