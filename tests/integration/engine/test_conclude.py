"""R3: the end of a task, killed at each of its steps in turn, is the end it would have had."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from caesar_core.engine import run as engine_run
from caesar_core.engine.capped import CappedLog
from caesar_core.engine.project import Project
from caesar_core.engine.tidy import tidy_state
from caesar_core.process import supervise as process_supervise
from caesar_core.protocol.wire import decode_event
from caesar_core.store.journal import Journal
from caesar_core.store.records import Record
from tests.fakes.sandbox import Sandbox
from tests.integration.engine.killing import KilledError, begin, let_go, record_of, supervise

OWN = '{"protocol": "caesar.report/v1", "status": "success", "summary": "own words"}\n'
HANDED_IN = f"cat > $CAESAR_REPORT_PATH <<'END'\n{OWN}END"
MOST_KILLS = 60


@dataclass
class Death:
    """Kills before the n-th thing that is written down once the agent has ended."""

    monkeypatch: pytest.MonkeyPatch
    armed: bool = False
    steps: int = 0
    at: int = 0
    seen: list[str] = field(default_factory=list)

    def interpose(self) -> None:
        for owner, name in (
            (Path, "rename"),
            (Path, "unlink"),
            (Journal, "append_many"),
            (CappedLog, "_append"),
        ):
            self.monkeypatch.setattr(owner, name, self._counted(name, getattr(owner, name)))
        real = process_supervise.watch_child

        def watch(*args: Any, **kwargs: Any) -> Any:
            ending = real(*args, **kwargs)
            # How the agent ended is known to this process alone until the first step is done.
            self.armed, self.steps = True, -1
            return ending

        self.monkeypatch.setattr(engine_run, "watch_child", watch)

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(first: Any, *args: Any, **kwargs: Any) -> Any:
            hidden = name == "unlink" and str(first).endswith(".tmp")
            if self.armed and not hidden:
                self.steps += 1
                if self.steps > self.at:
                    raise KilledError(f"{name} {first} {args}")
            return real(first, *args, **kwargs)

        return step


@pytest.fixture
def death(monkeypatch: pytest.MonkeyPatch) -> Death:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    return Death(monkeypatch)


def _killed_again_and_again(project: Project, task_id: str, death: Death) -> Record:
    death.interpose()
    for attempt in range(MOST_KILLS):
        death.at, death.steps = attempt, 0
        where = supervise(project, task_id)
        if not where:
            break
        death.seen.append(where)
        armed, death.armed = death.armed, False
        let_go(project, task_id)
        death.armed = armed
    death.armed = False
    return record_of(project, task_id)


@pytest.mark.parametrize(
    ("script", "timeout", "status", "code", "source", "said"),
    [
        ("true", "1m", "succeeded", 0, "synthesized", "partial"),
        (HANDED_IN, "1m", "succeeded", 0, "file", "success"),
        (f"{HANDED_IN}\nexit 7", "1m", "failed", 7, "file", "success"),
        ("exit 7", "1m", "failed", 7, "synthesized", "failed"),
        (f"{HANDED_IN}\nexec sleep 60", "700ms", "timed_out", None, "file", "success"),
        (
            "echo > $CAESAR_TASK_DIR/cancel.json\nexec sleep 60",
            "1m",
            "cancelled",
            None,
            "synthesized",
            "failed",
        ),
        (
            "printf '{\"protocol\"' > $CAESAR_REPORT_PATH",
            "1m",
            "succeeded",
            0,
            "synthesized",
            "partial",
        ),
    ],
    ids=["no-report", "report", "exit-7-report", "exit-7", "timeout", "cancel", "invalid"],
)
def test_r3_killed_at_each_step_of_its_end_a_task_ends_as_it_would_have(
    tmp_path: Path,
    death: Death,
    script: str,
    timeout: str,
    status: str,
    code: int | None,
    source: str,
    said: str,
) -> None:
    sandbox = Sandbox.make(tmp_path / "project", {"a.txt": "one\n"})
    project, task_id = begin(sandbox, f"printf 'worked '; echo x > x.txt\n{script}", timeout)

    record = _killed_again_and_again(project, task_id, death)

    files = project.layout.task(task_id)
    assert len(death.seen) > 8, death.seen
    assert (record.status, record.exit_code) == (status, code)
    assert record.report_source == source
    assert record.report_status == said
    kinds = [decode_event(line).body for line in files.events.read_bytes().splitlines()]
    assert [body.kind for body in kinds].count("finished") == 1
    assert [body.kind for body in kinds].count("error") == (status != "succeeded")
    if source == "file":
        assert files.agent_report.read_text() == OWN
    else:
        assert not files.agent_report.exists()
    assert files.invalid_report.exists() is ("printf" in script)
    report = json.loads(files.report.read_bytes())
    assert [change["path"] for change in report["changes"]] == ["x.txt"]
    assert files.raw_log.read_bytes().count(b"worked ") == 1
    assert list(project.layout.plans.iterdir()) == []
    tidy_state(project, (record,))  # the last kill came just before this
    assert not files.stdout.exists()
    assert list(project.layout.record_lock(task_id).parent.iterdir()) == []
    branches = sandbox.git("branch", "--list", "caesar/*").split()
    assert record.branch in branches


def test_r3_killed_at_each_step_of_its_checks_each_of_them_counts_once(
    tmp_path: Path, death: Death
) -> None:
    sandbox = Sandbox.make(tmp_path / "repo", {"a.txt": "one\n"})
    counted = f"echo x >> {tmp_path}/ran"
    checks = (f"{counted}; true", f"{counted}; grep -q two a.txt", "exit 3")
    project, task_id = begin(sandbox, f"echo two >> a.txt\n{HANDED_IN}", checks=checks)

    record = _killed_again_and_again(project, task_id, death)

    assert [check["exit_code"] for check in record.checks or ()] == [0, 0, 3]
    assert (record.status, record.report_status) == ("succeeded", "success")
    assert len(death.seen) > 8
    report = json.loads(project.layout.task(task_id).report.read_bytes())
    assert [f["title"] for f in report["findings"]].count("A check failed: exit 3") == 1
    assert len(sandbox.git("worktree", "list").splitlines()) == 2
