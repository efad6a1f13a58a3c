"""What a CI format needs to know of a finished task, taken from the JSON of `show`."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caesar_core.clock import parse_iso

SEVERITIES: Final = ("info", "low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a report.

    Attributes:
        file: as seen from the top of the repository; absolute when it lies outside of it.
        line: from 1.
    """

    severity: str
    title: str
    detail: str = ""
    file: str | None = None
    line: int | None = None

    @property
    def text(self) -> str:
        """Title and detail in one."""
        return f"{self.title}: {self.detail}" if self.detail else self.title


@dataclass(frozen=True, slots=True)
class CheckFact:
    """One check and what came of it; `exit_code` is `None` when it did not end by itself."""

    command: str
    passed: bool
    exit_code: int | None = None
    duration_ms: int = 0
    output: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """What people call it."""
        return self.name or self.command

    @property
    def ended(self) -> str:
        """How it ended, in words."""
        if self.passed:
            return "passed"
        return "did not finish" if self.exit_code is None else f"exited with {self.exit_code}"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed file; insertions and deletions are `None` where lines are not counted."""

    path: str
    action: str
    insertions: int | None = None
    deletions: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """A task that is over. Texts are as the agent wrote them: each format makes them safe.

    Attributes:
        status: the process's end; report_status: the verdict of the report.
        contradicted: the report claims success and a check failed.
        duration_ms: from the start of the agent to the end.
        usage: what the stream said; values that nobody said are missing or `None`.
        unanswered: questions that nobody answered.
    """

    id: str
    agent: str
    objective: str
    status: str
    report_status: str | None = None
    reason: str | None = None
    contradicted: bool = False
    model: str | None = None
    base_ref: str | None = None
    branch: str | None = None
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int = 0
    summary: str = ""
    details: str = ""
    next_steps: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    checks: tuple[CheckFact, ...] = ()
    findings: tuple[Finding, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    usage: Mapping[str, Any] | None = None
    unanswered: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether process, report and checks all say that it is done."""
        well = self.status == "succeeded" and self.report_status == "success"
        return well and all(check.passed for check in self.checks)

    @property
    def verdict(self) -> str:
        """The outcome in a word or two."""
        if self.contradicted:
            return "contradicted"
        if self.status != "succeeded":
            return self.status.replace("_", " ")
        return self.report_status or "no report"


def facts_of(shown: Mapping[str, Any]) -> TaskFacts:
    """Return the facts that the JSON of `show` holds (docs/commands.md)."""
    record, task = _table(shown, "record"), _table(shown, "task")
    report = _table(shown, "report")
    prefix = _prefix(record)
    return TaskFacts(
        id=str(shown["task_id"]),
        agent=str(shown["agent"]),
        objective=str(task.get("objective") or record.get("objective") or ""),
        status=str(shown["status"]),
        report_status=shown.get("report_status"),
        reason=shown.get("reason"),
        contradicted=bool(shown.get("contradicted")),
        model=shown.get("model"),
        base_ref=record.get("base_ref"),
        branch=shown.get("branch"),
        started_at=str(record.get("started_at") or record.get("created_at") or ""),
        ended_at=str(record.get("ended_at") or ""),
        duration_ms=_between(record.get("started_at"), record.get("ended_at")),
        summary=str(report.get("summary") or ""),
        details=str(report.get("details") or ""),
        next_steps=tuple(map(str, _rows(report, "next_steps"))),
        criteria=tuple(map(str, _rows(task, "acceptance_criteria"))),
        checks=tuple(map(_check, _rows(shown, "checks"))),
        findings=tuple(_finding(row, prefix) for row in _rows(report, "findings")),
        files=tuple(map(_file, _rows(_table(shown, "diff"), "files"))),
        usage=shown.get("usage"),
        unanswered=tuple(
            str(row.get("question", ""))
            for row in _rows(shown, "questions")
            if row.get("state") != "answered"
        ),
    )


def _check(row: Mapping[str, Any]) -> CheckFact:
    return CheckFact(
        command=str(row.get("command", "")),
        passed=row.get("passed") is True,
        exit_code=row.get("exit_code"),
        duration_ms=int(row.get("duration_ms") or 0),
        output=str(row.get("output_tail") or ""),
        name=str(row.get("name") or ""),
    )


def _finding(row: Mapping[str, Any], prefix: str) -> Finding:
    file = row.get("file")
    severity = str(row.get("severity"))
    return Finding(
        severity=severity if severity in SEVERITIES else "info",
        title=str(row.get("title") or ""),
        detail=str(row.get("detail") or ""),
        file=_from_top(str(file), prefix) if file else None,
        line=row.get("line") or None,
    )


def _file(row: Mapping[str, Any]) -> ChangedFile:
    return ChangedFile(
        path=str(row.get("path", "")),
        action=str(row.get("action", "")),
        insertions=row.get("insertions"),
        deletions=row.get("deletions"),
        flags=tuple(map(str, _rows(row, "flags"))),
    )


def _prefix(record: Mapping[str, Any]) -> str:
    """Return where the workspace lies below the top of its repository; empty at the top."""
    top = record.get("worktree") or record.get("git_root")
    workspace = str(record.get("workspace") or "")
    if not top or not workspace.startswith(f"{top}/"):
        return ""
    return workspace[len(top) + 1 :]


def _from_top(file: str, prefix: str) -> str:
    """Return a report's path as seen from the top: CI services know nothing of workspaces."""
    if file.startswith("/"):
        return file
    return posixpath.normpath(posixpath.join(prefix, file))


def _between(start: object, end: object) -> int:
    began, ended = parse_iso(str(start)), parse_iso(str(end))
    if began is None or ended is None:
        return 0
    return max(0, round((ended - began).total_seconds() * 1000))


def _table(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def _rows(document: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = document.get(key)
    return value if isinstance(value, list | tuple) else ()
