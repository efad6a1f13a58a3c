"""What the lines of `codex exec --json` mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, RunContext, TokenUsage
from caesar_core.agents.reading import (
    Record,
    count,
    get,
    mapping,
    objects,
    relative,
    summarize,
    text,
)
from caesar_core.agents.stream import JsonTranslator
from caesar_core.agents.trouble import trouble
from caesar_core.protocol.event import Error, EventBody, FileAction, Progress, Thinking

_ACTIONS: Final[dict[str, FileAction]] = {
    "add": "created",
    "delete": "deleted",
    "rename": "renamed",
}
_RETRYING: Final = "Reconnecting"
_REFUSED: Final = re.compile(r"tools::router: error=(.*(?:rejected|denied|not permitted).*)")
_UNSUPPORTED: Final = re.compile(r"tools::router: error=(unsupported call: .*)")
_NOISE: Final = ("WARNING: proceeding", "Reading additional input")
_ENDED: Final = ("completed", "failed", "declined")


class CodexTranslator(JsonTranslator):
    """Reads threads, turns and items; ids of items are unique within a run."""

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__(context)
        self._completed = False
        self._lines: dict[str, Callable[[Record], list[EventBody] | None]] = {
            "thread.started": self._thread_started,
            "turn.started": lambda _: [],
            "turn.completed": self._turn_completed,
            "turn.failed": self._turn_failed,
            "error": self._error,
            "item.started": lambda record: self._item(record, completed=False),
            "item.updated": lambda record: self._item(record, completed=False),
            "item.completed": lambda record: self._item(record, completed=True),
        }
        self._items: dict[str, Callable[[Record, bool], list[EventBody]]] = {
            "agent_message": self._message,
            "reasoning": self._reasoning,
            "command_execution": self._command,
            "file_change": self._patch,
            "mcp_tool_call": self._mcp,
            "web_search": self._search,
            "collab_tool_call": self._collaboration,
            "todo_list": self._plan,
            "error": self._warning,
        }

    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line, `None` for a line of an unknown kind."""
        reader = self._lines.get(text(record, "type"))
        return None if reader is None else reader(record)

    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Return what only stderr tells: refused patches, and why nothing was streamed."""
        bodies: list[EventBody] = []
        for refused in _REFUSED.findall(stderr_tail):
            bodies += self.is_denied("apply_patch", refused)
        for unsupported in _UNSUPPORTED.findall(stderr_tail):
            bodies.append(Error(message=summarize(unsupported)))
        if self._completed or self.failure is not None or exit_code is None:
            return bodies
        said = _last_words(stderr_tail)
        return bodies + self.fails(
            trouble(said or "Codex ended in the middle of a turn.", fatal=True)
        )

    def _turn_completed(self, record: Record) -> list[EventBody]:
        self._completed = True
        self.goes_on()
        usage = mapping(record, "usage")
        if usage:
            total = TokenUsage(
                count(usage, "input_tokens"),
                count(usage, "output_tokens"),
                count(usage, "cached_input_tokens"),
            )
            self.usage = total.minus(self.context.earlier)
        return []

    def _thread_started(self, record: Record) -> list[EventBody]:
        self.session_id = text(record, "thread_id") or self.session_id
        return []

    def _turn_failed(self, record: Record) -> list[EventBody]:
        return self.fails(trouble(text(record, "error", "message"), fatal=True))

    def _error(self, record: Record) -> list[EventBody]:
        message = text(record, "message")
        if message.startswith(_RETRYING):
            return [trouble(message, fatal=False), *self.step(fruitful=False, why=message)]
        return self.fails(trouble(message, fatal=True))

    def _item(self, record: Record, *, completed: bool) -> list[EventBody] | None:
        item = mapping(record, "item")
        reader = self._items.get(text(item, "type"))
        bodies = None if reader is None else reader(item, completed)
        if bodies:
            self.step(fruitful=True)
        return bodies

    def _message(self, item: Record, completed: bool) -> list[EventBody]:
        said = text(item, "text", limit=1 << 20)
        return self.says(said) if completed else []

    def _reasoning(self, item: Record, completed: bool) -> list[EventBody]:
        thought = text(item, "text")
        return [Thinking(text=thought)] if completed and thought.strip() else []

    def _command(self, item: Record, completed: bool) -> list[EventBody]:
        return self._tool(item, completed, "shell", {"command": get(item, "command")})

    def _mcp(self, item: Record, completed: bool) -> list[EventBody]:
        name = ".".join(filter(None, (text(item, "server"), text(item, "tool")))) or "mcp"
        return self._tool(item, completed, name, get(item, "arguments"))

    def _search(self, item: Record, completed: bool) -> list[EventBody]:
        return self._tool(item, completed, "web_search", get(item, "query"))

    def _collaboration(self, item: Record, completed: bool) -> list[EventBody]:
        name = f"agent.{text(item, 'tool') or 'call'}"
        return self._tool(item, completed, name, get(item, "prompt"))

    def _patch(self, item: Record, completed: bool) -> list[EventBody]:
        paths = filter(None, (text(change, "path") for change in objects(item, "changes")))
        named = ", ".join(relative(path, self.context.workspace) for path in paths)
        bodies = self._tool(item, completed, "apply_patch", named)
        if completed and text(item, "status") == "completed":
            for change in objects(item, "changes"):
                action = _ACTIONS.get(text(change, "kind"), "modified")
                bodies += self.file_changed(text(change, "path"), action)
        return bodies

    def _plan(self, item: Record, completed: bool) -> list[EventBody]:  # noqa: ARG002 - one shape for all items
        steps = list(objects(item, "items"))
        done = sum(get(step, "completed") is True for step in steps)
        if not steps:
            return []
        following = next((text(s, "text") for s in steps if get(s, "completed") is not True), "")
        told = f"{done} of {len(steps)} steps done{f'; next: {following}' if following else ''}"
        return [Progress(message=summarize(told), pct=round(100 * done / len(steps), 1))]

    def _warning(self, item: Record, completed: bool) -> list[EventBody]:
        return [Error(message=summarize(text(item, "message")))] if completed else []

    def _tool(self, item: Record, completed: bool, name: str, given: object) -> list[EventBody]:
        call, status = text(item, "id"), text(item, "status")
        if not completed and status not in _ENDED:
            return self.tool_starts(call, name, given)
        failed = status in {"failed", "declined"} or bool(mapping(item, "error"))
        bodies = self.tool_ends(call, failed=failed, tool=name, given=given)
        if status == "declined":
            bodies += self.is_denied(name, given, call)
        return bodies


def _last_words(stderr: str) -> str:
    """Return the line that says why, else the last one that is not routine."""
    lines = [line.strip() for line in stderr.splitlines()]
    told = [line for line in lines if line and not line.startswith(_NOISE)]
    errors = [line for line in told if line.lower().startswith("error")]
    return (errors or told or [""])[-1]
