"""What the lines of `gemini -o stream-json` mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, RunContext, TokenUsage
from caesar_core.agents.reading import (
    LONGEST_FINAL_TEXT,
    Record,
    count,
    get,
    mapping,
    summarize,
    text,
)
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import reason_of, trouble
from caesar_core.protocol.event import Error, EventBody, Reason
from caesar_core.text import one_line

_DENIED: Final = re.compile(
    r"denied by policy|policy_violation|access denied|permission denied|requires? (?:user )?"
    r"(?:confirmation|approval)|not allowed in|path_not_in_workspace",
    re.IGNORECASE,
)
_WRITERS: Final = frozenset(("write_file", "replace", "edit"))
_EXITS: Final[dict[int, Reason]] = {41: "auth", 53: "budget"}
_NOISE: Final = re.compile(
    r"^(?:Warning:|YOLO mode|Ripgrep is not|\[STARTUP\]|Loaded cached|\s+at )|^[\s{}\]]*$"
)
_ATTEMPT: Final = re.compile(r"Attempt (\d{1,3}) failed(?: with status (\d{3})|: (.+))?")
# After it the stream says itself how the run ended.
_LAST_ATTEMPT: Final = "Max attempts reached"
_LEAST_REPEATED: Final = 4
# Added to every 429, whatever the cause: it speaks of quotas and of ways to sign in.
_ADVICE: Final = re.compile(
    r"\s*Please wait and try again later\. To increase your limits.*", re.DOTALL
)


class GeminiTranslator(JsonTranslator):
    """Reads messages in fragments, tools and the one result."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._said = ""
        self._ended_by_result = False
        self._paths: dict[str, str] = {}
        self._last_error = ""
        self._lines: dict[str, Callable[[Record], list[EventBody]]] = {
            "init": self._init,
            "tool_use": self._tool_use,
            "tool_result": self._tool_result,
            "error": self._error,
            "result": self._result,
        }

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line, `None` for a line of an unknown kind."""
        kind = text(record, "type")
        if kind == "message":
            return self._message(record)
        reader = self._lines.get(kind)
        return None if reader is None else self._flush() + reader(record)

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Return the last words and the failure of a run that ended without its result line."""
        bodies = self._flush()
        if self._ended_by_result or exit_code is None or self.failure is not None:
            return bodies
        lines = [line for line in stderr_tail.splitlines() if not _NOISE.search(line)]
        said = lines[0].strip() if lines else "Gemini CLI ended without a result."
        reason = _EXITS.get(exit_code) or _reason(said)
        return bodies + self.fails(trouble(said, fatal=True, reason=reason))

    def hear(self, line: str) -> list[EventBody]:
        """Return an error for a request that failed and is tried again: the stream is silent."""
        found = _ATTEMPT.match(line)
        if found is None or _LAST_ATTEMPT in line:
            return []
        attempt, code, words = found.groups()
        what = f"status {code}" if code else one_line(words or "no answer", 200)
        told = f"The model did not answer ({what}); attempt {attempt}."
        error = trouble(told, fatal=False, status=int(code) if code else None)
        return [error, *self.step(fruitful=False, why=what)]

    def _init(self, record: Record) -> list[EventBody]:
        self.session_id = text(record, "session_id") or self.session_id
        return []

    def _message(self, record: Record) -> list[EventBody]:
        fragment = text(record, "content", limit=LONGEST_FINAL_TEXT)
        if text(record, "role") != "assistant":
            return self._flush()
        if get(record, "delta") is not True:
            return self._flush() + self.says(fragment)
        # After a retry the answer begins again.
        repeated = len(self._said) >= _LEAST_REPEATED and fragment.startswith(self._said)
        self._said = (fragment if repeated else self._said + fragment)[-LONGEST_FINAL_TEXT:]
        return []

    def _flush(self) -> list[EventBody]:
        said, self._said = self._said, ""
        if said.strip():
            self.step(fruitful=True)
        return self.says(said)

    def _tool_use(self, record: Record) -> list[EventBody]:
        call, name = text(record, "tool_id"), text(record, "tool_name") or "tool"
        given = get(record, "parameters")
        path = text(given, "file_path") or text(given, "path")
        if name in _WRITERS and path:
            self._paths[call] = path
        self.step(fruitful=True)
        return self.tool_starts(call, name, given)

    def _tool_result(self, record: Record) -> list[EventBody]:
        call, failed = text(record, "tool_id"), text(record, "status") != "success"
        started = self.started_tool(call)
        path = self._paths.pop(call, "")
        denied: list[EventBody] = []
        words = f"{text(record, 'error', 'type')} {text(record, 'error', 'message', limit=500)}"
        if failed and _DENIED.search(words):
            name = started.tool if started else "tool"
            what = started.input_summary if started else words
            denied = self.is_denied(name, what, call)
        changed = self.file_changed(path, "modified") if path and not failed else []
        return [*denied, *self.tool_ends(call, failed=failed), *changed]

    def _error(self, record: Record) -> list[EventBody]:
        message = text(record, "message")
        self._last_error = message
        # Whether the run ends in it, its result says.
        serious = text(record, "severity") != "warning"
        reason = _reason(message) if serious else None
        return [Error(message=summarize(message) or "An error without words.", reason=reason)]

    def _result(self, record: Record) -> list[EventBody]:
        self._ended_by_result = True
        self.usage = _usage(mapping(record, "stats"))
        if text(record, "status") == "success":
            self.goes_on()
            return [] if self.final_text else self._silence()
        said = text(record, "error", "message") or self._last_error
        message = said or "The run ended in an error."
        return self.fails(trouble(message, fatal=True, reason=_reason(message)))

    def _silence(self) -> list[EventBody]:
        return self.fails(
            Error(message="The model ended without saying anything.", reason="model_error")
        )


def _usage(stats: Record) -> TokenUsage | None:
    """Return the tokens of a run; thoughts are only in the total."""
    given, answered = count(stats, "input_tokens"), count(stats, "output_tokens")
    total = count(stats, "total_tokens")
    if given is None and answered is None:
        return None
    if given is not None and total is not None:
        answered = max(answered or 0, total - given)
    return TokenUsage(given, answered, count(stats, "cached"))


def _reason(said: str) -> Reason:
    return reason_of(_ADVICE.sub("", said))
