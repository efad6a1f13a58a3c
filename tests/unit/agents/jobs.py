"""A job for adapters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import Job

_TASK_DIR: Final = Path("/project/.caesar/tasks/t_1")
_JOB: Final = Job(
    task_id="t_1",
    brief="the brief",
    brief_file=_TASK_DIR / "brief.md",
    task_dir=_TASK_DIR,
    report_path=_TASK_DIR / "report.json",
    workspace=Path("/project"),
    mode="write",
    network=True,
    model=None,
    role=None,
    deadline_ms=600_000,
)


def make_job(**changes: Any) -> Job:
    """Return a job that writes, with some of it changed."""
    return replace(_JOB, **changes)
