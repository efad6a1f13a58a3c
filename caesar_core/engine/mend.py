"""Putting right what an agent did to its own task directory, which is its to write in.

A link, FIFO or folder in the place of a file of ours would make us write elsewhere, hang or fail:
it goes, is named in a finding, and the file is made anew.
"""

from __future__ import annotations

import stat
from pathlib import Path

from caesar_core.engine.checkpoints import LONGEST_STREAM
from caesar_core.engine.task_run import TaskRun
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import size_of, store_error
from caesar_core.store.layout import TaskFiles


def mend_task_files(run: TaskRun) -> None:
    """Remove whatever stands in the way of the files that the supervisor writes.

    Raises:
        OperationError: it could not be removed.
    """
    for name in clear_task_files(run.files):
        run.find("high", "The agent replaced a file of its task", file=name)


def report_lost_order(run: TaskRun) -> None:
    """Find that the agent took its order away, and with it what stood beside it."""
    try:
        lost = not stat.S_ISREG(run.files.task.lstat().st_mode)
    except OSError:
        lost = True
    if lost:
        detail = "What it printed, reported or asked until then may be lost as well."
        run.find("medium", "The agent removed its task directory or its order", detail)


def report_long_stream(run: TaskRun) -> None:
    """Find that the agent wrote more into its stream than anybody reads."""
    size = size_of(run.files.events)
    if size > LONGEST_STREAM:
        detail = f"It has {size:,} bytes: what it tells in the middle counts for nothing."
        run.find("low", "The agent wrote more into events.jsonl than is read", detail)


def clear_task_files(files: TaskFiles) -> list[str]:
    """Remove what is in the way of our files of a task; return the names of what was.

    `report.json` is not among them: what stands there is the agent's report, good or bad.

    Raises:
        OperationError: it could not be removed.
    """
    folders = (files.dir, files.stdout.parent, files.check_log(1).parent)
    regular = (
        files.raw_log,
        files.events,
        files.checkpoint,
        files.stdout,
        files.stderr,
        files.check_spool,
        files.spool_offsets,
        files.agent_report,
        files.invalid_report,
        files.supervisor_log,
    )
    try:
        removed = [path.name for path in folders if _clear(path, stat.S_IFDIR)]
        removed += [path.name for path in regular if _clear(path, stat.S_IFREG)]
        files.dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise store_error("prepare", files.dir, error) from error
    return removed


def _clear(path: Path, wanted: int) -> bool:
    """Remove `path` unless it is of the wanted kind or absent; whether it was removed."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_IFMT(mode) == wanted:
        return False
    delete_tree(path)
    return True
