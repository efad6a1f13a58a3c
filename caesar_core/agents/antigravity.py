"""`antigravity`: Google's Antigravity CLI, `agy`.

Written after public descriptions of its stream; never run against the program itself, which no
package registry carries. Lines are keyed by `event`; tools have no ids, only the number of a step.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from caesar_core.agents.base import (
    NO_CONTEXT,
    Capabilities,
    Invocation,
    Job,
    RunContext,
    TaskFile,
    TokenUsage,
)
from caesar_core.agents.reading import Record, count, get, mapping, objects, text
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import trouble
from caesar_core.protocol.event import Error, EventBody, FileAction, Reason, Thinking

_PROMPT: Final = "agy-prompt.jsonl"
_GRACE_S: Final = 60
_QUOTA_EXIT: Final = 3
_TIMED_OUT: Final = re.compile(r"print timeout after|timeout waiting for response", re.IGNORECASE)
_AGY_ERROR: Final = re.compile(r"AGY_ERROR:\s*(.+)")
_WRITERS: Final[dict[str, FileAction]] = {
    "write_to_file": "created",
    "replace_file_content": "modified",
    "multi_replace_file_content": "modified",
}
_DENIED: Final = "permission"


@dataclass(frozen=True, slots=True)
class AntigravityAgent:
    """The Antigravity CLI, as its vendor's installer leaves it."""

    id: str = "antigravity"
    display_name: str = "Antigravity"
    bin: str = "agy"

    @property
    def capabilities(self) -> Capabilities:
        """What it is said to do; MCP servers it takes from the user's own settings only."""
        return Capabilities(
            json_events=True,
            output_schema=True,
            native_read_only=True,
            resume=True,
            add_dir=True,
            mcp_injection="none",
            model=True,
            network="open",
        )

    def invoke(self, job: Job) -> Invocation:
        """Return the process; the brief comes as one message on stdin, never as an argument."""
        # Our own deadline has to come first: its timeout may look like a success.
        limit = -(-job.deadline_ms // 1000) + _GRACE_S
        writes = job.mode == "write"
        argv = [
            *("--input-format", "stream-json", "--output-format", "stream-json"),
            *("--print-timeout", f"{limit}s"),
            *("--mode", "accept-edits" if writes else "plan"),
        ]
        if writes:
            argv.append("--dangerously-skip-permissions")
        for folder in (job.task_dir, *job.add_dirs):
            argv += ["--add-dir", str(folder)]
        if job.model:
            argv += ["--model", job.model]
        if job.schema_file:
            argv += ["--json-schema", str(job.schema_file)]
        if job.resume:
            argv += ["--conversation", job.resume]
        argv += job.extra
        prompt = {"event": "user", "message": {"role": "user", "content": job.brief}}
        file = TaskFile(job.task_dir / _PROMPT, f"{json.dumps(prompt)}\n")
        return Invocation(
            argv=(self.bin, *argv),
            cwd=job.workspace,
            shown=" ".join((self.bin, *argv)),
            stdin=file.path,
            files=(file,),
        )

    def translator(self, context: RunContext = NO_CONTEXT) -> AntigravityTranslator:
        """Return a fresh translator."""
        return AntigravityTranslator(context)


class AntigravityTranslator(JsonTranslator):
    """Reads `--output-format stream-json`."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._texts: dict[str, str] = {}
        self._has_result = False

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line."""
        match text(record, "event"):
            case "init":
                self.session_id = text(record, "conversation_id", limit=200) or self.session_id
                return []
            case "step_update":
                return self._step(mapping(record, "step_update"))
            case "result":
                return self._result(mapping(record, "result"))
            case "error":
                told = text(record, "message") or text(record, "error", "message")
                return self.fails(trouble(told, fatal=True))
            case _:
                return None

    def _step(self, step: Record) -> list[EventBody] | None:
        self.session_id = text(step, "conversation_id", limit=200) or self.session_id
        match text(step, "step_type"):
            case "agent_response" | "thinking" as kind:
                return self._text(step, kind)
            case "tool" | "subagent" | "browser_action" as kind:
                return self._tool(step, kind)
            case "error_message":
                told = text(step, "text_delta") or text(step, "error", "message")
                return [trouble(told, fatal=False)]
            case "user_input" | "checkpoint" | "unknown":
                return []
            case _:
                return None

    def _text(self, step: Record, kind: str) -> list[EventBody]:
        """Join the pieces of a text; it is told once, when its step ends."""
        key = f"{kind} {count(step, 'step_index')}"
        self._texts[key] = self._texts.get(key, "") + text(step, "text_delta")
        if text(step, "state") == "ACTIVE":
            return []
        said = self._texts.pop(key)
        if kind == "thinking":
            return [Thinking(text=said)] if said.strip() else []
        return self.says(said)

    def _tool(self, step: Record, kind: str) -> list[EventBody]:
        call = f"step_{count(step, 'step_index')}"
        info = mapping(step, "tool_info")
        tool = text(step, "tool_name", limit=200) or text(info, "name", limit=200) or kind
        given, state = mapping(info, "parameters"), text(step, "state")
        if state not in {"DONE", "ERROR"}:
            return self.tool_starts(call, tool, _told(given))
        error = mapping(info, "error")
        failed = state == "ERROR" or bool(error)
        bodies = self.tool_ends(call, failed=failed, tool=tool, given=_told(given))
        if _DENIED in text(error, "message").lower():
            bodies += self.is_denied(tool, _told(given), call)
        elif not failed and tool in _WRITERS:
            bodies += self.file_changed(text(given, "TargetFile"), _WRITERS[tool])
        return bodies

    def _result(self, result: Record) -> list[EventBody]:
        self._has_result = True
        self.session_id = text(result, "conversation_id", limit=200) or self.session_id
        used = mapping(result, "usage")
        if count(used, "total_tokens"):
            self.usage = TokenUsage(
                input_tokens=count(used, "input_tokens"),
                output_tokens=count(used, "output_tokens"),
                cached_input_tokens=count(used, "cache_read_tokens"),
            )
        bodies: list[EventBody] = []
        for denied in objects(result, "denied_actions"):
            name = text(denied, "display_name", limit=200)
            bodies += self.is_denied(name, text(denied, "action") or name)
        response = text(result, "response", limit=1 << 20)
        self.final_text = response or self.final_text
        status = text(result, "status", limit=80)
        if status != "SUCCESS" or get(result, "error"):
            told = text(result, "error") or text(result, "error", "message") or f"Status {status}."
            reason: Reason | None = "timeout" if _TIMED_OUT.search(told) else None
            return bodies + self.fails(trouble(told, fatal=True, reason=reason))
        if not response.strip() and self.denials:
            silent = "It was denied what it needed and said nothing."
            return bodies + self.fails(Error(message=silent, reason="permission_denied"))
        return bodies

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Tell what only stderr and the exit code say: its own timeout, a used-up quota."""
        if _TIMED_OUT.search(stderr_tail):
            told = "The agent's own time limit ended it."
            return self.fails(Error(message=told, reason="timeout"))
        if exit_code is None or (self.failure is not None and exit_code != _QUOTA_EXIT):
            return []
        named = _AGY_ERROR.search(stderr_tail)
        if exit_code == _QUOTA_EXIT:
            told = named[1] if named else "The quota is used up."
            return self.fails(trouble(told, fatal=True, reason="quota"))
        if exit_code:
            told = (named[1] if named else stderr_tail.strip()) or f"It ended with {exit_code}."
            return self.fails(trouble(told, fatal=True))
        if not self._has_result:
            cut = "Its stream stopped before its result."
            return self.fails(Error(message=cut, reason="protocol"))
        return []


def _told(given: Record) -> object:
    """Return what tells most of a tool's input: its keys are in the style of Go."""
    for key in ("CommandLine", "TargetFile", "AbsolutePath", "Query", "Url"):
        if text(given, key):
            return text(given, key)
    return given
