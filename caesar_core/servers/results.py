"""What the ten tools take and give, as models: the published schemas are made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from caesar_core.protocol.report import Change, Finding, ReportQuestion
from caesar_core.servers.kit import Arguments, Result

Mode: TypeAlias = Literal["read-only", "write"]
Status: TypeAlias = Literal[
    "pending", "running", "succeeded", "failed", "cancelled", "timed_out", "unknown"
]
Verdict: TypeAlias = Literal["success", "partial", "failed", "blocked"]
TaskId: TypeAlias = Annotated[
    str, Field(min_length=1, description="Id of a task, or a unique beginning of it.")
]


class DelegateArguments(Arguments):
    """What `caesar_delegate` takes."""

    objective: str = Field(
        min_length=1, description="What is to be achieved, in a sentence or two."
    )
    role: str | None = Field(default=None, description="A role; see caesar_list_roles.")
    agent: str | None = Field(
        default=None, description="An agent; wins over the role's. See caesar_list_agents."
    )
    mode: Mode | None = Field(default=None, description="Whether it may write.")
    isolation: Literal["inplace", "worktree", "auto"] | None = None
    network: Literal["auto", "on", "off"] | None = None
    context: str | None = Field(
        default=None,
        description="What the agent should know; it sees nothing of this conversation.",
    )
    constraints: list[str] | None = Field(default=None, description="Rules to keep.")
    acceptance_criteria: list[str] | None = Field(
        default=None, description="When it is done; best as commands."
    )
    model: str | None = None
    timeout: str | int | None = Field(default=None, description="As 90s, 10m or 1h.")
    channel: bool | None = Field(
        default=None, description="Let the agent ask and report while it works."
    )


class DelegateResult(Result):
    """What was decided; the task runs."""

    task_id: str
    agent: str
    mode: Mode
    isolation: Literal["inplace", "worktree"]
    network: bool
    workspace: str
    status: Literal["running"]
    model: str | None = None
    workspace_warning: str | None = None
    isolation_warning: str | None = None
    network_warning: str | None = None
    model_warning: str | None = None
    channel_warning: str | None = None
    quota_warning: str | None = None


class AwaitArguments(Arguments):
    """What `caesar_await` takes."""

    task_ids: list[TaskId] = Field(min_length=1)
    timeout_ms: int = Field(default=30_000, gt=0, description="How long to wait at most.")


class PendingQuestion(Result):
    """A question that waits for `caesar_answer`; after `closes_at` the agent goes on alone."""

    id: str
    question: str
    options: list[str]
    asked_at: str
    closes_at: str | None


class CompactReport(Result):
    """The normalised report of a task."""

    status: Verdict
    summary: str
    changes: list[Change]
    changes_verified_by: Literal["git", "declaration"] | None
    findings: list[Finding]
    questions: list[ReportQuestion]
    next_steps: list[str]


class AwaitedTask(Result):
    """One task: with its report when it is over, with what it asks when it is not."""

    task_id: str
    status: Status
    agent: str | None = None
    role: str | None = None
    pending: bool | None = None
    report: CompactReport | None = None
    pending_questions: list[PendingQuestion] | None = None


class AwaitResult(Result):
    """Tasks by the id that was asked for."""

    tasks: dict[str, AwaitedTask]


class TaskArguments(Arguments):
    """One task."""

    task_id: TaskId


class StatusResult(Result):
    """A task at this moment; `status` is how its process is, `report_status` its own verdict."""

    task_id: str
    status: Status
    report_status: Verdict | None = None
    agent: str
    role: str | None
    mode: Mode
    isolation: Literal["inplace", "worktree"]
    created_at: str
    started_at: str | None
    ended_at: str | None
    last_event: dict[str, Any] | None
    pending_questions: list[PendingQuestion]


class LogsArguments(TaskArguments):
    """What `caesar_logs` takes."""

    raw: bool = Field(default=False, description="The process's own output instead of events.")
    limit: int = Field(default=50, gt=0, description="Most recent events; ignored with raw.")


class LogsResult(Result):
    """The end of a log; how much there is in all."""

    task_id: str
    raw: bool
    total_events: int | None = None
    events: list[dict[str, Any]] | None = None
    truncated: bool | None = None
    text: str | None = None


class CancelResult(Result):
    """Whether this call stopped it, and its status now."""

    task_id: str
    cancelled: bool
    status: Status


class ChangedFile(Result, extra="allow"):
    """A file of a diff."""

    path: str
    action: Literal["created", "modified", "deleted", "renamed"]
    summary: str


class DiffResult(Result):
    """What a task changed; `patch_base64` instead of `patch` when it is not UTF-8."""

    task_id: str
    is_empty: bool
    files: list[ChangedFile]
    patch: str | None = None
    patch_base64: str | None = None
    note: str | None = None


class Conflict(Result):
    """Why nothing was applied."""

    path: str
    reason: str


class ApplyResult(Result):
    """Whether the tree holds the outcome now; with conflicts nothing was written."""

    task_id: str
    applied: bool
    conflicts: list[Conflict]


class Capabilities(Result):
    """What an agent can do."""

    jsonEvents: bool  # noqa: N815 - the names of the standard's reference
    outputSchema: bool  # noqa: N815
    finalMessageFile: bool  # noqa: N815
    nativeReadOnly: bool  # noqa: N815
    resume: bool
    addDir: bool  # noqa: N815
    mcpInjection: str  # noqa: N815
    model: bool
    network: str


class AgentPolicy(Result):
    """Whether the policy lets an agent be used now."""

    allowed: bool
    reason: str | None = None


class OfferedAgent(Result):
    """An agent."""

    id: str
    display_name: str
    bin: str
    installed: bool
    path: str | None
    capabilities: Capabilities
    default_model: str | None = None
    policy: AgentPolicy
    paused: str | None = Field(default=None, description="Its tasks wait: why and until when.")


class AgentsResult(Result):
    """Every agent that caesar knows."""

    agents: list[OfferedAgent]


class SkippedAgent(Result):
    """An agent of a role that could not work now."""

    agentId: str  # noqa: N815
    reason: str


class OfferedRole(Result):
    """A role, resolved now."""

    name: str
    purpose: str
    mode: Mode
    isolation: str
    network: str
    timeout_ms: int
    model: str | None = None
    agents: list[str]
    would_pick: str | None
    reason: str | None = None
    skipped: list[SkippedAgent]


class RolesResult(Result):
    """Every role of the project."""

    roles: list[OfferedRole]


class AnswerArguments(TaskArguments):
    """What `caesar_answer` takes."""

    question_id: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class AnswerResult(Result):
    """The agent goes on with it."""

    task_id: str
    question_id: str
    answered: Literal[True]
