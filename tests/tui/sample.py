"""A small project with a task in most states, and an engine that remembers what it was told."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

from caesar_core.agents.registry import builtin_agents
from caesar_core.board.race import CellView, ComparisonView, ForecastView, RaceView
from caesar_core.clock import iso
from caesar_core.engine.applying import ApplyResult, UndoResult
from caesar_core.engine.diffs import Diff
from caesar_core.engine.gc import GcEntry, GcResult
from caesar_core.engine.pick import Picked, Take
from caesar_core.engine.race import RaceOrder
from caesar_core.engine.request import Decision, Note, Request
from caesar_core.engine.resolve import Resolution
from caesar_core.errors import OperationError
from caesar_core.protocol import event as ev
from caesar_core.protocol.event import Event, EventBody
from caesar_core.protocol.wire import encode_event
from caesar_core.repo.changes import FileChange
from caesar_core.repo.merge import Conflict
from caesar_core.store.layout import Layout
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record
from caesar_tui.app import CaesarApp

NOW = datetime(2026, 11, 30, 21, 4, 11, tzinfo=UTC)
PATCH = rb"""diff --git a/src/parser.py b/src/parser.py
index 1111111..2222222 100644
--- a/src/parser.py
+++ b/src/parser.py
@@ -1,5 +1,8 @@ def tokenize(text: str) -> list[str]:
 import re
+import sys
-def tokenize(text):
-    return re.split(r"\s+", text)
+def tokenize(text: str) -> list[str]:
+    if not text:
+        return []
+    return re.split(r"\s+", text)
 def parse(text):
     tokens = tokenize(text)
@@ -40,3 +43,3 @@ def main():
     parse(read())
-    print("done")
+    print("all done")
     return 0
