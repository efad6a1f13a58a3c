"""What the lines of `claude -p --output-format stream-json` mean."""

from __future__ import annotations

import json
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, RunContext, TokenUsage
from caesar_core.agents.reading import (
    LONGEST_FINAL_TEXT,
    Record,
    cost,
    count,
    get,
    mapping,
    number,
    objects,
    summarize,
    text,
    whole,
)
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import iso_of_epoch, reason_of, trouble
from caesar_core.protocol.event import Error, EventBody, Reason, Thinking
from caesar_core.text import one_line

_IGNORED: Final = frozenset(
    ("stream_event", "tool_progress", "keep_alive", "auth_status", "tool_use_summary")
)
# The tool that a schema adds: its input is the report.
_REPORTING: Final = "StructuredOutput"
_KINDS: Final[dict[str, Reason]] = {
    "authentication_failed": "auth",
    "oauth_org_not_allowed": "auth",
    "billing_error": "quota",
    "rate_limit": "rate_limit",
    "invalid_request": "model_error",
    "server_error": "model_error",
    "max_output_tokens": "model_error",
    "model_not_found": "model_error",
}
_ENDS: Final[dict[str, tuple[str, Reason]]] = {
    "error_max_turns": ("It reached its limit of turns.", "budget"),
    "error_max_budget_usd": ("It reached its limit of money.", "budget"),
    "error_max_structured_output_retries": ("It gave no valid structured answer.", "model_error"),
}


