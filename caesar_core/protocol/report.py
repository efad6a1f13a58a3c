"""`caesar.report/v1`: what an agent says it did (specification, "report.json - the report").

Only `protocol`, `status` and `summary` are required.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from caesar_core.protocol.document import Document, Part
from caesar_core.protocol.event import FileAction, ReportStatus
from caesar_core.protocol.versions import REPORT_V1

Severity = Literal["info", "low", "medium", "high", "critical"]


class Change(Part):
    """One file that the report declares changed; `path` is relative to the workspace."""

    path: str = Field(min_length=1)
    action: FileAction = "modified"
    summary: str = ""


class CommandRun(Part):
    """One command that the report claims was run."""

    command: str
    exit_code: int | None = None
    note: str = ""


class Finding(Part):
    """Something worth knowing, by the agent or by us."""

    severity: Severity = "info"
    title: str
    file: str | None = None
    line: int | None = Field(default=None, ge=1)
    detail: str = ""


class ReportQuestion(Part):
    """A decision outside of the agent's scope."""

    id: str = ""
    question: str
    options: tuple[str, ...] = ()


class Artifact(Part):
    """A file worth keeping; `path` is relative to the workspace."""

    path: str
    description: str = ""


class Usage(Part):
    """What the run took; null means that nobody said.

    `input_tokens` includes cached input, `output_tokens` includes reasoning.
    """

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cached_input_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    duration_ms: int | None = Field(default=None, ge=0)


class Report(Document):
    """A report; every key but three has a default."""

    version: ClassVar[str] = REPORT_V1

    protocol: Literal["caesar.report/v1"] = REPORT_V1
    task_id: str | None = None
    status: ReportStatus
    summary: str = Field(min_length=1)
    details: str = ""
    changes: tuple[Change, ...] = ()
    commands_run: tuple[CommandRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    questions: tuple[ReportQuestion, ...] = ()
    next_steps: tuple[str, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    usage: Usage | None = None