diff --git a/tests/test_parser.py b/tests/test_parser.py
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/tests/test_parser.py
@@ -0,0 +1,2 @@
+def test_empty_input():
+    assert tokenize("") == []
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
Binary files a/logo.png and b/logo.png differ
"""


def change(path: str, action: str, plus: int | None, minus: int | None, *flags: str) -> FileChange:
    """Return a changed file as the engine lists it."""
    return FileChange(
        path=path,
        path_bytes=path.encode(),
        action=action,  # type: ignore[arg-type]
        old_path=None,
        old_path_bytes=None,
        old_mode="100644",
        new_mode="100644",
        old_size=1,
        new_size=1,
        binary=plus is None,
        insertions=plus,
        deletions=minus,
        flags=flags,
    )


CHANGES = (
    change("src/parser.py", "modified", 6, 3),
    change("tests/test_parser.py", "created", 2, 0),
    change("logo.png", "modified", None, None, "binary"),
)


@dataclass(frozen=True, slots=True)
class FakeDiff(Diff):
    """A diff with a patch of our own."""

    content: bytes = b""

    def write_patch(self, out: BinaryIO, *, ignore_space: bool = False) -> None:
        out.write(b"" if ignore_space else self.content)


class FrozenClock:
    """A wall clock that stands still; real waiting is done by the event loop."""

    def __init__(self, now: datetime = NOW) -> None:
        self._now = now
        self._ticks = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        self._ticks += 0.25  # every look is due for a recheck sooner or later
        return self._ticks

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"the dashboard must not wait {seconds} s")

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._ticks += seconds


class FakeEngine:
    """Answers at once; `asked` holds every call."""

    max_parallel = 4

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.patch = PATCH
        self.conflicts: tuple[Conflict, ...] = ()
        self.failure: str | None = None
        self.shown: dict[str, Any] = SHOWN
        self.changes: tuple[FileChange, ...] = CHANGES
        self.merged: tuple[str, ...] = ("src/parser.py",)
        self.workspace = Path()
        self.tidies = True
        self.matrix: dict[str, dict[str, CellView]] = {}
        self.collides: tuple[Conflict, ...] = ()
        self.patches: dict[str, bytes] = {}
        self.ahead: tuple[ForecastView, ...] = ()
        self.looked_ahead: list[tuple[str, ...]] = []

    def diff(self, task: str, files: Sequence[str] = (), against: str | None = None) -> Diff:
        self._note("diff" if against is None else f"diff against {against}", task)
        patch = self.patches.get(task, self.patch)
        return FakeDiff(task, self.changes if patch else (), content=patch)

    def show(self, task: str) -> dict[str, Any]:
        self._note("show", task)
        return {"task_id": task, "status": "succeeded", **self.shown}

    def preflight(self, task: str) -> ApplyResult:
        self._note("preflight", task)
        return self._result(task, "would be applied, 1 merged with your edits")

    def apply(self, task: str) -> ApplyResult:
        self._note("apply", task)
        return self._result(task, "applied")

    def forecast(self, task_ids: Sequence[str]) -> tuple[ForecastView, ...]:
        self.looked_ahead.append(tuple(task_ids))
        return self.ahead

    def undo_preview(self) -> UndoResult:
        self._note("undo_preview", None)
        return UndoResult("t_11aa", undone=True, files=("src/a.py",), message="1 files of t_11aa")

    def undo(self, task: str | None = None) -> UndoResult:
        self._note("undo", task)
        return UndoResult(task, undone=True, files=("src/a.py",), message="1 file restored.")

    def request_cancel(self, task: str) -> None:
        self._note("cancel", task)

    def answer(self, task: str, question: str, text: str, by: str | None = None) -> object:
        self._note(f"answer {question} {text} ({by})", task)
        return None

    def compare(self, names: Sequence[str]) -> ComparisonView:
        self._note("compare", names[0])
        return ComparisonView(race=RaceView(id=names[0]), matrix=self.matrix)

    def pick(self, takes: Sequence[Take]) -> Picked:
        said = " ".join(f"{t.task}:{t.path}#{','.join(map(str, t.hunks))}" for t in takes)
        self._note(f"pick {said}", None)
        return Picked(None if self.collides else "t_comb", conflicts=self.collides)

    def plan(self, request: Request) -> Resolution:
        self._note("plan", None)
        agent = request.agent or "shell"
        decisions = (
            Decision("agent", agent, "asked for" if request.agent else "policy default"),
            Decision("network", value=True, reason="policy default"),
            Decision("deadline_ms", 600_000, "policy default"),
        )
        chosen = next(a for a in builtin_agents() if a.id == "shell")
        return Resolution(
            agent=chosen,
            role=None,
            mode="write",
            isolation="worktree",
            network=True,
            model=None,
            channel=False,
            deadline_ms=600_000,
            decisions=decisions,
            notes=(Note("low", "network", "it cannot be cut"),) if agent == "open" else (),
        )

    def delegate(self, request: Request) -> tuple[Record, Resolution]:
        self._note(f"delegate {request.agent} {request.objective}", None)
        return Record(id="t_7f3a", agent="shell"), self.plan(request)

    def start_race(self, order: RaceOrder) -> tuple[Any, list[Resolution]]:
        self._note(f"race {' '.join(order.agents)} {order.request.objective}", None)
        return SimpleNamespace(file=SimpleNamespace(task_ids=("t_88d1",))), []

    def retry_request(self, task: str, changes: dict[str, Any]) -> Request:
        self._note(f"retry {changes}", task)
        return Request("again")

    def record(self, task: str) -> Record:
        self._note("record", task)
        return Record(id=task, agent="codex", workspace=str(self.workspace))

    def collect(self, *, dry_run: bool = False, force: bool = False) -> GcResult:
        self._note(f"collect dry={dry_run}", None)
        entry = GcEntry(
            "t_old", "/wt", None, False, "would_remove" if dry_run else "removed", "clean"
        )
        return GcResult(dry_run, force, (entry,) if self.tidies else (), ())

    def _note(self, what: str, task: str | None) -> None:
        assert threading.current_thread() is not threading.main_thread(), "it would block"
        self.asked.append((what, task))
        if self.failure is not None:
            raise OperationError(self.failure)

    def _result(self, task: str, verb: str) -> ApplyResult:
        files = ("src/parser.py", "tests/test_parser.py")
        if self.conflicts:
            message = f"Nothing was written: {len(self.conflicts)} conflicts."
            return ApplyResult(task, applied=False, conflicts=self.conflicts, message=message)
        return ApplyResult(
            task,
            applied=True,
            files=files,
            merged_with_local=self.merged,
            message=f"2 files {verb}.",
        )


class Sample:
    """A project in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.layout = Layout(root)
        self.clock = FrozenClock()
        self.engine = FakeEngine()

    def app(self, theme: str = "dark", **options: Any) -> CaesarApp:
        return CaesarApp(
            self.layout, engine=lambda: self.engine, clock=self.clock, theme=theme, **options
        )

    def task(self, task_id: str, agent: str, *events: tuple[float, EventBody], **keys: Any) -> None:
        """Write a task; each event says how many seconds ago it happened."""
        started = keys.pop("started", 252)
        known: dict[str, Any] = {
            "status": "running",
            "role": "implementer",
            "isolation": "worktree",
            "created_at": ago(started + 1),
            "started_at": ago(started),
            "phase": "agent",
            **keys,
        }
        self.layout.task(task_id).dir.mkdir(parents=True, exist_ok=True)
        RecordStore(self.layout).create(Record(id=task_id, agent=agent, **known))
        self.say(task_id, *events)

    def say(self, task_id: str, *events: tuple[float, EventBody]) -> None:
        lines = (
            encode_event(Event(seq=seq, at=ago(seconds), task_id=task_id, body=body))
            for seq, (seconds, body) in enumerate(events)
        )
        with self.layout.task(task_id).events.open("ab") as file:
            file.write(b"".join(lines))

    def fill(self) -> Sample:
        """Write one task for most of the states."""
        self.task("t_7f3a", "codex", *_STREAM, objective="Guard the parser against empty input")
        self.task("t_88d1", "opencode", (48, ev.Message(text="Reading the adapters.")), started=90)
        self.task("t_91bc", "claude", (161, ev.Message(text="One question.")), started=300)
        question = "Should the old behaviour be kept?"
        self.ask("t_91bc", ev.Question(id="q1", question=question, options=("yes", "no")))
        self.task("t_a0a0", "copilot", phase="slot", status="pending", started_at=None)
        self.task("t_11aa", "codex", *_ENDED, **_done("partial", 3, 1), applied_at=ago(20))
        self.task(
            "t_4d20", "copilot", objective="Rename the flags", **_done("failed", 0, 0, "timed_out")
        )
        self.task("t_02ff", "codex", **_done("success", 12, 4), apply_conflicts=("src/a.py",))
        return self

    def ask(self, task_id: str, question: ev.Question) -> None:
        folder = self.layout.task(task_id).questions
        folder.mkdir()
        document = {
            "id": question.id,
            "question": question.question,
            "options": list(question.options),
            "asked_at": ago(161),
        }
        (folder / f"{question.id}.json").write_text(json.dumps(document))


