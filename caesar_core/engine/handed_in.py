"""What the agent handed in as `report.json`: put aside once, and from then on read only there.

Before that step `report.json` is the agent's, after it ours; which it is, `EndState` says and not
the task directory, where an agent may write what it likes.
"""

from __future__ import annotations

from typing import Final

from caesar_core.engine.ending import EndFile, EndState
from caesar_core.engine.task_run import TaskRun
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.layout import TaskFiles

_LARGEST: Final = 16 << 20


def put_aside(run: TaskRun, kept: EndFile, state: EndState) -> EndState:
    """Keep the agent's report as `report.agent.json`, without the secrets in it.

    Raises:
        StoreError: it cannot be written.
    """
    if state.report_taken:
        return state
    files, unreadable = run.files, ""
    for path in (files.agent_report, files.invalid_report):
        path.unlink(missing_ok=True)
    try:
        data = run.new_redactor().redact(read_bounded(files.report, _LARGEST))
        write_atomic(files.agent_report, data)
    except FileNotFoundError:
        pass
    except StoreError as error:
        unreadable = error.message
    return kept.take_report(state, unreadable)


def read_aside(files: TaskFiles) -> bytes | None:
    """Return the report that was put aside, acceptable or not; `None` when there was none."""
    for path in (files.agent_report, files.invalid_report):
        try:
            return read_bounded(path, 2 * _LARGEST)
        except (FileNotFoundError, StoreError):
            continue
    return None


def mark_invalid(files: TaskFiles) -> None:
    """Give the report that was put aside the name of one that was not acceptable."""
    if files.agent_report.exists():
        files.agent_report.rename(files.invalid_report)
