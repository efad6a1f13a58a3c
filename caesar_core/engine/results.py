"""What a task came to, as the JSON of `run` and `show`, and as an exit code."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from caesar_core.engine.checks import is_contradicted
from caesar_core.engine.diffs import Diff, diff
from caesar_core.engine.outcomes import Located
from caesar_core.engine.project import Project
from caesar_core.errors import (
    EXIT_BLOCKED,
    EXIT_CANCELLED,
    EXIT_FAILED,
    EXIT_OK,
    EXIT_TIMED_OUT,
    CaesarError,
)
from caesar_core.repo.changes import FileChange
from caesar_core.repo.merge import Conflict
from caesar_core.store.atomic import StoreError, read_json
from caesar_core.store.mailbox import questions
from caesar_core.store.records import Record
from caesar_core.text import one_line
from caesar_core.watch.reader import StreamReader

_LIMIT = 64 << 20


def conflict_json(conflict: Conflict) -> dict[str, Any]:
    """Return a conflict as JSON (docs/commands.md, `apply`)."""
    places = [
        {"line": place.line, "yours": list(place.yours), "theirs": list(place.theirs)}
        for place in conflict.places
    ]
    return {"path": conflict.path, "reason": conflict.reason, "places": places}


def exit_code_of(record: Record) -> int:
    """Return the exit code that a finished task means (docs/commands.md)."""
    if record.status == "cancelled":
        return EXIT_CANCELLED
    if record.status == "timed_out":
        return EXIT_TIMED_OUT
    if record.report_status == "blocked":
        return EXIT_BLOCKED
    succeeded = record.status == "succeeded" and record.report_status == "success"
    return EXIT_OK if succeeded and not record.failed_checks else EXIT_FAILED


def load_report(project: Project, task_id: str) -> dict[str, Any] | None:
    """Return the reconciled report, `None` when there is none that can be read."""
    from caesar_core.protocol.report import Report

    document = _load(project.layout.task(task_id).report)
    if document is None:
        return None
    try:
        Report.from_json(document)
    except CaesarError:  # damaged since: whoever shows it counts on its shape
        return None
    return document


def compact_report(project: Project, task_id: str) -> dict[str, Any] | None:
    """Return what a main agent is given of a report, `None` when there is none."""
    record, document = project.records.get(task_id), load_report(project, task_id)
    if record is None or document is None:
        return None
    lists = {name: document.get(name) or [] for name in ("findings", "questions", "next_steps")}
    return {
        "status": document["status"],
        "summary": document["summary"],
        "changes": document.get("changes") or [],
        "changes_verified_by": record.changes_verified_by,
        **lists,
    }


def run_result(project: Project, located: Located) -> dict[str, Any]:
    """Return the result of a task (docs/commands.md, `run`)."""
    record = located.record
    report = None if record.is_active else load_report(project, record.id)
    result = {
        "task_id": record.id,
        "status": record.status,
        "exit_code": record.exit_code,
        "signal": record.signal,
        "reason": record.reason,
        "agent": record.agent,
        "role": record.role,
        "mode": record.mode,
        "isolation": record.isolation,
        "network": record.network,
        "model": record.model,
        "workspace": record.workspace,
        "branch": record.branch,
        "report_status": record.report_status,
        "report": report,
        "report_source": record.report_source,
        "changes_verified_by": record.changes_verified_by,
        "checks": [dict(check) for check in record.checks or ()],
        "contradicted": is_contradicted(record),
        "usage": record.usage,
        "warnings": list(record.warnings),
    }
    return {**result, "diff": _diff_json(located, report)}


def show_result(project: Project, located: Located) -> dict[str, Any]:
    """Return everything about a task (docs/commands.md, `show`)."""
    record = located.record
    files = project.layout.task(record.id)
    result = run_result(project, located)
    return {
        **result,
        "task": _load(files.task),
        "record": record.to_json(),
        "questions": [
            {
                "id": state.file.id,
                "question": state.file.question,
                "options": list(state.file.options),
                "asked_at": state.file.asked_at,
                "closes_at": state.file.closes_at,
                "state": state.state,
            }
            for state in questions(files)
        ],
        "claims": _claims(project, record, result["report"]),
    }


def _diff_json(located: Located, report: dict[str, Any] | None) -> dict[str, Any]:
    try:
        files = _files(diff(located, look_for_edits=False), report)
    except CaesarError:
        files = []
    return {"files": files, "is_empty": not files}


def changed_files(project: Project, found: Diff) -> list[dict[str, Any]]:
    """Return the files of a diff, with the words of the task's report."""
    return _files(found, load_report(project, found.task_id))


