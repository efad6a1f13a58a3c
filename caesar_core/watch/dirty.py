"""Change notices of the system, turned into marks. Hints only: offsets are the truth."""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable
from typing import Final

from watchdog.events import (
    DirCreatedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from caesar_core.store.layout import Layout
from caesar_core.watch.mark import Mark

_KINDS: Final[list[type[FileSystemEvent]]] = [
    FileModifiedEvent,
    FileCreatedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
]
_log = logging.getLogger(__name__)


class Marks(FileSystemEventHandler):
    """Collects what may have changed; `wake` is called from the observer's thread."""

    def __init__(self, layout: Layout, wake: Callable[[], None]) -> None:
        self._records = f"{layout.records}{os.sep}"
        self._tasks = f"{layout.tasks}{os.sep}"
        self._wake = wake
        self._lock = threading.Lock()
        self._marks: set[Mark] = set()
        self.failures = 0

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note one notice. Never raises: an exception would end the observer for good."""
        try:
            for path in (event.src_path, event.dest_path):
                mark = self.mark_of(os.fsdecode(path)) if path else None
                if mark is not None:
                    self._note(mark)
        except Exception:  # noqa: BLE001 - whatever it is, the next notice has to come
            self.failures += 1
            _log.exception("a change notice could not be read")

    def take(self) -> set[Mark]:
        """Return what was marked since the last call."""
        with self._lock:
            marks, self._marks = self._marks, set()
        return marks

    def mark_of(self, path: str) -> Mark | None:
        """Return what a change of `path` means, `None` for a file that no face shows."""
        if path.startswith(self._records):
            name = path[len(self._records) :]
            return ("record", name[:-5]) if name.endswith(".json") and name[0] != "." else None
        if not path.startswith(self._tasks):
            return None
        task_id, _, rest = path[len(self._tasks) :].partition(os.sep)
        if rest == "events.jsonl":
            return "stream", task_id
        return ("mail", task_id) if rest.startswith(("questions", "answers")) else None

    def _note(self, mark: Mark) -> None:
        with self._lock:
            known = mark in self._marks
            self._marks.add(mark)
        if not known:
            self._wake()


class Notices:
    """The observer of one project. At most one a process: the system has few to give.

    Attributes:
        note: why there are no notices; empty while they come.

    """

    def __init__(self, layout: Layout, marks: Marks) -> None:
        self._layout = layout
        self._marks = marks
        self._observer: BaseObserver | None = None
        self._refused = False
        self.note = "not started"

    def start(self) -> bool:
        """Begin to watch; whether it works. What the system refused once is not asked again."""
        if self._refused:
            return False
        records, tasks = self._layout.records, self._layout.tasks
        if not (records.is_dir() and tasks.is_dir()):
            self.note = "no task yet"
            return False
        # watchdog's warning would print every watch it has, over the dashboard.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\..*")
        observer = Observer()
        try:
            observer.schedule(self._marks, str(records), event_filter=_KINDS)
            observer.schedule(self._marks, str(tasks), recursive=True, event_filter=_KINDS)
            observer.start()
        except OSError as error:
            observer.unschedule_all()
            self._refused = True
            self.note = f"no change notices: {error.strerror or error}"
            return False
        self._observer, self.note = observer, ""
        return True

    def is_alive(self) -> bool:
        """Whether notices can come."""
        return self._observer is not None and self._observer.is_alive()

    def stop(self) -> None:
        """End the observer and its threads."""
        if self._observer is not None and self._observer.is_alive():
            self._observer.stop()
            self._observer.join()
        self._observer = None
