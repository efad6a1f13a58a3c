"""What the scripted model does, step by step, whichever wire it is asked over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

REPORT: Final[dict[str, Any]] = {
    "protocol": "caesar.report/v1",
    "status": "success",
    "summary": "Scripted: hello.txt and notes.md are there.",
    "changes": [
        {"path": "hello.txt", "action": "created"},
        {"path": "notes.md", "action": "created"},
    ],
}
UNTOUCHED: Final[dict[str, Any]] = {
    "protocol": "caesar.report/v1",
    "status": "success",
    "summary": "Scripted: looked and changed nothing.",
}
# Long enough that only a signal ends it; a grandchild, as a development server would be. Not
# `sleep` by name: Claude Code refuses to run that.
LONG_COMMAND: Final = """python3 -c 'import subprocess; subprocess.run(["sleep", "301"])'"""


@dataclass(frozen=True, slots=True)
class Shell:
    """Run a command."""

    command: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file of the workspace."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Read:
    """Read a file of the workspace."""

    path: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace one text by another in a file of the workspace."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Tool:
    """Call a tool by its name, or by the end of it (`submit_report` of an MCP server)."""

    name: str
    arguments: Mapping[str, Any]


Action: TypeAlias = Shell | Write | Read | Edit | Tool


@dataclass(frozen=True, slots=True)
class Act:
    """One answer that calls tools, several at once when there are several."""

    actions: tuple[Action, ...]
    think: str = ""
    say: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """The last answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """The last answer, with a report: as a schema demands it, else the way the brief asks for."""

    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refuse:
    """An HTTP error instead of an answer; `headers` such as Retry-After."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drop:
    """Half an answer, then the connection closes."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Open the stream and say nothing for a while."""

    seconds: float = 60.0


Step: TypeAlias = Act | Say | Report | Refuse | Drop | Hang


def act(*actions: Action, think: str = "", say: str = "") -> Act:
    """Return an answer that calls tools."""
    return Act(actions, think, say)


def fenced(report: Mapping[str, Any]) -> str:
    """Return a last message that carries a report the way the brief asks for it."""
    return f"All done.\n\n```json caesar:report\n{json.dumps(report)}\n```"


TITLE: Final = Say("Scripted title")
"""The answer to a side request, such as for a session's title."""

SCENARIOS: Final[Mapping[str, tuple[Step, ...]]] = {
    "text": (Report(UNTOUCHED),),
    "empty": (Say(""),),
    "write": (
        act(
            Shell("echo hello > hello.txt && ls"),
            think="Look at what is there first.",
            say="Running a command.",
        ),
        act(Write("notes.md", "# Notes\nline two\n")),
        Report(REPORT),
    ),
    "read": (act(Read("a.txt")), Report(UNTOUCHED)),
    "edit": (act(Read("a.txt")), act(Edit("a.txt", "two", "zwei")), Report(UNTOUCHED)),
    "fail": (
        act(Shell("echo out; echo err >&2; exit 3")),
        Report({**UNTOUCHED, "status": "partial", "summary": "Scripted: the command failed."}),
    ),
    "parallel": (act(Shell("echo one"), Shell("echo two")), Report(UNTOUCHED)),
    "unknown": (act(Tool("no_such_tool", {"a": 1})), Report(UNTOUCHED)),
    "schema": (act(Shell("ls")), Report(UNTOUCHED)),
    "channel": (
        act(Tool("submit_report", {**UNTOUCHED, "summary": "Scripted: through the channel."})),
        Say("The report is handed in."),
    ),
    "ask": (
        act(Tool("ask_orchestrator", {"question": "Which colour?", "options": ["red", "blue"]})),
        Report(UNTOUCHED),
    ),
    # The beginning of an id is enough, so the script can name the one task that there is.
    "delegate": (
        act(Tool("caesar_delegate", {"objective": "echo by-sub > sub.txt", "agent": "shell"})),
        act(Tool("caesar_await", {"task_ids": ["t_"], "timeout_ms": 30_000})),
        act(Tool("caesar_diff", {"task_id": "t_"})),
        act(Tool("caesar_apply", {"task_id": "t_"})),
        Say("Delegated and applied."),
    ),
    "outside": (act(Shell("cat /etc/hostname; echo x > ../outside.txt")), Report(UNTOUCHED)),
    "sleep": (act(Shell(LONG_COMMAND)), Report(UNTOUCHED)),
    "hang": (Hang(),),
    "e401": (Refuse(401),),
    "e429": (Refuse(429, {"Retry-After": "1"}),),
    "e500": (Refuse(500),),
    # Whoever tries again need not wait.
    "e500now": (Refuse(500, {"Retry-After": "0", "Retry-After-Ms": "50"}),),
    "e500mid": (act(Shell("ls")), Refuse(500)),
    "drop": (Drop(),),
}


def step_of(scenario: str, round_number: int) -> Step:
    """Return the step to play after so many rounds of tool results; then there is no more to say.

    Raises:
        KeyError: there is no such scenario.
    """
    steps = SCENARIOS[scenario]
    return steps[round_number] if round_number < len(steps) else Say("All done.")
