"""Writing again what somebody removed of a task while its supervisor lives and knows it all.

An agent, or `git clean -ffdx`, may take the whole of `.caesar` away. What the supervisor holds in
memory comes back: record, order and plan. The task then ends like any other.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from caesar_core.engine.plan import save_plan
from caesar_core.errors import CaesarError
from caesar_core.protocol.event import Progress
from caesar_core.repo.worktree import delete_tree
from caesar_core.store.atomic import read_bounded, write_atomic
from caesar_core.store.lock import try_lock

if TYPE_CHECKING:
    from caesar_core.engine.task_run import TaskRun

_LARGEST_ORDER: Final = 1 << 20
_TITLE: Final = "The task's record was removed or damaged while it ran"
_DETAIL: Final = (
    "By its agent or by somebody else, perhaps with all of .caesar. It was written again; what the"
    " agent had printed, reported or asked until then may be lost, and so may be other tasks' files"
    " and the project's configuration."
)
_REPLACED: Final = "Something else stood in the place of a folder of caesar; it was removed"
_SAID: Final = "the files of this task were removed; what the stream held until now is lost"


def remember_order(run: TaskRun) -> None:
    """Keep the order in memory, unless it is very large."""
    with suppress(FileNotFoundError, CaesarError):
        run.order = read_bounded(run.files.task, _LARGEST_ORDER)


def restore_if_removed(run: TaskRun) -> None:
    """Restore the task when its record is gone; costs one look otherwise. Never raises."""
    if os.path.lexists(run.layout.record(run.id)):
        return
    with suppress(CaesarError, OSError):
        restore(run)
        lock = try_lock(run.layout.supervisor_lock(run.id))
        if lock is not None:
            run.stack.enter_context(lock)


def restore(run: TaskRun) -> None:
    """Write record, order and plan again where they are gone, and find that the record was.

    Raises:
        CaesarError: something cannot be written.
    """
    clear_the_way(run)
    _ignore_own_files(run)
    finding = ("high", _TITLE, _DETAIL, None)
    if run.records.restore(run.record) and finding not in run.findings:
        run.find(*finding)
    if run.order and not os.path.lexists(run.files.task):
        write_atomic(run.files.task, run.order, durable=False)
        with suppress(CaesarError):
            run.say(Progress(message=_SAID))
    if not os.path.lexists(run.layout.plan(run.id)):
        save_plan(run.layout.plan(run.id), run.plan)


def clear_the_way(run: TaskRun) -> None:
    """Remove what stands in the place of a folder of ours, links that lead out among it.

    Raises:
        OperationError: it cannot be removed.
    """
    layout = run.layout
    root = Path(os.path.realpath(layout.root))
    for folder in (layout.caesar, layout.tasks, layout.state, layout.records, layout.plans):
        inside = root in Path(os.path.realpath(folder)).parents
        if os.path.lexists(folder) and not (inside and folder.is_dir()):
            delete_tree(folder)
            run.find("high", _REPLACED, file=str(folder))


def _ignore_own_files(run: TaskRun) -> None:
    # Not before: while it waits, a supervisor is as light as it can be.
    from caesar_core.engine.project import Project

    with suppress(CaesarError, OSError):
        repository = run.repository
        top = repository.git_root if repository else None
        Project(run.layout.root, run.clock).ignore_own_files(top)
