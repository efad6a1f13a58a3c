"""Looking after a task while somebody waits for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, iso
from caesar_core.engine.adopt import Caretaker, is_orphan
from caesar_core.engine.project import Project
from caesar_core.errors import OperationError
from caesar_core.identity import ProcessRef, current
from caesar_core.process.spawn import SpawnError
from caesar_core.store.layout import Layout
from caesar_core.store.lease import Lease
from caesar_core.store.records import Record

GONE = ProcessRef(pid=2**22 + 1, started=1.0)
TASK = "t_1"


class CountingLauncher:
    """Counts the supervisors that it was asked for; none of them lives."""

    def __init__(self, *, fails: bool) -> None:
        self.launched = 0
        self._fails = fails

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        self.launched += 1
        if self._fails:
            raise SpawnError("No space left on device.")
        return GONE


def _look(
    root: Path,
    launcher: CountingLauncher,
    seconds: int,
    *,
    supervisor: ProcessRef | None = None,
    starter: ProcessRef | None = None,
) -> None:
    clock = FakeClock()
    project = Project(root, clock)
    project.records.create(
        Record(
            id=TASK,
            agent="shell",
            objective="x",
            status="running",
            created_at="",
            supervisor=supervisor,
            starter=starter,
        )
    )
    caretaker = Caretaker(project, TASK, launcher=launcher)
    for _ in range(seconds * 10):
        caretaker.look()
        clock.sleep(0.1)


def test_a_record_that_is_removed_meanwhile_is_no_mistake_of_the_caller(tmp_path: Path) -> None:
    caretaker = Caretaker(Project(tmp_path, FakeClock()), TASK)

    with pytest.raises(OperationError, match="was removed while the task ran") as caught:
        caretaker.look()

    assert caught.value.exit_code == 1


@pytest.mark.parametrize("fails", [True, False])
def test_waiting_ends_when_no_supervisor_can_take_over(tmp_path: Path, fails: bool) -> None:
    """G28: on a full disk nobody can even say that the task is over."""
    launcher = CountingLauncher(fails=fails)

    with pytest.raises(OperationError, match="no other one can take over"):
        _look(tmp_path, launcher, 20, supervisor=GONE)

    assert launcher.launched == 5


def test_a_supervisor_that_never_said_that_it_is_there_is_replaced(tmp_path: Path) -> None:
    launcher = CountingLauncher(fails=False)

    _look(tmp_path, launcher, 10, starter=current())
    assert launcher.launched == 0

    with pytest.raises(OperationError):
        _look(tmp_path / "later", launcher, 40, starter=current())


def test_a_living_supervisor_is_left_alone(tmp_path: Path) -> None:
    launcher = CountingLauncher(fails=False)

    _look(tmp_path, launcher, 30, supervisor=current())

    assert launcher.launched == 0


def test_a_task_whose_supervisor_never_came_is_nobodys_while_its_starter_lives(
    tmp_path: Path,
) -> None:
    """The server that delegated it runs for days; its task must not be pending as long."""
    clock = FakeClock()
    project = Project(tmp_path, clock)
    record = Record(id=TASK, agent="shell", created_at=iso(clock.now()), starter=current())

    assert not is_orphan(project, record)
    clock.advance(16.0)
    assert is_orphan(project, record)
    assert not is_orphan(project, replace(record, supervisor=current()))
    lease = Lease.acquire(project.layout.lease(TASK), "task t_1")
    assert not is_orphan(project, record)
    lease.release()


def test_x3_a_record_that_is_gone_is_waited_for_as_long_as_its_supervisor_lives(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, FakeClock())
    record = Record(id=TASK, agent="shell", status="running", supervisor=current())
    project.records.create(record)
    caretaker = Caretaker(project, TASK)
    assert caretaker.look() == record

    project.layout.record(TASK).unlink()
    assert caretaker.look() == record
    project.records.create(replace(record, supervisor=GONE))
    caretaker = Caretaker(project, TASK, launcher=CountingLauncher(fails=False))
    caretaker.look()
    project.layout.record(TASK).unlink()
    with pytest.raises(OperationError, match="was removed"):
        caretaker.look()
