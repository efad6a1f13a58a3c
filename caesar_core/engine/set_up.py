"""Setup commands of a worktree: what they print is kept, without the secrets they were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from caesar_core.engine.task_run import TaskRun
from caesar_core.process.environment import Redactor
from caesar_core.repo.setup import SetupError, run_setup
from caesar_core.store.atomic import write_atomic

_LARGEST: Final = 64 << 20


def set_up(
    run: TaskRun, commands: Sequence[str], workspace: Path, environment: Mapping[str, str]
) -> None:
    """Run commands one after the other in a place; their output goes to the task's setup log.

    Raises:
        SetupError: one failed, took too long, or the task was cancelled.
    """
    log = run.files.setup_log
    try:
        run_setup(
            commands,
            workspace,
            environment,
            log,
            clock=run.clock,
            timeout=run.plan.setup_timeout_ms / 1000,
            should_stop=run.cancelled,
        )
    except SetupError as error:
        error.message, error.tail = run.clean(error.message), run.clean(error.tail)
        error.args = (error.message,)
        raise
    finally:
        with suppress(OSError):
            _clean(log, run.new_redactor())


def _clean(log: Path, redactor: Redactor) -> None:
    if log.stat().st_size > _LARGEST:
        log.unlink()
        return
    before = log.read_bytes()
    after = redactor.redact(before)
    if after != before:
        write_atomic(log, after, durable=False)