SHOWN: dict[str, Any] = {
    "agent": "codex",
    "mode": "write",
    "isolation": "worktree",
    "workspace": "/src/parser/.caesar/wt/t_11aa",
    "branch": "caesar/implementer-guard-t_11aa",
    "report_source": "file",
    "changes_verified_by": "git",
    "report": {
        "status": "partial",
        "summary": "Two of **three** callers are moved.",
        "details": "## What is left\n\n- `main()` still splits by hand\n\n```\nmake test\n```",
        "changes": [{"path": "src/parser.py", "action": "modified", "summary": "the guard"}],
        "findings": [
            {"severity": "low", "title": "An unused import", "file": "src/a.py", "line": 3},
            {"severity": "high", "title": "No test for tabs", "detail": "Tabs are untested."},
        ],
        "questions": [{"question": "Move main() as well?"}],
        "next_steps": ["Move the third caller"],
        "artifacts": [{"path": "bench.txt", "description": "timings"}],
        "usage": {"input_tokens": 90000, "cost_usd": None},
    },
    "claims": {
        "commands": [
            {"command": "pnpm test", "claimed_exit_code": 0, "seen": True},
            {"command": "pnpm lint", "claimed_exit_code": 0, "seen": False},
        ],
        "changes": {"declared_only": ["src/b.py"], "observed_only": ["src/parser.py"]},
    },
    "checks": [{"name": "make test", "passed": True}],
    "task": {
        "objective": "Guard the parser against empty input",
        "context": "The parser is called with whole files.",
        "constraints": ["No new dependency"],
        "acceptance_criteria": ["pnpm test passes"],
        "deadline_ms": 600000,
        "depth": 1,
    },
    "record": {"base_ref": "1" * 40, "created_at": "2026-11-30T21:00:00.000Z"},
    "warnings": ["network: it cannot be cut for this agent"],
}


def ago(seconds: float) -> str:
    return iso(NOW - timedelta(seconds=seconds))


def _done(report: str, plus: int, minus: int, status: str = "succeeded") -> dict[str, Any]:
    return {
        "status": status,
        "report_status": report,
        "ended_at": ago(60),
        "phase": None,
        "outcome": "1" * 40,
        "stat": {"files": 2, "insertions": plus, "deletions": minus},
        "usage": {"input_tokens": 90_000, "output_tokens": 14_000, "cost_usd": 0.61},
    }


def _tool(call: str, status: str, summary: str = "") -> ev.ToolUse:
    return ev.ToolUse(tool="shell", id=call, input_summary=summary, status=status)  # type: ignore[arg-type]


_STREAM: tuple[tuple[float, EventBody], ...] = (
    (252, ev.Started(agent="codex", command="codex exec --json")),
    (240, ev.Thinking(text="The tokenizer splits before it looks.")),
    (40, _tool("c1", "started", 'rg "empty input"')),
    (38.8, _tool("c1", "succeeded")),
    (31, ev.Message(text="The guard belongs in tokenize(): parse() must not see an empty list.")),
    (27, ev.FileChanged(path="src/parser.py", action="modified")),
    (20, ev.Progress(message="2 of 3 steps", pct=66)),
    (13, _tool("c2", "started", "pnpm test")),
)
_ENDED: tuple[tuple[float, EventBody], ...] = (
    (252, ev.Started(agent="codex", command="codex exec --json")),
    (60, ev.Finished(status="partial", summary="Two of three callers are moved.")),
)
