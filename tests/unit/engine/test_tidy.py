"""What killed processes leave in the store."""

from __future__ import annotations

import os
from pathlib import Path

from caesar_core.clock import FakeClock
from caesar_core.engine.project import Project
from caesar_core.engine.tidy import tidy_state
from caesar_core.store.records import Record


def test_plans_of_tasks_that_are_over_go(tmp_path: Path) -> None:
    clock = FakeClock()
    project = Project(tmp_path, clock)
    layout = project.layout
    for task_id, status in (("t_on", "running"), ("t_over", "succeeded")):
        project.records.create(Record(id=task_id, agent="x", status=status))  # type: ignore[arg-type]
    layout.plans.mkdir(parents=True)
    for path in (layout.plan("t_on"), layout.end("t_over"), layout.plan("t_over")):
        path.write_text("{}")
    for name, age in (("t_new", 5.0), ("t_old", 4000.0)):
        layout.plan(name).write_text("{}")
        moment = clock.now().timestamp() - age
        os.utime(layout.plan(name), (moment, moment))

    tidy_state(project, project.records.scan().records)

    assert {path.name for path in layout.plans.iterdir()} == {"t_on.json", "t_new.json"}


def test_a_task_that_is_over_leaves_no_lock(tmp_path: Path) -> None:
    project = Project(tmp_path, FakeClock())
    project.records.create(Record(id="t_1", agent="x"))

    project.records.update("t_1", phase="agent")
    assert project.layout.record_lock("t_1").exists()
    project.records.update("t_1", status="failed")
    project.records.update("t_1", applied_at="now")

    assert not project.layout.record_lock("t_1").exists()