class ClaudeTranslator(JsonTranslator):
    """Reads messages, tool results and the one result; sub-agents are shown apart."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._ended_by_result = False
        self._parents: dict[str, str] = {}
        self._last_retry: Error | None = None

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line, `None` for a line of an unknown kind."""
        self.session_id = text(record, "session_id") or self.session_id
        kind = text(record, "type")
        match kind:
            case "system":
                return self._system(record)
            case "assistant":
                return self._assistant(record)
            case "user":
                return self._user(record)
            case "result":
                return self._result(record)
            case "rate_limit_event":
                return _limit(mapping(record, "rate_limit_info"))
        return [] if kind in _IGNORED else None

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Return the failure of a run that ended without its result line."""
        if self._ended_by_result or exit_code is None or self.failure is not None:
            return []
        lines = [line.strip() for line in stderr_tail.splitlines() if line.strip()]
        if self._last_retry is not None and not lines:
            return self.fails(self._last_retry)
        said = lines[-1] if lines else "Claude Code ended without a result."
        return self.fails(trouble(said, fatal=True))

    # -- system lines

    def _system(self, record: Record) -> list[EventBody]:
        match text(record, "subtype"):
            case "init":
                return _servers(record)
            case "api_retry":
                return self._retry(record)
            case "permission_denied":
                return self._permission_denied(record)
        return []

    def _retry(self, record: Record) -> list[EventBody]:
        kind, status = text(record, "error"), whole(record, "error_status")
        attempt, most = whole(record, "attempt"), whole(record, "max_retries")
        words = f"{f'status {status}' if status else kind or 'no answer'}"
        told = f"The model did not answer ({words}); attempt {attempt} of {most}."
        reason = _KINDS.get(kind) or ("network" if status is None else None)
        error = self._last_retry = trouble(told, fatal=False, status=status, reason=reason)
        return [error, *self.step(fruitful=False, why=words)]

    def _permission_denied(self, record: Record) -> list[EventBody]:
        call = text(record, "tool_use_id")
        started = self.started_tool(call)
        what = started.input_summary if started else text(record, "message")
        return self.is_denied(text(record, "tool_name"), what, call)

    # -- messages

    def _assistant(self, record: Record) -> list[EventBody]:
        parent = text(record, "parent_tool_use_id")
        if get(record, "is_api_error_message") is True or text(record, "error"):
            return self._api_error(record, parent)
        bodies: list[EventBody] = []
        for block in objects(record, "message", "content"):
            bodies += self._block(block, parent)
        if bodies:
            self.step(fruitful=True)
            self._last_retry = None
            self.goes_on()
        return bodies

    def _api_error(self, record: Record, parent: str) -> list[EventBody]:
        said = " ".join(text(block, "text") for block in objects(record, "message", "content"))
        reason = _KINDS.get(text(record, "error"))
        status = whole(record, "api_error_status")
        if reason == "rate_limit" or (status is None and reason_of(said) == "network"):
            reason = None  # its words tell more: a used-up quota, a lost connection
        error = trouble(said, fatal=not parent, status=status, reason=reason)
        return [error] if parent else self.fails(error)

    def _block(self, block: Record, parent: str) -> list[EventBody]:
        match text(block, "type"):
            case "text":
                return self._says(text(block, "text", limit=LONGEST_FINAL_TEXT), parent)
            case "thinking":
                thought = text(block, "thinking")
                return [Thinking(text=self._tag(parent) + thought)] if thought.strip() else []
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                return self._tool(block, parent)
        return []

    def _says(self, said: str, parent: str) -> list[EventBody]:
        if not parent or not said.strip():
            return self.says(said)
        return [*self.says(self._tag(parent) + said, final=False)]

    def _tool(self, block: Record, parent: str) -> list[EventBody]:
        call, given = text(block, "id"), get(block, "input")
        name = text(block, "name") or "tool"
        summary = summarize(given)
        if name in {"Task", "Agent"}:
            told = text(given, "description") or summary
            self._parents[call] = one_line(told, 60)
            summary = told
        elif name == _REPORTING:
            summary = text(given, "summary") or summary
        return self.tool_starts(call, name, self._tag(parent) + summary)

    def _tag(self, parent: str) -> str:
        """Return what marks the words of a sub-agent: the task it was given."""
        if not parent:
            return ""
        return self.sub_agent(self._parents.get(parent) or one_line(parent, 20))

    # -- tool results

    def _user(self, record: Record) -> list[EventBody]:
        bodies: list[EventBody] = []
        rejected = {
            text(meta, "id")
            for meta in objects(record, "tool_result_meta")
            if text(meta, "permission_decision", "decision") in {"reject", "deny"}
        }
        for block in objects(record, "message", "content"):
            if text(block, "type") in {"tool_result", "mcp_tool_result"}:
                bodies += self._tool_result(record, block, rejected)
        return bodies

    def _tool_result(self, record: Record, block: Record, rejected: set[str]) -> list[EventBody]:
        call, failed = text(block, "tool_use_id"), get(block, "is_error") is True
        started = self.started_tool(call)
        denied: list[EventBody] = []
        if call in rejected and started is not None:
            denied = self.is_denied(started.tool, started.input_summary, call)
        bodies = [*denied, *self.tool_ends(call, failed=failed)]
        path = text(record, "tool_use_result", "filePath")
        if path and not failed and get(record, "tool_use_result", "structuredPatch") is not None:
            created = text(record, "tool_use_result", "type") == "create"
            bodies += self.file_changed(path, "created" if created else "modified")
        return bodies

    # -- the end

    def _result(self, record: Record) -> list[EventBody]:
        self._ended_by_result = True
        self.usage = self._usage(record)
        bodies: list[EventBody] = []
        for denial in objects(record, "permission_denials"):
            what, call = get(denial, "tool_input"), text(denial, "tool_use_id")
            bodies += self.is_denied(text(denial, "tool_name"), what, call)
        if get(record, "is_error") is not False or text(record, "subtype") != "success":
            return bodies + self._failed(record)
        return bodies + self._succeeded(record)

    def _succeeded(self, record: Record) -> list[EventBody]:
        structured = get(record, "structured_output")
        said = text(record, "result", limit=LONGEST_FINAL_TEXT)
        spoken: list[EventBody] = []
        if said.strip() and said != self.final_text:
            spoken = self.says(said)
        if structured is not None:
            self.final_text = json.dumps(structured, ensure_ascii=False)[:LONGEST_FINAL_TEXT]
        if self.final_text is None:
            return self.fails(
                Error(message="The model ended without saying anything.", reason="model_error")
            )
        self.goes_on()
        return spoken

    def _failed(self, record: Record) -> list[EventBody]:
        known = self.failure
        subtype, ending = text(record, "subtype"), text(record, "terminal_reason")
        errors = get(record, "errors")
        listed = (
            "; ".join(str(error)[:500] for error in errors[:5]) if isinstance(errors, list) else ""
        )
        if subtype in _ENDS:
            sentence, reason = _ENDS[subtype]
            return self.fails(Error(message=f"{sentence} {listed}".strip(), reason=reason))
        if ending.startswith("aborted"):
            return self.fails(Error(message="The run was interrupted.", reason="cancelled"))
        said = text(record, "result") or listed or "The run ended in an error."
        status = whole(record, "api_error_status")
        return self.fails(
            trouble(said, fatal=True, status=status, reason=known.reason if known else None)
        )

    def _usage(self, record: Record) -> TokenUsage:
        """Return the run's share: by model the figures are those of the whole session."""
        models = mapping(record, "modelUsage")
        price = cost(record, "total_cost_usd")
        if not models:
            own = _tokens(mapping(record, "usage"), *_SNAKE)
            return TokenUsage(own.input_tokens, own.output_tokens, own.cached_input_tokens, price)
        total = TokenUsage(cost_usd=price)
        for model in models:
            total = total.plus(_tokens(mapping(models, model), *_CAMEL))
        return total.minus(self.context.earlier)


_SNAKE: Final = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)
_CAMEL: Final = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")


def _tokens(usage: Record, fresh: str, read: str, written: str, output: str) -> TokenUsage:
    """Return the tokens; the CLI counts cached input apart from the rest."""
    parts = [count(usage, key) for key in (fresh, read, written)]
    known = [part for part in parts if part is not None]
    return TokenUsage(sum(known) if known else None, count(usage, output), parts[1])


def _servers(record: Record) -> list[EventBody]:
    return [
        Error(message=f"The MCP server {one_line(text(server, 'name'), 60)} did not start.")
        for server in objects(record, "mcp_servers")
        if text(server, "status") == "failed"
    ]


def _limit(info: Record) -> list[EventBody]:
    """Return an error when the account's limit has been reached."""
    if text(info, "status") != "rejected":
        return []
    kind = text(info, "rateLimitType").replace("_", " ")
    until = iso_of_epoch(number(info, "resetsAt"))
    message = f"The account's {kind} limit is used up.".replace("  ", " ")
    return [Error(message=message, reason="quota", retry_at=until)]
