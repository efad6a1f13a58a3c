"""`state/paused/<agent>.json`: an agent whose provider has refused further work for now.

The file outlives its moment: how often it has come to that counts until a task goes well again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from caesar_core.clock import parse_iso
from caesar_core.ids import is_safe_id
from caesar_core.store.atomic import StoreError, read_json, write_atomic
from caesar_core.store.layout import Layout

_LIMIT: Final = 1 << 20
_SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause; moments are ISO 8601.

    Attributes:
        reason: `quota` or `rate_limit`.
        until: new tasks wait for this moment.
        stated: the provider named the moment; else it is a guess of ours.
        message: what the provider said.
        task_id: the task that was refused.
        failures: how many times in a row it has come to this.
    """

    agent: str
    reason: str
    since: str
    until: str
    stated: bool
    message: str = ""
    task_id: str = ""
    failures: int = 1

    def holds(self, now: datetime) -> bool:
        """Whether it is not over."""
        end = parse_iso(self.until)
        return end is not None and now < end


def save_pause(layout: Layout, pause: Pause) -> None:
    """Write a pause.

    Raises:
        StoreError: it cannot be written.
    """
    data = json.dumps(asdict(pause), ensure_ascii=False).encode("utf-8", "replace")
    write_atomic(layout.pause(pause.agent), data + b"\n", durable=False)


def load_pause(layout: Layout, agent_id: str) -> Pause | None:
    """Return the last pause of an agent, over or not; `None` when there is none to be read."""
    try:
        document = read_json(layout.pause(agent_id), _LIMIT)
    except (FileNotFoundError, StoreError):
        return None
    return _pause(document) if isinstance(document, dict) else None


def clear_pause(layout: Layout, agent_id: str) -> bool:
    """Forget the pause of an agent: waiting tasks start. Whether there was one."""
    try:
        layout.pause(agent_id).unlink()
    except FileNotFoundError:
        return False
    return True


def pauses(layout: Layout, now: datetime) -> list[Pause]:
    """Return the pauses that hold, by agent."""
    try:
        names = [p.name.removesuffix(_SUFFIX) for p in layout.pauses.iterdir()]
    except OSError:
        return []
    found = (load_pause(layout, name) for name in sorted(names) if is_safe_id(name))
    return [pause for pause in found if pause is not None and pause.holds(now)]


def _pause(document: Mapping[str, Any]) -> Pause | None:
    texts = {
        key: document.get(key)
        for key in ("agent", "reason", "since", "until", "message", "task_id")
    }
    failures = document.get("failures")
    if not all(isinstance(value, str) for value in texts.values()):
        return None
    if not isinstance(failures, int) or failures < 1:
        return None
    stated = document.get("stated") is True
    return Pause(**texts, stated=stated, failures=failures)  # type: ignore[arg-type]
