from __future__ import annotations

from pathlib import Path

from caesar_core.engine.after_death import tidy_remains
from caesar_core.engine.project import Project
from caesar_core.ids import new_task_id
from caesar_core.store.lock import claimed


def test_r3_what_a_living_process_claimed_stays_and_what_a_dead_one_claimed_goes(
    tmp_path: Path,
) -> None:
    project, task_id = Project(tmp_path), new_task_id()
    lock, folder = project.layout.supervisor_lock(task_id), project.layout.task(task_id).dir
    folder.mkdir(parents=True)

    with claimed(lock, clock=project.clock):
        tidy_remains(project)
        assert folder.is_dir()
    lock.touch()  # as a killed process leaves it
    tidy_remains(project)

    assert not folder.exists()
    assert not lock.exists()
