"""What an agent's stream said, against how its process ended: what of it goes into the result."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from caesar_core.agents.base import SilentTranslator, Translator
from caesar_core.agents.stream import JsonTranslator
from caesar_core.engine.ending import RunEnd
from caesar_core.text import counted

_STOPPED: Final = frozenset(("cancelled", "timed_out"))
_HANDED_IN: Final = frozenset(("channel", "file", "schema"))
_DENIALS_SHOWN: Final = 20
_SESSION: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}")


@dataclass(frozen=True, slots=True)
class Said:
    """A stream that has been read to its end."""

    translator: Translator

    @property
    def final_text(self) -> str | None:
        """The agent's last words."""
        return self.translator.final_text

    @property
    def session_id(self) -> str | None:
        """The CLI's name of the session, if it can be an argument of a later command line."""
        told = self.translator.session_id
        return told if told and _SESSION.fullmatch(told) else None

    @property
    def plain_output(self) -> str | None:
        """What a person may read of the output; `None` when all of `raw.log` is that."""
        if not isinstance(self.translator, JsonTranslator):
            return None
        # Not its stderr: what explains a failure stands in its sentence, the rest is routine.
        return ""

    def weighed(self, end: RunEnd) -> RunEnd:
        """Return the end with the CLI's own account of it: an exit code of 0 proves nothing."""
        failure = self.translator.failure
        if failure is None or end.status in _STOPPED or failure.message in end.sentence:
            return end
        lead = end.sentence.removesuffix(".")
        sentence = f"{lead}: {failure.message}" if lead else failure.message
        if sentence[-1:].isalnum() or sentence.endswith((")", "]", "}", "/")):
            sentence += "."
        return replace(end, status="failed", sentence=sentence, reason=failure.reason or "other")

    def tells_failure(self, end: RunEnd) -> bool:
        """Whether the stream's events say already why the run failed."""
        failure = self.translator.failure
        return failure is not None and end.status == "failed" and failure.message in end.sentence

    def usage(self, claimed: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return what the run took: by the stream, else by the agent's own report."""
        found = self.translator.usage
        told = {} if found is None else asdict(found)
        if not any(told.values()):  # nothing but zeros: no model ever answered
            told = {}
        merged = {**(claimed or {}), **{k: v for k, v in told.items() if v is not None}}
        return merged or None

    def findings(self, source: str) -> list[tuple[str, str, str, str | None]]:
        """Return what the stream adds to the report: denied permissions, lines not understood."""
        found: list[tuple[str, str, str, str | None]] = []
        denials = self.translator.denials
        if denials:
            severity = "medium" if source in _HANDED_IN else "high"
            title = f"{counted(len(denials), 'action')} denied by the agent's permissions"
            listed = [f"- {denial.tool}: {denial.what}" for denial in denials[:_DENIALS_SHOWN]]
            if len(denials) > _DENIALS_SHOWN:
                listed.append(f"- and {len(denials) - _DENIALS_SHOWN} more")
            found.append((severity, title, "\n".join(listed), None))
        lines = self.translator.unknown_lines
        if lines:
            detail = "They stand in raw.log. The agent's version may be newer than this program."
            title = f"{counted(lines, 'line')} of the agent's output not understood"
            found.append(("info", title, detail, None))
        return found

    def holds_back(self, source: str) -> bool:
        """Whether a success is doubtful: permissions were denied, and nobody handed it in."""
        return bool(self.translator.denials) and source not in _HANDED_IN


def own_exit_code(end: RunEnd) -> int | None:
    """Return the exit code that the agent chose itself, for `Translator.finish`."""
    return None if end.status in _STOPPED or end.unknown else end.exit_code


NOTHING_SAID: Final = Said(SilentTranslator())