def file_json(change: FileChange, path: str, summary: str = "") -> dict[str, Any]:
    """Return a changed file as JSON; names that are not UTF-8 come with their exact bytes."""
    document: dict[str, Any] = {
        "path": path,
        "action": change.action,
        "summary": summary or (f"renamed from {change.old_path}" if change.old_path else ""),
        "insertions": change.insertions,
        "deletions": change.deletions,
        "binary": change.binary,
        "flags": list(change.flags),
    }
    if change.old_path:
        document["old_path"] = change.old_path
    if change.path.encode("utf-8", "replace") != change.path_bytes:
        document["path_base64"] = base64.b64encode(change.path_bytes).decode("ascii")
    return document


def _files(found: Diff, report: dict[str, Any] | None) -> list[dict[str, Any]]:
    words = {c["path"]: c.get("summary", "") for c in (report or {}).get("changes", ())}
    shown = ((change, found.shown_path(change)) for change in found.files)
    return [file_json(change, path, words.get(path, "")) for change, path in shown]


def _claims(project: Project, record: Record, report: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the report claims beside what was seen."""
    files = project.layout.task(record.id)
    said = _load(files.agent_report) or {}
    seen = _commands_seen(StreamReader(project.layout, record.id))
    commands = [
        {
            "command": claim.get("command"),
            "claimed_exit_code": claim.get("exit_code"),
            **_seen(_summary(claim.get("command")), seen),
        }
        for claim in (report or {}).get("commands_run", ())
    ]
    declared = {str(change.get("path")).removeprefix("./") for change in said.get("changes") or ()}
    observed = {change["path"] for change in (report or {}).get("changes", ())}
    if record.changes_verified_by != "git":
        observed = declared
    return {
        "commands": commands,
        "changes": {
            "declared_only": sorted(declared - observed),
            "observed_only": sorted(observed - declared),
        },
    }


def _commands_seen(reader: StreamReader) -> dict[str, str | None]:
    """Return the calls of the stream by what they show, with how each last one ended."""
    seen: dict[str, str | None] = {}
    shown: dict[str, str] = {}
    for line in reader.new_lines():
        if b'"tool_use"' in line:
            with suppress(ValueError, KeyError, TypeError):
                call = json.loads(line)
                name = str(call.get("id") or "")
                summary = _summary(call["input_summary"]) or shown.get(name, "")
                shown[name] = summary
                ended = call["status"] if call["status"] != "started" else None
                seen[summary] = ended or seen.get(summary)
    return seen


def _seen(command: str, calls: Mapping[str, str | None]) -> dict[str, Any]:
    """Return whether a claimed command was seen, and how it ended there, where that is known."""
    ends = [end for summary, end in calls.items() if command in summary]
    last = next((end for end in reversed(ends) if end), None)
    return {"seen": bool(ends)} if last is None else {"seen": True, "seen_status": last}


def _summary(command: object) -> str:
    """Return a command as streams show it: one line, cut at the same length."""
    return one_line(str(command)).removesuffix("…")


def _load(path: Any) -> dict[str, Any] | None:
    try:
        document = read_json(path, _LIMIT)
    except (FileNotFoundError, StoreError):
        return None
    return document if isinstance(document, dict) else None
