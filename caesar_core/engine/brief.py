"""The brief: everything the agent is told, as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from caesar_core.protocol.task import Task

_READ_ONLY: Final = (
    "Read only: do not create, change or delete any file. Your report is the whole result."
)
_NO_NETWORK: Final = "The network is cut off. Do not try to reach it."
_INSIDE: Final = "Stay inside the workspace; everything outside of it is off limits."
# Not a report: no reader of ours, nor of anyone else, can take its status for one.
_EXAMPLE: Final = """```json
{
  "protocol": "caesar.report/v1",
  "status": "<success | partial | failed | blocked>",
  "summary": "<two sentences: what you did, what came of it>",
  "changes": [{"path": "<file>", "action": "<created | modified | deleted | renamed>"}],
  "commands_run": [{"command": "<command>", "exit_code": 0}],
  "findings": [{"severity": "<info | low | medium | high>", "title": "<what>", "file": "<file>"}],
  "next_steps": ["<what remains>"]
}
```"""
_RULES: Final = (
    "`success` only when every acceptance criterion is met; what you did not check is not met.",
    "`partial`: say in `next_steps` what remains. `failed`: there is no way out.",
    "`blocked`: a decision is needed that is not yours; put it into `questions`.",
    "List every file you changed in `changes` and every command you ran in `commands_run`.",
)


def compose_brief(
    task: Task, *, role_prompt: str = "", command: str = "caesar", by_schema: bool = False
) -> str:
    """Return the brief for a task; the caller's own words appear verbatim.

    Args:
        task: the order.
        role_prompt: what the role says, before the context.
        command: how caesar is called in the agent's shell.
        by_schema: the agent's last message is held to the schema of a report.
    """
    context = "\n\n---\n\n".join(part for part in (role_prompt.strip(), task.context) if part)
    sections = [
        f"# Task {task.id}\n\nYou are given one task. Work on it alone and report at the end.",
        f"## Objective\n\n{task.objective}",
        f"## Context\n\n{context}" if context else "",
        f"## Constraints\n\n{_bullets(_constraints(task))}",
        f"## Acceptance criteria\n\n{_bullets(task.acceptance_criteria)}"
        if task.acceptance_criteria
        else "",
        _talking(task, command),
        _reporting_by_schema() if by_schema else _reporting(task, command),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _constraints(task: Task) -> list[str]:
    return [
        *([_READ_ONLY] if task.mode == "read-only" else []),
        *task.constraints,
        *([] if task.network else [_NO_NETWORK]),
        f"{_INSIDE} Workspace: {task.workspace}",
    ]


def _talking(task: Task, command: str) -> str:
    """Return how the agent reaches whoever gave it the task while it works."""
    by_tool = (
        "The MCP server `caesar` has the tools `report_progress`, `ask_orchestrator` and "
        "`submit_report`. Without it, these commands do the same:"
    )
    by_command = "In a shell, while you work:"
    return (
        "## While you work\n\n"
        f"{by_tool if task.channel else by_command}\n\n"
        f'- `{command} progress "<what you are doing>" --pct <0 to 100>`\n'
        f'- `{command} ask "<question>" --option <answer> --option <answer>` prints the answer.\n\n'
        "Ask only what you cannot decide yourself. You wait for at most five minutes; when nobody "
        "answers, go on by your own best judgement and say so in your report."
    )


def _reporting(task: Task, command: str) -> str:
    first = "Hand it in with the tool `submit_report`, or write" if task.channel else "Write"
    return (
        "## Report\n\n"
        f"{first} a JSON file to `{task.report_path}` (also in `$CAESAR_REPORT_PATH`) as the last "
        f"thing you do; `{command} report --file <file>` checks it and puts it there. If you "
        "cannot write there, end your last message with the same object in a block that starts "
        "with ```` ```json caesar:report ````.\n\n"
        f"Its shape, with placeholders in angle brackets:\n\n{_EXAMPLE}\n\n{_bullets(_RULES)}"
    )


def _reporting_by_schema() -> str:
    return (
        "## Report\n\n"
        "Your final answer is the report itself: one object of the schema that you were given, "
        "`protocol` being `caesar.report/v1`, and nothing around it. Leave `task_id` and `usage` "
        f"null.\n\n{_bullets(_RULES)}"
    )


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
