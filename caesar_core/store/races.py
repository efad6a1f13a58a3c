"""The one small file of a race: which tasks run it, from which commit, and when it is decided."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from caesar_core.ids import is_safe_id
from caesar_core.store.atomic import StoreError, read_json, write_atomic
from caesar_core.store.layout import Layout

StopWhen: TypeAlias = Literal["passed", "first", "never"]
STOP_WHEN: Final[tuple[StopWhen, ...]] = get_args(StopWhen)
_LIMIT: Final = 4 << 20
_SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFile:
    """A race as it lies in `state/races/<id>.json`.

    Attributes:
        base_ref: the commit that every contestant starts from.
        task_ids: the contestants, in the order of their start.
        stop_when: the end of which contestant stops the others.
    """

    id: str
    base_ref: str
    created_at: str
    task_ids: tuple[str, ...]
    objective: str = ""
    stop_when: StopWhen = "never"


def save_race(layout: Layout, race: RaceFile) -> None:
    """Write the file.

    Raises:
        StoreError: it cannot be written.
    """
    data = json.dumps(asdict(race), ensure_ascii=False).encode("utf-8", "replace")
    write_atomic(layout.race(race.id), data + b"\n")


def load_race(layout: Layout, race_id: str) -> RaceFile | None:
    """Return the race; `None` when there is no file, or one that is not ours."""
    try:
        document = read_json(layout.race(race_id), _LIMIT)
    except (FileNotFoundError, StoreError):
        return None
    return _race(document) if isinstance(document, dict) else None


def race_ids(layout: Layout) -> list[str]:
    """Return the ids of the races that have a file, sorted."""
    found = (path.name.removesuffix(_SUFFIX) for path in layout.races.glob(f"*{_SUFFIX}"))
    return sorted(race_id for race_id in found if is_safe_id(race_id))


def _race(document: Mapping[str, Any]) -> RaceFile | None:
    texts = {name: document.get(name) for name in ("id", "base_ref", "created_at", "objective")}
    ids, stop = document.get("task_ids"), document.get("stop_when")
    known = isinstance(ids, list) and all(isinstance(i, str) and is_safe_id(i) for i in ids)
    if not known or stop not in STOP_WHEN or not all(isinstance(t, str) for t in texts.values()):
        return None
    return RaceFile(**texts, task_ids=tuple(ids or ()), stop_when=stop)  # type: ignore[arg-type] # looked at above
