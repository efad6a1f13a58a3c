"""Every reader of bytes that somebody else may have written, and a good document for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from caesar_core.agents.base import SilentTranslator
from caesar_core.clock import FakeClock
from caesar_core.config.read import read_config_file
from caesar_core.engine.before import Before, load_before
from caesar_core.engine.ending import EndFile, EndState, RunEnd
from caesar_core.engine.forecast import _Memory
from caesar_core.engine.json_file import JsonFile
from caesar_core.engine.plan import Plan, load_plan
from caesar_core.engine.spools import Spools
from caesar_core.engine.trust import _load as load_trust
from caesar_core.engine.trust import trust_file
from caesar_core.process.environment import Redactor
from caesar_core.protocol.report import Report
from caesar_core.protocol.task import Task
from caesar_core.repo.journal import read_journal
from caesar_core.store.atomic import read_bounded
from caesar_core.store.checkpoint import load_checkpoint
from caesar_core.store.journal import Journal
from caesar_core.store.layout import Layout
from caesar_core.store.mailbox import questions
from caesar_core.store.marker import read_marker
from caesar_core.store.pauses import load_pause
from caesar_core.store.races import load_race
from caesar_core.store.record_store import RecordStore
from caesar_core.watch.snapshot import task_view

LIMIT = 4 << 20
TIME = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True)
class Reader:
    """One reader.

    Attributes:
        place: the file it reads in the project at a root.
        read: returns something, or raises a CaesarError or FileNotFoundError.
        good: a document that it accepts.
    """

    name: str
    place: Callable[[Path], Path]
    read: Callable[[Path], object]
    good: bytes


def _bytes(document: object) -> bytes:
    return json.dumps(document).encode()


def _offsets(root: Path) -> object:
    files = Layout(root).task("t_1")
    journal = Journal(files, "t_1", FakeClock())
    return Spools(files, journal, SilentTranslator(), lambda: Redactor(()), lambda: None).pump()


def _view(root: Path) -> object:
    layout = Layout(root)
    record = RecordStore(layout).get("t_1")
    return None if record is None else task_view(layout, record, read_stream=True)


def _report(root: Path) -> object:
    return Report.from_bytes(read_bounded(Layout(root).task("t_1").report, LIMIT))


def _task(root: Path) -> object:
    return Task.from_bytes(read_bounded(Layout(root).task("t_1").task, LIMIT))


def _environment(root: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(root / "state")}


RECORD = {"id": "t_1", "agent": "x", "status": "running", "created_at": TIME, "task_dir": "/x"}
EVENT = {
    "protocol": "caesar.event/v1",
    "seq": 0,
    "at": TIME,
    "task_id": "t_1",
    "type": "message",
    "text": "hello",
}
READERS = (
    Reader(
        "record",
        lambda root: Layout(root).record("t_1"),
        lambda root: RecordStore(Layout(root)).get("t_1"),
        _bytes(RECORD),
    ),
    Reader(
        "records",
        lambda root: Layout(root).record("t_1"),
        lambda root: RecordStore(Layout(root)).scan(),
        _bytes(RECORD),
    ),
    Reader(
        "plan",
        lambda root: Layout(root).plan("t_1"),
        lambda root: load_plan(Layout(root).plan("t_1")),
        _bytes(asdict(Plan(argv=("x",), cwd="/", shown="x", deadline_ms=1))),
    ),
    Reader(
        "before",
        lambda root: Layout(root).before("t_1"),
        lambda root: load_before(Layout(root).before("t_1")),
        _bytes(asdict(Before("/x/.git", "/x/.git", "", {"/x": "1"}, {"a.b": "1"}, {}, {}))),
    ),
    Reader(
        "end",
        lambda root: Layout(root).end("t_1"),
        lambda root: EndFile(Layout(root).end("t_1")).load(),
        _bytes(asdict(EndState(RunEnd("succeeded", "done")))),
    ),
    Reader(
        "offsets",
        lambda root: Layout(root).task("t_1").spool_offsets,
        _offsets,
        _bytes({"stdout": 0, "stderr": 0, "raw": 0, "events": 0}),
    ),
    Reader(
        "checkpoint",
        lambda root: Layout(root).task("t_1").checkpoint,
        lambda root: load_checkpoint(Layout(root).task("t_1")),
        _bytes({"offset": 0, "view": {}}),
    ),
    Reader("view", lambda root: Layout(root).task("t_1").checkpoint, _view, _bytes({"offset": 5})),
    Reader("stream", lambda root: Layout(root).task("t_1").events, _view, _bytes(EVENT) + b"\n"),
    Reader(
        "report",
        lambda root: Layout(root).task("t_1").report,
        _report,
        _bytes({"protocol": "caesar.report/v1", "status": "success", "summary": "x"}),
    ),
    Reader(
        "task",
        lambda root: Layout(root).task("t_1").task,
        _task,
        _bytes(
            {
                "protocol": "caesar.task/v1",
                "id": "t_1",
                "agent": "x",
                "objective": "x",
                "created_at": TIME,
                "workspace": "/x",
                "isolation": "inplace",
                "mode": "write",
                "deadline_ms": 1,
                "report_path": "/x",
                "events_path": "/x",
            }
        ),
    ),
    Reader(
        "question",
        lambda root: Layout(root).task("t_1").question("q_1"),
        lambda root: questions(Layout(root).task("t_1")),
        _bytes({"id": "q_1", "question": "Which?", "options": ["a"], "asked_at": TIME}),
    ),
    Reader(
        "answer",
        lambda root: Layout(root).task("t_1").answer("q_1"),
        lambda root: questions(Layout(root).task("t_1")),
        _bytes({"id": "q_1", "answer": "a", "answered_at": TIME}),
    ),
    Reader(
        "race",
        lambda root: Layout(root).race("r_1"),
        lambda root: load_race(Layout(root), "r_1"),
        _bytes(
            {
                "id": "r_1",
                "base_ref": "x",
                "created_at": TIME,
                "task_ids": ["t_1"],
                "objective": "x",
                "stop_when": "never",
            }
        ),
    ),
    Reader(
        "pause",
        lambda root: Layout(root).pause("codex"),
        lambda root: load_pause(Layout(root), "codex"),
        _bytes({"agent": "codex", "reason": "quota", "since": TIME, "until": TIME}),
    ),
    Reader(
        "marker",
        lambda root: Layout(root).slots / "0.json",
        lambda root: read_marker(Layout(root).slots / "0.json"),
        _bytes({"pid": 1, "token": "x", "host": "h", "started": 1.0, "agentLimit": 1}),
    ),
    Reader(
        "forecast",
        lambda root: Layout(root).forecast,
        lambda root: _Memory(Layout(root).forecast),
        _bytes({"a:b": [["f.txt", "content"]]}),
    ),
    Reader(
        "undo",
        lambda root: root / "applied" / "journal.json",
        lambda root: read_journal(root / "applied"),
        _bytes({"version": 1, "root": "/x", "stage": "done", "entries": []}),
    ),
    Reader(
        "trust",
        lambda root: trust_file(_environment(root)),
        lambda root: load_trust(_environment(root)),
        _bytes({"/x": {"project.agent.x": "00"}}),
    ),
    Reader(
        "client",
        lambda root: root / "client.json",
        lambda root: JsonFile.load(root / "client.json").table("mcpServers"),
        _bytes({"mcpServers": {"other": {"command": "x"}}}),
    ),
    Reader(
        "configuration",
        lambda root: Layout(root).config,
        lambda root: read_config_file(Layout(root).config),
        b'[policy]\nmax_parallel = 2\n[[agent]]\nid = "x"\nbin = "x"\nprompt = "none"\n',
    ),
)
