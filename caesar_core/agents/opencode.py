"""`opencode`: OpenCode, driven by `opencode run --format json`.

It names a tool only when the tool has ended, and knows no last line: a run ended well when its
last step stopped by itself and the exit code is 0.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import (
    NO_CONTEXT,
    Capabilities,
    Invocation,
    Job,
    RunContext,
    TokenUsage,
)
from caesar_core.agents.binary import native_program
from caesar_core.agents.reading import (
    Record,
    cost,
    count,
    get,
    mapping,
    number,
    read_object,
    summarize,
    text,
)
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import trouble
from caesar_core.protocol.event import Error, EventBody, Thinking

_CONFIG: Final = "OPENCODE_CONFIG_CONTENT"
_BINARY: Final = "opencode-{platform}/bin/opencode"
_REFUSED: Final = (
    "The user rejected permission",
    "The user has specified a rule which prevents you",
)
_REJECTED: Final = re.compile(r"permission requested: (\S+) \((.*)\); auto-rejecting")
_LOGGED: Final = re.compile(r'level=ERROR .*?error\.error="([^"]*)"')
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_MCP_TIMEOUT_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class OpenCodeAgent:
    """OpenCode, as installed from npm or by its own installer."""

    id: str = "opencode"
    display_name: str = "OpenCode"
    bin: str = "opencode"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do; its permissions stop its own tools, not those of a user's servers."""
        return Capabilities(
            json_events=True,
            resume=True,
            # Elsewhere it takes the model's answer and then waits for ever.
            resumes_elsewhere=False,
            add_dir=True,
            mcp_injection="flag",
            model=True,
            network="open",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; permissions and the channel go in by its environment."""
        argv = ["run", "--format", "json", "--thinking", "--print-logs", "--log-level", "ERROR"]
        argv += ["--dir", str(job.workspace)]
        if job.mode == "write":
            argv.append("--auto")
        if job.model:
            argv += ["--model", job.model]
        # A title of ours saves the request in which it would have a model think of one.
        argv += ["--session", job.resume] if job.resume else ["--title", f"caesar {job.task_id}"]
        argv += job.extra
        config = _merged(_inherited(), _config(job))
        return Invocation(
            argv=(native_program(self.bin, _BINARY), *argv),
            cwd=job.workspace,
            shown=" ".join((self.bin, *argv)),
            stdin=job.brief_file,
            env={_CONFIG: json.dumps(config), "OPENCODE_DISABLE_AUTOUPDATE": "1"},
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> OpenCodeTranslator:
        """Return a fresh translator."""
        return OpenCodeTranslator(context)


def _config(job: Job) -> dict[str, Any]:
    """Return what a job adds to the user's configuration.

    What is not denied outright would be asked for, and a question that nobody can answer ends the
    run; so everything that might be asked is decided here.
    """
    places = (job.task_dir, *job.add_dirs, Path(tempfile.gettempdir()))
    outside = {"*": "deny", **{f"{place}/**": "allow" for place in places}}
    permission: dict[str, Any] = {"external_directory": outside, "doom_loop": "deny"}
    if job.mode != "write":
        permission |= {"edit": "deny", "bash": "deny", "task": "deny"}
    if not job.network:
        permission |= {"webfetch": "deny", "websearch": "deny"}
    config: dict[str, Any] = {
        "autoupdate": False,
        "permission": permission,
        "agent": {"build": {"permission": permission}},
    }
    if job.channel is not None:
        config["mcp"] = {
            "caesar": {
                "type": "local",
                "command": list(job.channel.argv),
                "environment": job.channel.env,
                "enabled": True,
                "timeout": _MCP_TIMEOUT_MS,
            }
        }
    return config


def _inherited() -> Record:
    """Return what the user hands to OpenCode in the same variable."""
    return read_object(os.environ.get(_CONFIG, "")) or {}


def _merged(ground: Record, top: Record) -> dict[str, Any]:
    """Return two configurations as one; of two values that are no tables the upper one stands."""
    merged = {**ground, **top}
    for key in ground.keys() & top.keys():
        if isinstance(ground[key], dict) and isinstance(top[key], dict):
            merged[key] = _merged(ground[key], top[key])
    return merged


def _marked(tag: str, given: object) -> object:
    return tag + summarize(given) if tag else given


class OpenCodeTranslator(JsonTranslator):
    """Reads `--format json`."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._is_fruitful = False
        self._last_reason = ""
        self._has_logged = False
        self._tasks: dict[str, str] = {}

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line."""
        kind, part = text(record, "type"), mapping(record, "part")
        session = text(part, "sessionID", limit=200) or text(record, "sessionID", limit=200)
        self.session_id = self.session_id or session or None
        if session and session != self.session_id:
            return self._of_sub_agent(kind, part, session)
        if kind == "error":
            return self._error(record)
        reader = {
            "step_start": self._step_starts,
            "text": self._text,
            "reasoning": self._thought,
            "tool_use": self._tool,
            "step_finish": self._step,
        }.get(kind)
        return None if reader is None else reader(part)

    def _of_sub_agent(self, kind: str, part: Record, session: str) -> list[EventBody] | None:
        """Return what a sub-agent does, marked: its words and its end are not the run's."""
        tag = self.sub_agent(self._tasks.get(session) or session)
        match kind:
            case "text" | "reasoning":
                said = text(part, "text")
                if not said.strip():
                    return []
                if kind == "reasoning":
                    return [Thinking(text=tag + said)]
                return self.says(tag + said, final=False)
            case "tool_use":
                return self._tool(part, tag)
            case "step_finish":
                self._count(part)
                return []
        return [] if kind in {"step_start", "error"} else None

    def _step_starts(self, _: Record) -> list[EventBody]:
        self._is_fruitful = False
        return []

    def _text(self, part: Record) -> list[EventBody]:
        self._is_fruitful = True
        return self.says(text(part, "text"))

    def _thought(self, part: Record) -> list[EventBody]:
        thought = text(part, "text")
        return [Thinking(text=thought)] if thought.strip() else []

    def _tool(self, part: Record, tag: str = "") -> list[EventBody]:
        self._is_fruitful = True
        state = mapping(part, "state")
        status, given = text(state, "status"), mapping(state, "input")
        tool, call = text(part, "tool", limit=200), text(part, "callID", limit=200)
        if tool == "task":
            child = text(state, "metadata", "sessionId", limit=200)
            self._tasks[child] = text(given, "description") or child
        if status not in {"completed", "error"}:
            return self.tool_starts(call, tool, _marked(tag, given))
        exit_code = number(state, "metadata", "exit")
        failed = status == "error" or tool == "invalid" or bool(exit_code)
        # Its own title is the better summary, but of a command: that is compared with its claims.
        shown: object = (text(state, "title") if tool != "bash" else "") or given
        if tool == "invalid":  # what it calls a tool that does not exist
            tool, shown = text(given, "tool", limit=200) or tool, text(given, "error")
        bodies = self.tool_ends(call, failed=failed, tool=tool, given=_marked(tag, shown))
        if status == "error":
            is_denied = text(state, "error").startswith(_REFUSED)
            return bodies + (self.is_denied(tool, given, call) if is_denied else [])
        return bodies if failed else bodies + self._change(tool, state)

    def _change(self, tool: str, state: Record) -> list[EventBody]:
        path = text(state, "metadata", "filepath") or text(state, "input", "filePath")
        if tool == "write":
            existed = get(state, "metadata", "exists") is not False
            return self.file_changed(path, "modified" if existed else "created")
        return self.file_changed(path, "modified") if tool in {"edit", "patch"} else []

    def _step(self, part: Record) -> list[EventBody]:
        self._last_reason = text(part, "reason", limit=80)
        self._count(part)
        self.goes_on()
        ended_oddly = self._last_reason == "unknown"
        return self.step(
            fruitful=self._is_fruitful and not ended_oddly,
            why="the model's answers end without saying why" if ended_oddly else "",
        )

    def _count(self, part: Record) -> None:
        """Add what a step took."""
        tokens = mapping(part, "tokens")
        cached = count(tokens, "cache", "read") or 0
        written = count(tokens, "cache", "write") or 0
        step = TokenUsage(
            input_tokens=(count(tokens, "input") or 0) + cached + written,
            output_tokens=(count(tokens, "output") or 0) + (count(tokens, "reasoning") or 0),
            cached_input_tokens=cached,
            cost_usd=cost(part, "cost"),
        )
        if tokens:
            self.usage = step.plus(self.usage or TokenUsage())

    def _error(self, record: Record) -> list[EventBody]:
        data = mapping(record, "error", "data")
        name = text(record, "error", "name", limit=200)
        status = count(data, "statusCode")
        return self.fails(trouble(text(data, "message") or name, fatal=True, status=status))

    def hear(self, line: str) -> list[EventBody]:
        """Return an error for a request that failed: that it is tried again, only the log says."""
        found = _LOGGED.search(_COLOUR.sub("", line))
        if found is None:
            return []
        self._has_logged = True
        error = trouble(found[1], fatal=False)
        return [error, *self.step(fruitful=False, why=error.message)]

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Tell permissions that nobody could give, and a run that stopped in the middle."""
        plain = _COLOUR.sub("", stderr_tail)
        bodies: list[EventBody] = []
        if not self.denials:
            for tool, what in _REJECTED.findall(plain):
                bodies += self.is_denied(tool, what)
        if self.failure is not None:
            return bodies
        logged = _LOGGED.findall(plain)
        if exit_code is None:
            # Stopped from outside, perhaps while it tried again and again without a word.
            is_news = bool(logged) and not self._has_logged
            return bodies + ([trouble(logged[-1], fatal=False)] if is_news else [])
        if exit_code == 0 and self._last_reason == "stop":
            return bodies
        return bodies + self._cut_off(exit_code, logged, plain)

    def _cut_off(self, exit_code: int, logged: list[str], stderr: str) -> list[EventBody]:
        if self.denials and exit_code == 0:
            denied = "It stopped at a permission that nobody could give."
            return self.fails(Error(message=denied, reason="permission_denied"))
        if logged:
            return self.fails(trouble(logged[-1], fatal=True))
        if exit_code:
            return self.fails(trouble(stderr or f"It ended with {exit_code}.", fatal=True))
        why = f" ({self._last_reason})" if self._last_reason else ""
        ended = f"It ended without a last answer{why}."
        return self.fails(Error(message=ended, reason="model_error"))
