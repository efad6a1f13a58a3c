"""The private folder of a run: folders of the user seen through links, and files of ours.

It lies beside the plan, where an agent that is held to its workspace and its task does not look.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core.engine.task_run import TaskRun
from caesar_core.errors import OperationError
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import read_bounded, store_error, write_atomic

_LARGEST: Final = 16 << 20


def open_mirrors(run: TaskRun) -> None:
    """Show the user's folders; what a file of ours hides stays hidden.

    Raises:
        StoreError: a link cannot be made.
    """
    for folder, source, only in run.plan.mirrors:
        place = Path(folder)
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in _names(Path(source), only):
                with suppress(FileExistsError):
                    (place / name).symlink_to(Path(source, name))
        except OSError as error:
            raise store_error("make", place, error) from error


def close_mirrors(run: TaskRun) -> None:
    """Give the user what the program made or replaced, and remove the private folder.

    What cannot be given back becomes a finding; the folder then stays.
    """
    private = run.layout.private(run.id)
    ours = {Path(path) for path, _ in run.plan.files}
    inner = {Path(folder) for folder, _, _ in run.plan.mirrors}
    try:
        for folder, source, only in run.plan.mirrors:
            for name in _names(Path(folder), only):
                path = Path(folder, name)
                if path not in ours | inner:
                    _give_back(path, Path(source, name))
        delete_tree(private)
    except (OSError, OperationError, shutil.Error) as error:
        detail = f"{error} It is in {private}."
        run.find("low", "What the agent's program left could not be put in its place", detail)


def _names(folder: Path, only: tuple[str, ...]) -> Iterator[str]:
    with suppress(FileNotFoundError, NotADirectoryError):
        present = sorted(path.name for path in folder.iterdir())
        yield from (name for name in present if not only or name in only)


def _give_back(path: Path, target: Path) -> None:
    """Move what is no link to where it would be without the mirror; the newer file stands."""
    state = path.lstat()
    if stat.S_ISDIR(state.st_mode):
        if not os.path.lexists(target):
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.move(path, target)
        elif target.is_dir():
            for inner in sorted(path.iterdir()):
                _give_back(inner, target / inner.name)
    elif stat.S_ISREG(state.st_mode) and _is_newer(state, target):
        # The program may have its own file linked from elsewhere: that one is replaced.
        write_atomic(target.resolve(), read_bounded(path, _LARGEST), mode=state.st_mode & 0o777)


def _is_newer(state: os.stat_result, target: Path) -> bool:
    try:
        known = target.stat()
    except FileNotFoundError:
        return True
    return stat.S_ISREG(known.st_mode) and state.st_mtime_ns > known.st_mtime_ns
