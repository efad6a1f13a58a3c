"""What findings and failed checks look like beside the code, in the words of a CI service.

On GitHub a line of output that begins with `::` is a command to the runner; texts of agents must
never become one. On GitLab it is a file, the code quality report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

from caesar_core.ci.facts import SEVERITIES, Finding, TaskFacts
from caesar_core.ci.workflow import without_commands
from caesar_core.text import clip, one_line, visible

Service: TypeAlias = Literal["github", "gitlab", "none"]
QUALITY_REPORT: Final = "gl-code-quality-report.json"
_COMMANDS: Final = {
    "info": "notice",
    "low": "notice",
    "medium": "warning",
    "high": "error",
    "critical": "error",
}
_GITLAB: Final = {
    "info": "info",
    "low": "minor",
    "medium": "major",
    "high": "critical",
    "critical": "blocker",
}
_LONGEST: Final = 2_000
# GitHub shows ten of each kind for a step; more only bury the log.
_MOST: Final = 30


def service_of(environment: Mapping[str, str]) -> Service:
    """Return the service that runs us, by its variables."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "gitlab" if environment.get("GITLAB_CI") == "true" else "none"


def github_lines(tasks: Iterable[TaskFacts]) -> Iterator[str]:
    """Yield workflow commands, the worst first: verdicts, failed checks, findings."""
    for task in tasks:
        if not task.is_done:
            title = f"caesar {task.agent}: {task.verdict}"
            yield _command("error", one_line(task.summary) or task.verdict, title=title)
        for check in task.checks:
            if not check.passed:
                text = f"{check.command} {check.ended}\n{clip(check.output, _LONGEST)}"
                yield _command("error", text, title=f"Check failed: {check.label}")
        worst = sorted(task.findings, key=lambda f: -SEVERITIES.index(f.severity))
        yield from (_finding_command(finding) for finding in worst[:_MOST])


def gitlab_report(tasks: Iterable[TaskFacts]) -> str:
    """Return GitLab's code quality report: findings that have a file."""
    issues = [
        _issue(finding, task.agent)
        for task in tasks
        for finding in task.findings
        if finding.file is not None and not finding.file.startswith("/")
    ]
    return json.dumps(issues, ensure_ascii=False, indent=2) + "\n"


def _finding_command(finding: Finding) -> str:
    place: dict[str, str] = {}
    if finding.file is not None and not finding.file.startswith("/"):
        place = {"file": finding.file}
        if finding.line:
            place["line"] = str(finding.line)
    text = finding.detail or finding.title
    title = f"{finding.severity}: {one_line(finding.title, 120)}"
    return _command(_COMMANDS[finding.severity], text, **place, title=title)


def _command(name: str, text: str, **properties: str) -> str:
    pairs = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_data(visible(clip(text, _LONGEST), keep_newlines=True))}"


def _data(text: str) -> str:
    """Escape as the runner unescapes: what is left is one line."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return without_commands(escaped)


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def _issue(finding: Finding, agent: str) -> dict[str, object]:
    same = "\0".join((agent, finding.title, finding.file or "", str(finding.line)))
    return {
        "description": one_line(finding.text, 1_000) or "(no text)",
        "check_name": f"caesar-{finding.severity}",
        "fingerprint": hashlib.sha256(same.encode("utf-8", "replace")).hexdigest(),
        "severity": _GITLAB[finding.severity],
        "location": {
            "path": visible(finding.file or ""),
            "lines": {"begin": finding.line or 1},
        },
    }
