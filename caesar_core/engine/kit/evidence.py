"""What is left of a scenario once its task is over: all that a judgement rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from caesar_core.protocol.wire import BadEventError, UnknownVersionError, decode_event

HANDED_IN: Final = frozenset(("channel", "file", "schema"))
_AGENTS_OWN: Final = frozenset(("thinking", "message", "tool_use", "file_changed", "progress"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One task of the kit.

    Attributes:
        word: what the agent could only know from its task, or from an answer.
        status, exit_code, signal: the end of its process.
        source: where its report came from; report_status: its own verdict.
        invalid: a report was there that could not be accepted.
        files: text of each changed file by path, `None` where it is not text or gone.
        outside: what it changed outside of its workspace.
        asked: how many questions it stored.
        events: how many it appended itself; bad_lines: lines that are no events.
        seconds: from its start to its end.
        stopped_late: it had to be killed.
    """

    word: str
    status: str
    exit_code: int | None = None
    signal: str | None = None
    source: str | None = None
    report_status: str | None = None
    report: Mapping[str, Any] = field(default_factory=dict)
    invalid: bool = False
    files: Mapping[str, str | None] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    asked: int = 0
    events: int = 0
    bad_lines: int = 0
    seconds: float = 0.0

    @property
    def summary(self) -> str:
        """The report's summary."""
        return str(self.report.get("summary") or "")

    @property
    def handed_in(self) -> bool:
        """Whether the report is the agent's own, handed in as the contract says."""
        return self.source in HANDED_IN

    @property
    def stopped_late(self) -> bool:
        """Whether asking did not end it."""
        return self.signal == "SIGKILL"

    @property
    def how_it_ended(self) -> str:
        """The end of the process in words."""
        if self.signal:
            return f"ended by {self.signal}"
        return "ended" if self.exit_code is None else f"exited with {self.exit_code}"


def count_events(data: bytes) -> tuple[int, int]:
    """Return how many events of a stream are the agent's, and how many lines are none at all."""
    own = bad = 0
    for line in data.splitlines():
        try:
            own += decode_event(line).type in _AGENTS_OWN
        except (BadEventError, UnknownVersionError):
            bad += 1
    return own, bad
