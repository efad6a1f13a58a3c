"""A folded stream as a small document, so that a long log is read once (ADR 0010)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from caesar_core.board.views import Ending, StreamView, ToolCallView, Trouble

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A view and the byte offset of `events.jsonl` up to which it holds."""

    stream: StreamView
    offset: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"version": VERSION, "offset": self.offset, "stream": asdict(self.stream)}

    @classmethod
    def from_json(cls, document: object) -> Checkpoint | None:
        """Return the checkpoint in `document`; `None` if it is foreign, so the log is read anew."""
        if not isinstance(document, dict) or document.get("version") != VERSION:
            return None
        offset, stream = document.get("offset"), document.get("stream")
        if not isinstance(offset, int) or not isinstance(stream, dict):
            return None
        try:
            return cls(_stream(stream), offset)
        except (LookupError, TypeError, ValueError):
            return None


def _stream(found: Mapping[str, Any]) -> StreamView:
    last, trouble, ending = found["last_tool"], found["trouble"], found["ending"]
    return StreamView(
        **{
            **found,
            "running": tuple(ToolCallView(**call) for call in found["running"]),
            "last_tool": None if last is None else ToolCallView(**last),
            "files": tuple(map(str, found["files"])),
            "trouble": None if trouble is None else Trouble(**trouble),
            "ending": None if ending is None else Ending(**ending),
        }
    )
