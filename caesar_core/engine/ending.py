"""How a run ended, and how far that has been written down: what makes concluding repeatable.

The end of a process can be seen once. It is stored before anything else, so that a supervisor
that follows a killed one goes on from there instead of guessing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from caesar_core.process.supervise import Ending
from caesar_core.protocol.event import Reason
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic
from caesar_core.store.records import Status
from caesar_core.text import human_duration

_LIMIT: Final = 1 << 20
_STATUS: Final[dict[str, Status]] = {"cancelled": "cancelled", "timed_out": "timed_out"}
_REASON: Final[dict[str, Reason]] = {"cancelled": "cancelled", "timed_out": "timeout"}


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the run ended.

    Attributes:
        status: the final state of the process, and only of it.
        sentence: what happened, empty when the agent exited with 0.
        unknown: nobody saw how the agent ended; its own report decides.
    """

    status: Status
    sentence: str = ""
    exit_code: int | None = None
    signal: str | None = None
    reason: Reason | None = None
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class EndState:
    """The end of a task and how far it was written down, as `state/plans/<id>.end.json` holds it.

    Attributes:
        report_taken: the agent's report was put aside; `report.json` is ours from now on.
        unreadable: why the agent's `report.json` could not be read.
        events_from: bytes of `events.jsonl` before our last events; `None` before that step.
    """

    end: RunEnd
    report_taken: bool = False
    unreadable: str = ""
    events_from: int | None = None


def end_of(
    ending: Ending, deadline_ms: int, given_up: str = "", why: Reason = "model_error"
) -> RunEnd:
    """Return what an ending means for the task.

    Args:
        ending: how the process ended.
        deadline_ms: its time limit.
        given_up: why it was stopped, when not because somebody asked for it.
        why: the reason that this is.
    """
    if ending.kind == "cancelled" and given_up:
        return RunEnd("failed", given_up, ending.exit_code, ending.signal, why)
    if ending.kind in _STATUS:
        limit = human_duration(deadline_ms / 1000)
        sentence = {
            "cancelled": "The task was cancelled.",
            "timed_out": f"The task ran into its limit of {limit}.",
        }[ending.kind]
        if ending.survived:
            sentence += " Not even SIGKILL has ended its agent."
        return RunEnd(
            _STATUS[ending.kind], sentence, ending.exit_code, ending.signal, _REASON[ending.kind]
        )
    if ending.kind == "lost":
        sentence = "The agent is gone, and how it ended is not known: its supervisor had died."
        return RunEnd("failed", sentence, reason="other", unknown=True)
    if ending.exit_code == 0:
        return RunEnd("succeeded", exit_code=0)
    how = f"ended by {ending.signal}" if ending.signal else f"exited with {ending.exit_code}"
    return RunEnd("failed", f"The agent {how}.", ending.exit_code, ending.signal)


class EndFile:
    """The stored end of one task; each step is on disk before the next one begins."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> EndState | None:
        """Return the end as it was stored, `None` when the task has not come to it.

        Of a damaged file nothing is believed, least of all a `report.json` that may be ours.
        """
        try:
            document = json.loads(read_bounded(self._path, _LIMIT))
            return EndState(end=RunEnd(**document.pop("end")), **document)
        except FileNotFoundError:
            return None
        except (StoreError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
            sentence = "How the task ended is not known: the note of it is damaged."
            return EndState(RunEnd("failed", sentence, reason="other"), report_taken=True)

    def begin(self, end: RunEnd) -> EndState:
        """Store how the run ended, unless that is stored already; return what holds.

        Raises:
            StoreError: it cannot be written.
        """
        return self.load() or self._save(EndState(end))

    def amend(self, state: EndState, end: RunEnd) -> EndState:
        """Store an end that turned out otherwise after the run. Raises StoreError."""
        return state if state.end == end else self._save(replace(state, end=end))

    def take_report(self, state: EndState, unreadable: str) -> EndState:
        """Store that the agent's report was put aside. Raises StoreError."""
        return self._save(replace(state, report_taken=True, unreadable=unreadable))

    def note_events(self, state: EndState, size: int) -> EndState:
        """Store where our last events begin. Raises StoreError."""
        return self._save(replace(state, events_from=size))

    def _save(self, state: EndState) -> EndState:
        write_atomic(self._path, json.dumps(asdict(state)).encode("ascii"))
        return state
