"""What cannot be started or written down leaves neither a process nor a file behind."""

from __future__ import annotations

import errno
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caesar_core.clock import SystemClock
from caesar_core.engine import delegate
from caesar_core.engine.request import Request
from caesar_core.engine.run import Supervisor
from caesar_core.engine.service import Service
from caesar_core.identity import ProcessRef, current
from caesar_core.store.atomic import StoreError
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.integration.engine.conftest import Caesar, processes_of


class NoLauncher:
    """Leaves the task to the test."""

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        del layout, task_id
        return current()


@pytest.fixture
def own_signals() -> Iterator[None]:
    """Undo the handlers that a supervisor installs in its process."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# A supervisor ends here and leaves its child to init; the test's process goes on.
@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
@pytest.mark.usefixtures("own_signals")
def test_g28_an_agent_that_cannot_be_recorded_does_not_go_on(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(caesar.root, launcher=NoLauncher())
    record, _ = service.delegate(Request(objective="sleep 60", agent="shell"))
    update = RecordStore.update
    running: list[int] = []

    def fail_at_the_start(store: RecordStore, task_id: str, **changes: Any) -> Record:
        if changes.get("status") == "running":
            running.append(len(processes_of(task_id)))
            raise StoreError("No space left on device.")
        return update(store, task_id, **changes)

    monkeypatch.setattr(RecordStore, "update", fail_at_the_start)
    Supervisor(service.layout, record.id, SystemClock()).run()

    assert running[0] > 0
    assert processes_of(record.id) == []
    assert caesar.record(record.id).status == "failed"
    assert caesar.git("branch", "--list", "caesar/*") == ""


def test_g28_an_order_that_cannot_be_written_leaves_no_file(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(caesar.root, launcher=NoLauncher())

    def fail(*_: object) -> None:
        raise StoreError("No space left on device.")

    monkeypatch.setattr(delegate, "save_plan", fail)
    with pytest.raises(StoreError):
        service.delegate(Request(objective="true", agent="shell"))

    assert list(service.layout.tasks.iterdir()) == []
    assert service.project.records.list_ids() == []


def test_g28_a_read_only_project_is_refused_with_what_could_not_be_written(
    caesar: Caesar, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(caesar.root, launcher=NoLauncher())
    caesar.layout.caesar.mkdir()

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    with monkeypatch.context() as patched:
        for name in ("unlink", "rename", "hardlink_to"):
            patched.setattr(Path, name, refuse)
        with pytest.raises(StoreError, match="Cannot write") as caught:
            service.delegate(Request(objective="true", agent="shell"))
    assert "writable" in caught.value.hint
