"""SARIF 2.1.0: the findings of reports for whatever shows findings beside code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from caesar_core.ci.facts import SEVERITIES, Finding, TaskFacts
from caesar_core.clock import parse_iso
from caesar_core.text import clip, visible

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {
    "info": "note",
    "low": "note",
    "medium": "warning",
    "high": "error",
    "critical": "error",
}
# How GitHub sorts and filters what is not a compiler's warning: 0 to 10.
_SCORES: Final = {"info": "0.0", "low": "2.0", "medium": "5.0", "high": "8.0", "critical": "9.5"}
_MESSAGE: Final = 4_000
# Some services refuse a file in which a result has no place at all.
_NOWHERE: Final = "no file associated with this finding"


def sarif(tasks: Iterable[TaskFacts], version: str) -> str:
    """Return the findings of some tasks as SARIF, a run each; `version` is caesar's own."""
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_run(task, version) for task in tasks],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _run(task: TaskFacts, version: str) -> dict[str, Any]:
    used = [s for s in SEVERITIES if any(f.severity == s for f in task.findings)]
    driver = {"name": "caesar", "version": version, "rules": [_rule(name) for name in used]}
    return {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"caesar/{_safe(task.agent)}/{task.id}"},
        "invocations": [_invocation(task)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, used, task) for finding in task.findings],
        "properties": {"task_id": task.id, "agent": _safe(task.agent), "verdict": task.verdict},
    }


def _rule(severity: str) -> dict[str, Any]:
    return {
        "id": f"finding-{severity}",
        "name": f"Finding{severity.title()}",
        "shortDescription": {"text": f"A finding of {severity} severity"},
        "fullDescription": {
            "text": f"An agent, or caesar itself, reports something of {severity} severity."
        },
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"security-severity": _SCORES[severity], "tags": ["caesar", severity]},
    }


def _invocation(task: TaskFacts) -> dict[str, Any]:
    moments = {"startTimeUtc": task.started_at, "endTimeUtc": task.ended_at}
    known = {key: moment for key, moment in moments.items() if parse_iso(moment) is not None}
    return {"executionSuccessful": task.status == "succeeded", **known}


def _result(finding: Finding, used: list[str], task: TaskFacts) -> dict[str, Any]:
    return {
        "ruleId": f"finding-{finding.severity}",
        "ruleIndex": used.index(finding.severity),
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(finding)},
        "locations": [{"physicalLocation": _place(finding)}],
        "partialFingerprints": {"caesarFinding/v1": _fingerprint(finding, task)},
    }


def _place(finding: Finding) -> dict[str, Any]:
    if finding.file is None or _is_outside(finding.file):
        return {"artifactLocation": _uri(_NOWHERE), "region": {"startLine": 1}}
    return {
        "artifactLocation": _uri(_safe(finding.file)),
        "region": {"startLine": finding.line or 1},
    }


def _uri(file: str) -> dict[str, str]:
    return {"uri": quote(file), "uriBaseId": "%SRCROOT%"}


def _text(finding: Finding) -> str:
    """Return the finding's text; a place that no viewer of the checkout can open stands in it."""
    text = finding.text
    if finding.file is not None and _is_outside(finding.file):
        line = f":{finding.line}" if finding.line else ""
        text = f"{text} ({finding.file}{line})"
    return _safe(clip(text, _MESSAGE)) or "(no text)"


def _is_outside(file: str) -> bool:
    return file.startswith(("/", "../")) or file == ".."


def _fingerprint(finding: Finding, task: TaskFacts) -> str:
    """Return what stays the same when the same agent finds the same thing again."""
    same = "\0".join((task.agent, finding.severity, finding.title, finding.file or ""))
    return hashlib.sha256(same.encode("utf-8", "replace")).hexdigest()


def _safe(text: str) -> str:
    return visible(text, keep_newlines=True)
