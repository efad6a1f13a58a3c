"""What has to be true of a project after a death and one command, in words where it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from caesar_core.protocol.event import Finished, Message, Started
from caesar_core.protocol.wire import decode_event
from caesar_core.store.races import load_race, race_ids
from caesar_core.store.records import Record
from tests.kill.world import LINES, MESSAGES, World, processes_of

_OF_A_TASK: Final = {
    *("task.json", "brief.md", "events.jsonl", "raw.log", "report.json", "report.agent.json"),
    *(
        "view.json",
        "checks",
        "setup.log",
        "supervisor.log",
        "report.schema.json",
        "cancel.json",
        "report.invalid.json",
        "report.channel.json",
    ),
}
_EMPTY: Final = ("plans", "slots", "worktrees-in-use", "workspace-writers")


def remains(world: World) -> list[str]:
    """Return what a death has left behind: processes, locks, leases, slots, files, branches."""
    return [
        *(f"process {ref.pid}" for ref in processes_of([r.id for r in world.records])),
        *_of_the_store(world),
        *_of_git(world),
        # Python itself tries out a folder for temporary files with a file of eight letters.
        *(f"temporary {p.name}" for p in (world.folder / "tmp").iterdir() if len(p.name) != 8),
    ]


def _of_the_store(world: World) -> Iterator[str]:
    state = world.layout.state
    for name in _EMPTY:
        if (state / name).is_dir():
            yield from (f"{name}/{path.name}" for path in (state / name).iterdir())
    for name in ("locks", "queue"):
        if (state / name).is_dir():
            yield from (f"{name}/{p.name}" for p in (state / name).iterdir() if p.name != ".lock")
    for path in world.layout.caesar.rglob("*.tmp"):
        yield f"half written {path.relative_to(world.layout.caesar)}"
    known = {record.id for record in world.records}
    yield from _of_races(world, known)
    if world.layout.tasks.is_dir():
        for folder in world.layout.tasks.iterdir():
            if folder.name not in known:
                yield f"task directory {folder.name} without record"
            odd = {path.name for path in folder.iterdir()} - _OF_A_TASK
            yield from (f"tasks/*/{name}" for name in sorted(odd))


def _of_races(world: World, known: set[str]) -> Iterator[str]:
    for race in (load_race(world.layout, race_id) for race_id in race_ids(world.layout)):
        if race is None or known.isdisjoint(race.task_ids):
            yield f"race {race}"


def _of_git(world: World) -> Iterator[str]:
    git = world.sandbox.git
    branches = set(git("branch", "--list", "--format=%(refname:short)", "caesar/*").split())
    yield from (f"branch {name}" for name in branches - {r.branch for r in world.records})
    places = git("worktree", "list", "--porcelain").splitlines()
    found = {line.removeprefix("worktree ") for line in places if line.startswith("worktree ")}
    named = {str(world.sandbox.root), *(r.worktree for r in world.records if r.worktree)}
    yield from (f"worktree {path}" for path in found - named)
    kept = {Path(path).name for path in named}
    for folder in (world.layout.caesar / "wt", world.layout.caesar / "wt" / ".checks"):
        if folder.is_dir():
            odd = {path.name for path in folder.iterdir()} - kept - {".checks", "checks"}
            yield from (f"{folder.name}/{name}" for name in odd)
    yield from (f"git lock {p.name}" for p in (world.sandbox.root / ".git").rglob("*.lock"))


def faults(world: World, record: Record, *, lost: bool = False) -> list[str]:
    """Return what is wrong with the result of the task.

    Args:
        lost: nobody may have seen the agent's exit code.
    """
    return [*_of_the_record(record, lost=lost), *_of_the_stream(world, record.id)]


def _of_the_record(record: Record, *, lost: bool) -> Iterator[str]:
    seen = (record.status, record.report_status, record.report_source, record.changes_verified_by)
    if seen != ("succeeded", "success", "file", "git"):
        yield f"ended as {seen}"
    if record.exit_code != 0 and not (lost and record.exit_code is None):
        yield f"exit code {record.exit_code}"
    if record.stat != {"files": 2, "insertions": 2, "deletions": 0}:
        yield f"stat {record.stat}"
    if [check["passed"] for check in record.checks or ()] != [True]:
        yield f"checks {record.checks}"


def _of_the_stream(world: World, task_id: str) -> Iterator[str]:
    files = world.layout.task(task_id)
    events = [decode_event(line) for line in files.events.read_bytes().splitlines()]
    if [event.seq for event in events] != list(range(events[0].seq, events[0].seq + len(events))):
        yield f"gap in the stream: {[event.seq for event in events]}"
    said = [event.body.text for event in events if isinstance(event.body, Message)]
    if tuple(said) != MESSAGES:
        yield f"messages {said}"
    for kind, least in ((Started, 1), (Finished, 1)):
        found = sum(isinstance(event.body, kind) for event in events)
        if found != least:
            yield f"{kind.__name__} {found} times"
    raw = files.raw_log.read_text()
    if raw != "".join(f"{line}\n" for line in LINES):
        yield f"raw.log {raw!r}"
    report = json.loads(files.report.read_bytes())
    if [change["path"] for change in report["changes"]] != ["a.txt", "new.txt"]:
        yield f"report lists {report['changes']}"
