"""The ten tools as data: words for the model, what each takes, gives and does to the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesar_core.servers import results as r
from caesar_core.servers.kit import NoArguments, Tool

if TYPE_CHECKING:
    from caesar_core.servers.main import MainTools


def tools_of(do: MainTools) -> tuple[Tool, ...]:
    """Return the tools that work through `do`."""
    return (
        Tool(
            "caesar_delegate",
            "Start a task on another coding agent, in a process of its own. Needs role or agent. "
            "Returns a task_id at once and does not wait: call caesar_await with it. Several calls "
            "run at the same time. Read the *_warning fields.",
            r.DelegateArguments,
            r.DelegateResult,
            do.delegate,
        ),
        Tool(
            "caesar_await",
            "Wait for one or more tasks and get their reports. At the timeout, what still runs is "
            "`pending`, with its pending_questions; it comes back early for a new question. "
            "changes_verified_by git: the list of files was checked; declaration: it was not.",
            r.AwaitArguments,
            r.AwaitResult,
            do.wait,
            reads_only=True,
        ),
        Tool(
            "caesar_status",
            "A cheap look at one task; never waits, never the whole report. status is how its "
            "process is; report_status is the agent's own verdict, so check both.",
            r.TaskArguments,
            r.StatusResult,
            do.status,
            reads_only=True,
        ),
        Tool(
            "caesar_logs",
            "The latest events of a task, or with raw the end of its process's own output. For "
            "finding out why a task failed or surprised.",
            r.LogsArguments,
            r.LogsResult,
            do.logs,
            reads_only=True,
        ),
        Tool(
            "caesar_cancel",
            "Stop a task and everything it started; returns after its end. Does nothing to a task "
            "that is over: cancelled is false then.",
            r.TaskArguments,
            r.CancelResult,
            do.cancel,
            destructive=True,
            idempotent=True,
        ),
        Tool(
            "caesar_diff",
            "What a task changed in its worktree: the files and the whole patch. Read it before "
            "caesar_apply. Empty for a task that ran in place.",
            r.TaskArguments,
            r.DiffResult,
            do.diff,
            reads_only=True,
        ),
        Tool(
            "caesar_apply",
            "Bring what a task changed into the user's tree by a three-way merge, all or nothing: "
            "with conflicts nothing is written. Never commits, never touches branches.",
            r.TaskArguments,
            r.ApplyResult,
            do.apply,
            destructive=True,
            idempotent=True,
        ),
        Tool(
            "caesar_list_agents",
            "Every agent: whether it is installed and allowed, what it can do, its default model.",
            NoArguments,
            r.AgentsResult,
            do.list_agents,
            reads_only=True,
        ),
        Tool(
            "caesar_list_roles",
            "Every role: what it is for, its defaults, and which agent it would pick right now.",
            NoArguments,
            r.RolesResult,
            do.list_roles,
            reads_only=True,
        ),
        Tool(
            "caesar_answer",
            "Answer a question that an agent asked; caesar_await and caesar_status list them. "
            "Fails when the question is unknown, answered or closed.",
            r.AnswerArguments,
            r.AnswerResult,
            do.answer,
        ),
    )
