"""What git saw of one file, as reports speak of it; light, because every supervisor holds it."""

from __future__ import annotations

from dataclasses import dataclass

from caesar_core.protocol.event import FileAction


@dataclass(frozen=True, slots=True)
class Observed:
    """One file that git saw change; `path` relative to the workspace, with `/`."""

    path: str
    action: FileAction
    old_path: str | None = None
