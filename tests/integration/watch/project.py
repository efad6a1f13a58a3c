"""A project on disk, written the way supervisors write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caesar_core.clock import Clock, FakeClock, iso
from caesar_core.protocol.event import Event, EventBody, Message
from caesar_core.protocol.wire import encode_event
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record


@dataclass
class Project:
    root: Path
    clock: Clock = field(default_factory=FakeClock)

    @property
    def layout(self) -> Layout:
        return Layout(self.root)

    @property
    def records(self) -> RecordStore:
        return RecordStore(self.layout)

    def add(self, task_id: str, status: str = "running", **keys: Any) -> None:
        now = iso(self.clock.now())
        known: dict[str, Any] = {"created_at": now, "started_at": now, **keys}
        self.layout.task(task_id).dir.mkdir(parents=True, exist_ok=True)
        self.records.create(Record(id=task_id, agent="codex", status=status, **known))  # type: ignore[arg-type]

    def event(self, body: EventBody, seq: int = 0) -> bytes:
        return encode_event(Event(seq=seq, at=iso(self.clock.now()), task_id="t_1", body=body))

    def say(self, task_id: str, *texts: str) -> None:
        lines = (self.event(Message(text=text), seq) for seq, text in enumerate(texts))
        self.append(task_id, b"".join(lines))

    def append(self, task_id: str, data: bytes) -> None:
        with self.layout.task(task_id).events.open("ab") as file:
            file.write(data)
