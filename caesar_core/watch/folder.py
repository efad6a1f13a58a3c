"""Being woken when a file appears in a folder. A hint only: whoever waits looks for himself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from watchdog.events import (
    FileCreatedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

_KINDS: Final[list[type[FileSystemEvent]]] = [FileCreatedEvent, FileMovedEvent]


class FolderNotices(FileSystemEventHandler):
    """Calls `wake`, from a thread of its own, whenever a file came to stand below a folder.

    Args:
        folder: watched with everything below it.
        wake: must not raise.

    Attributes:
        is_live: whether notices come; the system may have none left to give.
    """

    def __init__(self, folder: Path, wake: Callable[[], None]) -> None:
        self._folder = folder
        self._wake = wake
        self._observer = Observer()
        self.is_live = False

    def __enter__(self) -> Self:
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\..*")
        try:
            self._observer.schedule(self, str(self._folder), recursive=True, event_filter=_KINDS)
            self._observer.start()
        except OSError:
            self._observer.unschedule_all()
        else:
            self.is_live = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.is_live:
            # Not waited for: its threads are daemons, and the waiting loop has other things to do.
            self._observer.stop()
            self.is_live = False

    def on_any_event(self, event: FileSystemEvent) -> None:  # noqa: ARG002 - any will do
        """Pass it on."""
        self._wake()
