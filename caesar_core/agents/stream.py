"""What the translators of all JSON streams share: pairing of tools, troubles, fruitless steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from caesar_core.agents.base import NO_CONTEXT, BaseTranslator, Denial, RunContext
from caesar_core.agents.reading import (
    LONGEST_FINAL_TEXT,
    LONGEST_TEXT,
    Record,
    read_object,
    relative,
    summarize,
)
from caesar_core.protocol.event import Error, EventBody, FileAction, FileChanged, Message, ToolUse
from caesar_core.text import clip, counted, one_line

FRUITLESS_STEPS: Final = 10
_LONGEST_NAME: Final = 200
_REMEMBERED_TOOLS: Final = 4_096
_REMEMBERED_DENIALS: Final = 200


class JsonTranslator(BaseTranslator, ABC):
    """Base of the translators; a subclass implements :meth:`translate` and :meth:`conclude`.

    A subclass reads with `agents.reading`, says what it did not understand by returning `None`,
    and never emits `Started` or `Finished`: these are the engine's.
    """

    def __init__(self, context: RunContext = NO_CONTEXT) -> None:
        super().__init__()
        self.context = context
        self._open: dict[str, ToolUse] = {}
        self._ended: dict[str, None] = {}
        self._denied_calls: set[str] = set()
        self._fruitless = 0

    def feed(self, line: str) -> Sequence[EventBody]:
        """Return the events that one line of stdout means; never raises."""
        if not line.strip():
            return ()
        record = read_object(line)
        try:
            bodies = None if record is None else self.translate(record)
        except Exception:  # noqa: BLE001 - a line that defeats us must not cost the task
            bodies = None
        if bodies is None:
            self.unknown_lines += 1
            return ()
        return bodies

    def feed_stderr(self, line: str) -> Sequence[EventBody]:
        """Return the events that one line of stderr means; never raises."""
        try:
            return self.hear(line)
        except Exception:  # noqa: BLE001 - a line that defeats us must not cost the task
            return ()

    def finish(self, exit_code: int | None, stderr_tail: str) -> Sequence[EventBody]:
        """Return what only shows at the end; tools that never ended are ended here."""
        bodies = [*self.end_open_tools()]
        try:
            bodies += self.conclude(exit_code, stderr_tail)
        except Exception as error:  # noqa: BLE001 - the report has to be written whatever it was
            bodies += self.fails(Error(message=f"The end of the run is unclear: {error!r}."))
        return bodies

    @abstractmethod
    def translate(self, record: Record) -> list[EventBody] | None:
        """Return the events of one line, `None` for a line of an unknown kind."""

    def hear(self, line: str) -> list[EventBody]:  # noqa: ARG002 - for subclasses
        """Return the events of one line of stderr; most CLIs say nothing there that counts."""
        return []

    @abstractmethod
    def conclude(self, exit_code: int | None, stderr_tail: str) -> list[EventBody]:
        """Return what the end of the process adds; see :meth:`Translator.finish`."""

    # -- what the agent says

    def says(self, said: str, *, final: bool = True) -> list[EventBody]:
        """Return a message; it becomes the final text unless a sub-agent said it."""
        if not said.strip():
            return []
        if final:
            self.final_text = said[-LONGEST_FINAL_TEXT:]
        return [Message(text=clip(said, LONGEST_TEXT))]

    @staticmethod
    def sub_agent(name: str) -> str:
        """Return what marks the words and tools of a sub-agent: the task it was given."""
        return f"[sub-agent: {one_line(name, 60)}] "

    # -- tools

    def tool_starts(self, call: str, tool: str, given: object = "") -> list[EventBody]:
        """Return the start of a tool call, once for each id."""
        call, tool = call[:_LONGEST_NAME], one_line(tool, _LONGEST_NAME)
        if call in self._open or call in self._ended:
            return []
        started = ToolUse(tool=tool, id=call, input_summary=self._summary(given))
        if len(self._open) >= _REMEMBERED_TOOLS:
            self._open.pop(next(iter(self._open)))
        self._open[call] = started
        return [started]

    def _summary(self, given: object) -> str:
        """Return a tool's input in one line, a path of the workspace relative to it."""
        return summarize(given).removeprefix(f"{self.context.workspace}/")

    def tool_ends(
        self, call: str, *, failed: bool, tool: str = "", given: object = ""
    ) -> list[EventBody]:
        """Return the end of a tool call, once for each id, after a start that was not seen.

        A call that nobody named and whose start is unknown gets its end alone, without a name.
        """
        call, tool = call[:_LONGEST_NAME], one_line(tool, _LONGEST_NAME)
        if call in self._ended:
            return []
        bodies = self.tool_starts(call, tool, given) if tool else []
        started = self._open.pop(call, ToolUse(tool=tool, id=call))
        if len(self._ended) >= _REMEMBERED_TOOLS:
            self._ended.pop(next(iter(self._ended)))
        self._ended[call] = None
        return [*bodies, replace(started, status="failed" if failed else "succeeded")]

    def started_tool(self, call: str) -> ToolUse | None:
        """Return a call that is under way."""
        return self._open.get(call[:_LONGEST_NAME])

    def end_open_tools(self) -> list[EventBody]:
        """Return an end, as failed, for every call that was cut off."""
        return [body for call in tuple(self._open) for body in self.tool_ends(call, failed=True)]

    def file_changed(self, path: str, action: FileAction) -> list[EventBody]:
        """Return a change of a file, its path relative to the workspace where it lies in it."""
        if not path:
            return []
        return [FileChanged(path=relative(path, self.context.workspace), action=action)]

    # -- trouble

    def fails(self, error: Error) -> list[EventBody]:
        """Return an error that the run ends in, and remember it; the same one only once."""
        error = replace(error, fatal=True)
        known, self.failure = self.failure, error
        return [] if known is not None and known.message == error.message else [error]

    def goes_on(self) -> None:
        """Forget a failure: the stream shows that the run went on after it."""
        self.failure = None

    def is_denied(self, tool: str, what: object, call: str = "") -> list[EventBody]:
        """Return an error for a denied permission and remember it; each call only once."""
        denial = Denial(one_line(tool, _LONGEST_NAME), summarize(what))
        known = call in self._denied_calls if call else denial in self.denials
        if known or len(self.denials) >= _REMEMBERED_DENIALS:
            return []
        self._denied_calls.add(call)
        self.denials = (*self.denials, denial)
        words = f"Permission denied: {denial.tool} {denial.what}".strip()
        return [Error(message=words, reason="permission_denied")]

    def step(self, *, fruitful: bool, why: str = "") -> list[EventBody]:
        """Count a step; after ten in a row that bring nothing the run is given up."""
        self._fruitless = 0 if fruitful else self._fruitless + 1
        if self._fruitless < FRUITLESS_STEPS or self.gives_up:
            return []
        steps = counted(FRUITLESS_STEPS, "step")
        self.gives_up = f"{steps} in a row brought nothing{f': {why}' if why else ''}."
        return self.fails(Error(message=self.gives_up, reason="model_error"))
