"""The records of all tasks: created once, changed under a lock, listed cheaply."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from caesar_core.clock import Clock, SystemClock
from caesar_core.errors import CaesarError, NotFoundError
from caesar_core.ids import is_safe_id
from caesar_core.store.atomic import (
    StoreError,
    create_exclusive,
    read_bounded,
    read_json,
    store_error,
    write_atomic,
)
from caesar_core.store.layout import Layout
from caesar_core.store.lock import file_lock
from caesar_core.store.records import BadRecordError, Record

_LIMIT: Final = 4 << 20
_SUFFIX: Final = ".json"
_LASTING: Final = frozenset(("worktree", "branch", "outcome"))
_FINAL_KEYS: Final = frozenset(("status", "ended_at", "phase"))


class TaskExistsError(CaesarError):
    """A record of that id exists already."""

    code = "exists"


class DamagedRecordError(StoreError):
    """The record of a task cannot be read; nothing is concluded from it, nothing is killed."""

    code = "damaged"


@dataclass(frozen=True, slots=True)
class Scan:
    """All records at one moment.

    Attributes:
        records: ordered by id.
        damaged: id and reason of each record that cannot be read.

    """

    records: tuple[Record, ...]
    damaged: tuple[tuple[str, str], ...]


class RecordStore:
    """The records under `state/tasks/` of one project."""

    def __init__(self, layout: Layout, clock: Clock | None = None) -> None:
        self._layout = layout
        self._clock = clock or SystemClock()

    def create(self, record: Record) -> None:
        """Store a new record; of two creations of one id, one wins.

        Raises:
            TaskExistsError: there is a record of that id.
            StoreError: it cannot be written.

        """
        if not create_exclusive(self._layout.record(record.id), _encode(record)):
            raise TaskExistsError(f"The task {record.id} exists already.")

    def get(self, task_id: str) -> Record | None:
        """Return the record of a task, `None` when there is none.

        Raises:
            CaesarError: `task_id` is not an id.
            DamagedRecordError: there is a record and it cannot be read.

        """
        try:
            return _read(self._layout.record(task_id), task_id)
        except FileNotFoundError:
            return None
        except (BadRecordError, StoreError) as error:
            raise DamagedRecordError(
                f"The record of {task_id} is damaged: {str(error).rstrip('.')}.",
                f"Look at {self._layout.record(task_id)}; the task's own files are kept.",
            ) from None

    def update(self, task_id: str, **changes: Any) -> Record:
        """Change some keys of a record, losing nobody else's change, and return the result.

        Once a task is over, `status`, `ended_at` and `phase` stay as they are: a late writer
        cannot turn a cancelled task into a failed one.

        Raises:
            NotFoundError: there is no record of that id.
            DamagedRecordError: there is one and it cannot be read.
            LockBusyError, StoreError: it cannot be locked or written.

        """
        lock = self._layout.record_lock(task_id)
        with file_lock(lock, clock=self._clock):
            record = self.get(task_id)
            if record is None:
                raise NotFoundError(f"No task {task_id}.", "`caesar ps --all` lists every task.")
            if not record.is_active:
                changes = {k: v for k, v in changes.items() if k not in _FINAL_KEYS}
            changed = replace(record, **changes)
            if changed != record:
                # The steps in between die with the processes anyway when the power goes.
                durable = not changed.is_active or not _LASTING.isdisjoint(changes)
                write_atomic(self._layout.record(task_id), _encode(changed), durable=durable)
            if not changed.is_active:
                lock.unlink(missing_ok=True)
        return changed

    def restore(self, record: Record) -> bool:
        """Write a record that is gone or damaged, as the one who supervises the task knows it.

        Returns:
            Whether it was written: a sound one that is there stays.

        Raises:
            LockBusyError, StoreError: it cannot be locked or written.
        """
        path = self._layout.record(record.id)
        with file_lock(self._layout.record_lock(record.id), clock=self._clock):
            try:
                if self.get(record.id) is not None:
                    return False
            except DamagedRecordError:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
            write_atomic(path, _encode(record), durable=False)
            return True

    def list_ids(self) -> list[str]:
        """Return the ids of all records, damaged ones too, in order."""
        try:
            with os.scandir(self._layout.records) as entries:
                names = [entry.name for entry in entries]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise store_error("list", self._layout.records, error) from error
        ids = (name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
        return sorted(task_id for task_id in ids if is_safe_id(task_id))

    def scan(self) -> Scan:
        """Read every record; one that cannot be read is reported and hides no other."""
        records: list[Record] = []
        damaged: list[tuple[str, str]] = []
        folder = self._layout.records
        for task_id in self.list_ids():
            try:
                records.append(_read(folder / f"{task_id}{_SUFFIX}", task_id))
            except FileNotFoundError:
                continue
            except (BadRecordError, StoreError) as error:
                damaged.append((task_id, str(error)))
        return Scan(tuple(records), tuple(damaged))

    def base_ref(self, record: Record) -> str | None:
        """Return what the outcome is compared with; a foreign record has it in `task.json` only."""
        if record.base_ref is not None:
            return record.base_ref
        try:
            order = read_json(self._layout.task(record.id).task, _LIMIT)
        except (FileNotFoundError, StoreError):
            return None
        found = order.get("base_ref") if isinstance(order, dict) else None
        return found if isinstance(found, str) else None


def _encode(record: Record) -> bytes:
    return json.dumps(record.to_json(), indent=1).encode("ascii") + b"\n"


def _read(path: Path, task_id: str) -> Record:
    try:
        document = json.loads(read_bounded(path, _LIMIT))
    except (ValueError, RecursionError) as error:
        raise BadRecordError(f"not JSON: {error}") from None
    record = Record.from_json(document)
    if record.id != task_id:
        raise BadRecordError(f"it is the record of {record.id[:80]!r}")
    return record
