"""Every command in one static table: help is printed from it without importing any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: where its click object is, and one line about it."""

    name: str
    module: str
    help: str


GROUPS: Final[tuple[tuple[str, tuple[Entry, ...]], ...]] = (
    (
        "Start",
        (
            Entry("demo", "demo", "See two agents race in a small repository, in half a minute."),
            Entry("init", "init", "Make a project ready: settings, role prompts, skills."),
            Entry("doctor", "doctor", "What works here, what is missing, and how to get it."),
            Entry("config", "config", "Read and change what is configured."),
            Entry("trust", "trust", "Agree to the commands that this repository brings."),
        ),
    ),
    (
        "Delegate",
        (
            Entry("run", "run", "Hand a task to an agent and wait for its result."),
            Entry(
                "race", "race", "Let several agents race for one objective; take the proved one."
            ),
            Entry("resume", "resume", "Let an agent go on with what it did."),
            Entry("retry", "retry", "Hand a task out again."),
            Entry("watch", "watch", "The control room: every task, live."),
        ),
    ),
    (
        "Follow",
        (
            Entry("ps", "ps", "List tasks and what each is doing."),
            Entry("show", "show", "Read the whole report of a task."),
            Entry("logs", "logs", "Read a task's events, or its raw output."),
            Entry("diff", "diff", "See what a task changed."),
            Entry(
                "compare", "compare", "Set the results of a race, or of any tasks, side by side."
            ),
            Entry("pick", "pick", "Combine files or hunks of several results to a new one."),
            Entry("apply", "apply", "Bring a task's changes into your tree, all or nothing."),
            Entry("undo", "undo", "Take the last apply back."),
            Entry("questions", "questions", "See what agents ask and wait for."),
            Entry("answer", "answer", "Answer a question of an agent."),
            Entry("cancel", "cancel", "Stop a task and everything it started."),
            Entry("usage", "usage", "Sum up tokens, cost and time."),
            Entry("gc", "gc", "Remove worktrees that nobody could miss."),
        ),
    ),
    (
        "Configure",
        (
            Entry("agents", "agents", "List, enable, declare and try agents."),
            Entry("policy", "policy", "Which agents may be used."),
            Entry("role", "role", "Profiles that choose an agent."),
        ),
    ),
    (
        "Inside a task",
        (
            Entry("task", "task", "For agents: read what was asked for."),
            Entry("progress", "progress", "For agents: say how far the work is."),
            Entry("ask", "ask", "For agents: ask a question and wait for the answer."),
            Entry("report", "report", "For agents: hand in the report."),
        ),
    ),
    (
        "Integrate",
        (
            Entry("mcp", "mcp", "Serve main agents over MCP; register with them."),
            Entry("protocol", "protocol", "The contract between caesar and an agent."),
            Entry("completion", "completion", "Print the completion script of a shell."),
        ),
    ),
)
# Found by name and listed nowhere: programs call them.
HIDDEN: Final = {"channel": Entry("channel", "channel", "The return channel of a task.")}
ENTRIES: Final = {entry.name: entry for _, entries in GROUPS for entry in entries}
EPILOG: Final = "`caesar COMMAND --help` tells more. Ids may be any unique prefix."


def help_text() -> str:
    """Return the help of `caesar` itself."""
    lines = [
        "Usage: caesar [--root DIR] COMMAND [ARGUMENTS]",
        "",
        "Delegate coding tasks to other coding agents, watch them, apply what is proved.",
    ]
    for title, entries in GROUPS:
        lines += ["", f"{title}:"]
        lines += [f"  {entry.name:<11} {entry.help}" for entry in entries]
    lines += [
        "",
        "Options:",
        "  --root DIR   The project; default: the nearest folder with .caesar or .git.",
        "  -V, --version",
        "  -h, --help",
        "",
        EPILOG,
    ]
    return "\n".join(lines) + "\n"


# Only a string: the core never imports the dashboard, it finds it by name.
DASHBOARD: Final = "caesar_tui.entry:run_dashboard"
BROWSER: Final = "caesar_tui.web:serve_dashboard"
