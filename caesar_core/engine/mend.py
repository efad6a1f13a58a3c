"""Putting right what an agent did to its own task directory, which is its to write in.

A link, FIFO or folder in the place of a file of ours would make us write elsewhere, hang or fail:
it goes, is named in a finding, and the file is made anew.
"""

from __future__ import annotations

import stat
from pathlib import Path

from caesar_core.engine.task_run import TaskRun
from caesar_core.repo.worktree import delete_tree


def mend_task_files(run: TaskRun) -> None:
    """Remove whatever stands in the way of the files that the supervisor writes.

    Raises:
        OperationError: it could not be removed.
    """
    files = run.files
    run.files.dir.mkdir(parents=True, exist_ok=True)
    for path in (files.raw_log, files.events, files.checkpoint, files.stdout.parent):
        if _is_in_the_way(path, folder=path == files.stdout.parent):
            delete_tree(path)
            run.find("high", "The agent replaced a file of its task", file=path.name)


def _is_in_the_way(path: Path, *, folder: bool) -> bool:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode))
