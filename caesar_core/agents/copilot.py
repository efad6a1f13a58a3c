"""`copilot`: GitHub Copilot CLI, driven by `--output-format json`.

Its own binary is started, not the launcher of npm, which keeps signals to itself. The tokens are
not in the stream: it is told to leave them in a file of the task.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caesar_core.agents.base import (
    NO_CONTEXT,
    Capabilities,
    Invocation,
    Job,
    RunContext,
    TaskFile,
    TokenUsage,
)
from caesar_core.agents.binary import native_program
from caesar_core.agents.reading import (
    Record,
    count,
    get,
    mapping,
    objects,
    read_object,
    summarize,
    text,
)
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import reason_of, trouble
from caesar_core.protocol.event import Error, EventBody, FileAction, Thinking

_BINARY: Final = "@github/copilot-{platform}/copilot"
_USAGE: Final = "copilot-usage.json"
_SERVERS: Final = "copilot-mcp.json"
_SERVER: Final = "caesar"
_LARGEST_USAGE: Final = 1 << 20
_KINDS: Final[dict[str, FileAction]] = {
    "create": "created",
    "add": "created",
    "delete": "deleted",
    "rename": "renamed",
    "move": "renamed",
}
_SILENT: Final = frozenset({"user.message", "assistant.turn_start", "assistant.turn_end"})


@dataclass(frozen=True, slots=True)
class CopilotAgent:
    """GitHub Copilot CLI, as installed from npm."""

    id: str = "copilot"
    display_name: str = "GitHub Copilot"
    bin: str = "copilot"

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        return Capabilities(
            json_events=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="flag",
            model=True,
            network="toggle",
            stop_signal="SIGINT",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; what is not allowed is denied, since nobody can be asked."""
        argv = [
            *("--output-format", "json", "--no-ask-user", "--no-color", "--no-auto-update"),
            *("--usage-output-file", str(job.task_dir / _USAGE)),
        ]
        if job.mode == "write":
            argv.append("--allow-all-tools")
        else:
            argv += ["--deny-tool=write", "--deny-tool=shell"]
        if job.network:
            argv.append("--allow-all-urls")
        for folder in (job.task_dir, *job.add_dirs):
            argv += ["--add-dir", str(folder)]
        if job.model:
            argv += ["--model", job.model]
        if job.resume:
            argv.append(f"--resume={job.resume}")
        elif job.session_id:
            argv += ["--session-id", job.session_id]
        files = _servers(job)
        for file in files:
            argv += ["--additional-mcp-config", f"@{file.path}", f"--allow-tool={_SERVER}"]
        argv += job.extra
        return Invocation(
            argv=(native_program(self.bin, _BINARY), *argv),
            cwd=job.workspace,
            shown=" ".join((self.bin, *argv)),
            stdin=job.brief_file,
            env={"COPILOT_AUTO_UPDATE": "false"},
            files=files,
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> CopilotTranslator:
        """Return a fresh translator."""
        return CopilotTranslator(context)


def _servers(job: Job) -> tuple[TaskFile, ...]:
    """Return the file that names the return channel; a file, since every user can see arguments."""
    if job.channel is None:
        return ()
    server = {
        "type": "local",
        "command": job.channel.argv[0],
        "args": list(job.channel.argv[1:]),
        "env": job.channel.env,
        "tools": ["*"],
    }
    document = {"mcpServers": {_SERVER: server}}
    return (TaskFile(job.task_dir / _SERVERS, json.dumps(document, indent=2)),)


class CopilotTranslator(JsonTranslator):
    """Reads `--output-format json`."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._has_ended = False

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line."""
        kind, data = text(record, "type"), mapping(record, "data")
        if kind == "result":
            return self._result(record)
        reader = {
            "assistant.message": self._message,
            "tool.execution_start": self._tool_starts,
            "tool.execution_complete": self._tool_ends,
            "model.call_failure": self._call_failed,
            "session.error": self._session_failed,
            "session.mcp_server_status_changed": self._server_changed,
            "abort": self._aborted,
        }.get(kind)
        if reader is not None:
            return reader(data)
        # What passes by - deltas, progress, notices - says nothing that does not come again.
        is_passing = get(record, "ephemeral") is True or kind in _SILENT
        return [] if kind and is_passing else None

    def _tool_starts(self, data: Record) -> list[EventBody]:
        call, tool = text(data, "toolCallId", limit=200), text(data, "toolName", limit=200)
        given = get(data, "arguments")
        tag = self._tag(data)
        return self.tool_starts(call, tool, tag + summarize(given) if tag else given)

    def _tag(self, data: Record) -> str:
        """Return what marks a sub-agent's doing: the call that it works for; else nothing."""
        parent = text(data, "parentToolCallId", limit=200)
        if not parent:
            return ""
        started = self.started_tool(parent)
        return self.sub_agent(started.input_summary if started else parent)

    def _session_failed(self, data: Record) -> list[EventBody]:
        status = count(data, "statusCode")
        return self.fails(trouble(text(data, "message"), fatal=True, status=status))

    def _aborted(self, _: Record) -> list[EventBody]:
        return self.fails(Error(message="It was interrupted.", reason="cancelled"))

    def _message(self, data: Record) -> list[EventBody]:
        thought, said = text(data, "reasoningText"), text(data, "content")
        tag = self._tag(data)
        bodies: list[EventBody] = [Thinking(text=tag + thought)] if thought.strip() else []
        calls_tools = any(True for _ in objects(data, "toolRequests"))
        self.goes_on()
        if not said.strip():
            return bodies
        return bodies + self.says(tag + said, final=not tag and not calls_tools)

    def _tool_ends(self, data: Record) -> list[EventBody]:
        call = text(data, "toolCallId", limit=200)
        started = self.started_tool(call)
        has_failed = get(data, "success") is not True or bool(
            get(data, "shellExecution", "exitCode")
        )
        bodies = self.tool_ends(call, failed=has_failed)
        if text(data, "error", "code") == "denied":
            tool = started.tool if started else "tool"
            what = started.input_summary if started else text(data, "error", "message")
            bodies += self.is_denied(tool, what, call)
        for edit in objects(data, "fileEdits"):
            action = _KINDS.get(text(edit, "kind"), "modified")
            bodies += self.file_changed(text(edit, "path"), action)
        return bodies

    def _call_failed(self, data: Record) -> list[EventBody]:
        """Return an error that is tried again; the last one comes as a `session.error`."""
        told = text(data, "errorMessage") or text(data, "failureKind")
        inner = read_object(told)
        message = text(inner, "error", "message") or text(inner, "message") or told.strip('"')
        status = count(data, "statusCode")
        reason = reason_of(message, status)
        if reason == "other":
            reason = "model_error"
        return [trouble(message, fatal=False, status=status, reason=reason)]

    def _server_changed(self, data: Record) -> list[EventBody]:
        if text(data, "status") != "failed":
            return []
        name, why = text(data, "serverName", limit=200), text(data, "error")
        return [Error(message=f"MCP server {name} failed: {why}".strip(), reason="other")]

    def _result(self, record: Record) -> list[EventBody]:
        self._has_ended = True
        self.session_id = text(record, "sessionId", limit=200) or self.session_id
        code = get(record, "exitCode")
        if code is None or code == 0 or self.failure is not None:
            return []
        return self.fails(trouble(f"It ended with {code}.", fatal=True))

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Read the tokens, and tell what only stderr says: no login, an unknown session."""
        self.usage = self._usage()
        if exit_code is None or self.failure is not None:
            return []
        if exit_code:
            told = stderr_tail.strip() or f"It ended with {exit_code}."
            return self.fails(trouble(told, fatal=True))
        if not self._has_ended:
            cut = "Its stream stopped before its result."
            return self.fails(Error(message=cut, reason="protocol"))
        return []

    def _usage(self) -> TokenUsage | None:
        """Return the tokens of this run: the file counts the whole session."""
        if self.context.task_dir is None:
            return None
        models = mapping(_read_usage(self.context.task_dir / _USAGE), "modelMetrics")
        total: TokenUsage | None = None
        for model in models.values():
            used = mapping(model, "usage")
            part = TokenUsage(
                input_tokens=count(used, "inputTokens"),
                output_tokens=count(used, "outputTokens"),
                cached_input_tokens=count(used, "cacheReadTokens"),
            )
            total = part if total is None else total.plus(part)
        return total.minus(self.context.earlier) if total else None


def _read_usage(path: Path) -> Record:
    """Return the file that Copilot left, nothing when it left none that can be read."""
    try:
        with path.open("rb") as file:
            content: Any = file.read(_LARGEST_USAGE)
    except OSError:
        return {}
    return read_object(content.decode("utf-8", "replace")) or {}
