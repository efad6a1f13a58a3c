"""What the phases of one task's supervision share: its files, record, plan and journal."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock
from caesar_core.engine.before import Before, load_before
from caesar_core.engine.channel import with_own_command
from caesar_core.engine.checkpoints import Checkpointer
from caesar_core.engine.plan import Plan
from caesar_core.engine.restore import restore
from caesar_core.errors import NotFoundError
from caesar_core.process.environment import (
    EnvironmentRules,
    Redactor,
    agent_environment,
    redactor,
)
from caesar_core.protocol.event import EventBody, Progress
from caesar_core.protocol.versions import PROTOCOL_VERSION
from caesar_core.repo.discover import Repository, find_repository
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.journal import Journal
from caesar_core.store.layout import Layout, TaskFiles
from caesar_core.store.record_store import RecordStore
from caesar_core.store.records import Record

_MOST_FINDINGS: Final = 4 << 20
_PAUSES: Final = (0.0, 0.05, 0.2)


@dataclass(slots=True)
class TaskRun:
    """One task in the hands of its supervisor.

    Attributes:
        cancelled: whether somebody asked for its end.
        stack: what is given back when this supervisor is done.
        before: the user's work tree and git just before the agent started.
        order: `task.json` as it was found.
        findings: what the engine has to add to the report, as (severity, title, detail, file).
    """

    layout: Layout
    clock: Clock
    records: RecordStore
    record: Record
    plan: Plan
    cancelled: Callable[[], bool]
    stack: ExitStack = field(default_factory=ExitStack)
    findings: list[tuple[str, str, str, str | None]] = field(default_factory=list)
    before: Before | None = None
    order: bytes = b""
    _journal: Journal | None = None
    _checkpointer: Checkpointer | None = None
    _redactor: Redactor | None = None
    _repository: Repository | None = None
    _looked: bool = False

    @property
    def id(self) -> str:
        """The task's id."""
        return self.record.id

    @property
    def files(self) -> TaskFiles:
        """The task's files."""
        return self.layout.task(self.id)

    @property
    def journal(self) -> Journal:
        """The task's event stream."""
        if self._journal is None:
            self._journal = Journal(self.files, self.id, self.clock)
        return self._journal

    @property
    def checkpointer(self) -> Checkpointer:
        """What folds the stream and keeps the view."""
        if self._checkpointer is None:
            self._checkpointer = Checkpointer(self.files, self.clock)
        return self._checkpointer

    @property
    def repository(self) -> Repository | None:
        """The repository as seen from the project's root; looked for once."""
        if not self._looked:
            self.look_again()
        return self._repository

    def look_again(self) -> None:
        """Look for the repository anew: an agent may have removed it, or made one."""
        self._repository, self._looked = find_repository(self.layout.root), True

    @property
    def worktree(self) -> Path | None:
        """The top of the worktree, once there is one."""
        return Path(self.record.worktree) if self.record.worktree else None

    def environment(self) -> dict[str, str]:
        """Return the environment of everything that is started for the task (specification)."""
        files = self.files
        caesar = {
            "CAESAR_TASK_DIR": str(files.dir),
            "CAESAR_TASK_FILE": str(files.task),
            "CAESAR_REPORT_PATH": str(files.report),
            "CAESAR_EVENTS_PATH": str(files.events),
            "CAESAR_TASK_ID": self.id,
            "CAESAR_AGENT": self.record.agent,
            "CAESAR_DEPTH": str(self.record.depth),
            "CAESAR_PROTOCOL_VERSION": PROTOCOL_VERSION,
        }
        plan = self.plan
        rules = EnvironmentRules(deny=plan.deny, allow=plan.passed, set=plan.assigned)
        environment = agent_environment(os.environ, caesar, rules)
        environment["PATH"] = with_own_command(environment.get("PATH", os.defpath))
        return environment

    def new_redactor(self) -> Redactor:
        """Return what keeps the secrets of that environment out of what we write."""
        return redactor(self.environment()) if self.plan.redact else Redactor(())

    def update(self, **changes: Any) -> None:
        """Change the record; one that was removed or damaged meanwhile is written again."""
        for pause in (*_PAUSES, None):
            try:
                self.record = self.records.update(self.id, **changes)
            except (NotFoundError, StoreError):
                if pause is None:
                    raise
                self.clock.sleep(pause)  # whatever removes it may still be at it
                restore(self)
            else:
                return

    def clean(self, text: str) -> str:
        """Return a text of ours without the secrets of that environment."""
        if self._redactor is None:
            self._redactor = self.new_redactor()
        return self._redactor.redact_text(text)

    def say(self, *bodies: EventBody) -> None:
        """Append events."""
        self.journal.append_many([self._cleaned(body) for body in bodies])

    def _cleaned(self, body: EventBody) -> EventBody:
        texts: dict[str, Any] = {
            spec.name: self.clean(value)
            for spec in fields(body)
            if isinstance(value := getattr(body, spec.name), str)
        }
        return replace(body, **texts)

    def progress(self, message: str, pct: float | None = None) -> None:
        """Tell how far the preparation is."""
        self.say(Progress(message=message, pct=pct))

    def find(self, severity: str, title: str, detail: str = "", file: str | None = None) -> None:
        """Add a finding to the report to come."""
        self.findings.append((severity, title, self.clean(detail), file))
        with suppress(StoreError):
            path, data = self.layout.findings(self.id), json.dumps(self.findings)
            write_atomic(path, data.encode("ascii"), durable=False)

    def recall(self) -> None:
        """Take over what a supervisor before us saw and had to add to the report."""
        self.before = load_before(self.layout.before(self.id))
        with suppress(FileNotFoundError, StoreError, ValueError, TypeError):
            kept = json.loads(read_bounded(self.layout.findings(self.id), _MOST_FINDINGS))
            for severity, title, detail, file in kept:
                self.findings.append((str(severity), str(title), str(detail), file))

    def forget_findings(self) -> None:
        """Drop them all: the task starts over."""
        self.findings.clear()
        self.layout.findings(self.id).unlink(missing_ok=True)
