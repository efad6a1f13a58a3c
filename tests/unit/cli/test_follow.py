"""The exit code of a foreground run that is interrupted."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from caesar_core.cli.follow import follow_to_end
from caesar_core.clock import FakeClock
from caesar_core.engine.service import Service
from caesar_core.store.layout import Layout
from caesar_core.store.records import Record, Status


@dataclass
class InterruptedService:
    """A service whose task ends, one way or another, right after the user pressed Ctrl-C."""

    layout: Layout
    status: Status
    number: int
    clock: FakeClock = field(default_factory=FakeClock)
    asked: bool = False

    def caretaker(self, _: str) -> InterruptedService:
        return self

    def look(self) -> Record:
        if self.asked:
            return Record(id="t_1", agent="x", status=self.status, report_status="success")
        os.kill(os.getpid(), self.number)
        return Record(id="t_1", agent="x", status="running")

    def request_cancel(self, _: str) -> None:
        self.asked = True

    def exit_code(self, _: str) -> int:
        return {"succeeded": 0, "failed": 1, "cancelled": 130}[self.status]

    def result(self, _: str) -> dict[str, Any]:
        return {"status": self.status}


@pytest.mark.parametrize(
    ("status", "number", "code"),
    [
        ("cancelled", signal.SIGINT, 130),
        ("cancelled", signal.SIGTERM, 143),
        ("succeeded", signal.SIGINT, 0),
        ("succeeded", signal.SIGTERM, 0),
        ("failed", signal.SIGINT, 1),
    ],
)
def test_what_was_over_before_it_could_be_cancelled_counts_as_it_ended(
    tmp_path: Path, status: Status, number: int, code: int
) -> None:
    service = InterruptedService(Layout(tmp_path), status, number)
    record = Record(id="t_1", agent="x", status="running")

    assert follow_to_end(cast("Service", service), record, as_json=True) == code
