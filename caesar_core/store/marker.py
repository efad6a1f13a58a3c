"""Who holds a lease or a slot, as a small JSON file says, and whether that one still lives."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from caesar_core.identity import ProcessRef, current, is_alive, is_pid, pid_is_alive
from caesar_core.store.atomic import StoreError, read_json

HolderState: TypeAlias = Literal["active", "stale", "unknown"]
_LIMIT: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Marker:
    """A holder.

    Attributes:
        token: made anew for each holding; only who knows it may remove the file.
        started: start time of the process (see `identity`); `None` in the reference
            implementation's files.
        host: the machine; empty in the reference implementation's leases.
        since: ISO 8601 (`startedAt` in the file); may be empty.
        agent: whose slot it is or will be; empty in the reference implementation's.
        agent_limit: how many slots that agent may have, `None` when only the sum counts.

    """

    pid: int
    token: str
    label: str = ""
    started: float | None = None
    host: str = ""
    since: str = ""
    agent: str = ""
    agent_limit: int | None = None

    @classmethod
    def mine(
        cls, label: str, since: str = "", *, agent: str = "", agent_limit: int | None = None
    ) -> Marker:
        """Return a new marker of this process."""
        me, token = current(), uuid.uuid4().hex
        return cls(
            me.pid,
            token,
            label,
            me.started,
            hostname(),
            since,
            agent=agent,
            agent_limit=agent_limit,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; what is not known is left out."""
        document = {
            "pid": self.pid,
            "token": self.token,
            "label": self.label,
            "started": self.started,
            "host": self.host,
            "startedAt": self.since,
            "agent": self.agent,
            "agentLimit": self.agent_limit,
        }
        return {key: value for key, value in document.items() if value not in ("", None)}

    def state(self) -> HolderState:
        """Whether the holder lives; of another machine nothing is known."""
        if self.host and self.host != hostname():
            return "unknown"
        if self.started is None:
            return "active" if pid_is_alive(self.pid) else "stale"
        return "active" if is_alive(ProcessRef(self.pid, self.started)) else "stale"


def read_marker(path: Path) -> Marker | None:
    """Return the marker that a file holds, `None` when there is none or it is not readable."""
    try:
        document = read_json(path, _LIMIT)
    except (FileNotFoundError, StoreError):
        return None
    return _decode(document) if isinstance(document, dict) else None


def hostname() -> str:
    """Return this machine's name as the reference implementation writes it."""
    return os.uname().nodename


def _decode(document: Mapping[str, Any]) -> Marker | None:
    pid, token = document.get("pid"), document.get("token")
    if not is_pid(pid) or not isinstance(token, str):
        return None
    started, limit = document.get("started"), document.get("agentLimit")
    return Marker(
        pid=pid,
        token=token,
        label=_text(document, "label"),
        started=float(started) if isinstance(started, int | float) else None,
        host=_text(document, "host"),
        since=_text(document, "startedAt"),
        agent=_text(document, "agent"),
        agent_limit=limit if is_pid(limit) else None,
    )


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""
