"""Projects to measure on: many tasks with long streams, and a repository with many files."""

from __future__ import annotations

import json
from pathlib import Path

from caesar_core.clock import iso
from caesar_core.identity import current
from caesar_core.protocol.event import Event, EventBody, FileChanged, Message, Started, ToolUse
from caesar_core.protocol.wire import encode_event
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from tests.bench.measure import CLOCK, Bench


def empty_project(bench: Bench, name: str) -> Path:
    """Make a repository with one commit."""
    root = bench.folder / name
    root.mkdir()
    (root / "README").write_text("bench\n")
    for command in ("init -q -b main", "add -A", "commit -q -m first"):
        bench.run("git", *command.split(), cwd=root)
    return root


def running_project(bench: Bench, tasks: int, events: int) -> Path:
    """Make a project whose tasks all run under the supervision of this process."""
    root = empty_project(bench, f"running-{tasks}-{events}")
    layout = Layout(root)
    records = RecordStore(layout, CLOCK)
    for number in range(tasks):
        _write_task(layout, records, f"t_{number:08x}", events)
    return root


def past_project(bench: Bench, past: int, live: int) -> Path:
    """Make a project with `live` running tasks of 40 events and `past` ones that ended."""
    root = empty_project(bench, f"past-{past}-{live}")
    layout = Layout(root)
    layout.records.mkdir(parents=True)
    ended = iso(CLOCK.now())
    for number in range(past):
        record = Record(
            id=f"t_{number:08x}",
            agent="codex",
            objective="Fix the tokenizer",
            status="succeeded",
            report_status="success",
            created_at=ended,
            ended_at=ended,
        )
        # Not through the store, which would sync each of them.
        layout.record(record.id).write_text(json.dumps(record.to_json()))
        layout.task(record.id).dir.mkdir(parents=True)
        layout.task(record.id).events.write_bytes(b"".join(stream(record.id, 8)))
    records = RecordStore(layout, CLOCK)
    for number in range(past, past + live):
        _write_task(layout, records, f"t_{number:08x}", 40)
    return root


def large_repository(bench: Bench, files: int) -> Path:
    """Make a repository of `files` small files."""
    root = bench.folder / f"repository-{files}"
    for number in range(files):
        place = root / f"d{number % 300:03d}" / f"f{number:05d}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"file {number}\n" * 5)
    for command in ("init -q -b main", "add -A", "commit -q -m first"):
        bench.run("git", *command.split(), cwd=root)
    return root


def stream(task_id: str, events: int) -> list[bytes]:
    """Return the lines of a task's stream."""
    at = iso(CLOCK.now())
    return [
        encode_event(Event(seq=number, at=at, task_id=task_id, body=_body(number)))
        for number in range(events)
    ]


def _write_task(layout: Layout, records: RecordStore, task_id: str, events: int) -> None:
    files = layout.task(task_id)
    files.dir.mkdir(parents=True)
    files.events.write_bytes(b"".join(stream(task_id, events)))
    now = iso(CLOCK.now())
    records.create(
        Record(
            id=task_id,
            agent="codex",
            objective="Fix the tokenizer",
            status="running",
            phase="agent",
            created_at=now,
            started_at=now,
            supervisor=current(),
            agent_process=current(),
        )
    )


def _body(number: int) -> EventBody:
    if number == 0:
        return Started(agent="codex", command="codex exec")
    call = f"c{number // 4}"
    return (
        Message(text=f"Looking at part {number} of the tokenizer."),
        ToolUse(tool="shell", id=call, input_summary="rg 'empty input' src", status="started"),
        ToolUse(tool="shell", id=call, status="succeeded"),
        FileChanged(path=f"src/part{number % 40}.py"),
    )[number % 4]
