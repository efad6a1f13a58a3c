"""The journal of one apply: what was there, what was put there, and how far it came.

Its folder holds `journal.json`, `old/<n>` and `new/<n>`. It is complete and on the disk before the
first file of the user changes, so a process that dies at any moment leaves all that is needed to
put everything back.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from caesar_core.errors import OperationError
from caesar_core.repo.lock import locked
from caesar_core.repo.obstacles import State
from caesar_core.repo.worktree import delete_tree

Stage = Literal["prepared", "applied", "undone", "restored"]

_FILE: Final = "journal.json"
_VERSION: Final = 1
_LARGEST: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One file.

    Attributes:
        path: from the top of the tree.
        old: what was there.
        new: what is to be there.

    """

    path: bytes
    old: State
    new: State


@dataclass(frozen=True, slots=True)
class Journal:
    """All files of one apply.

    Attributes:
        folder: where the journal is kept.
        root: the top of the tree that is written to.
        stage: how far it came: prepared (files may have changed), applied, undone, or restored
            (put back after it failed or died).
        entries: the files, in the order in which they change.

    """

    folder: Path
    root: Path
    stage: Stage
    entries: tuple[Entry, ...]

    def content(self, side: Literal["old", "new"], number: int) -> Path:
        """Return where the bytes of entry `number` are kept."""
        return self.folder / side / str(number)

    def advance(self, stage: Stage) -> Journal:
        """Write down how far it came, atomically and durably."""
        moved = replace(self, stage=stage)
        document = {
            "version": _VERSION,
            "root": str(self.root),
            "stage": stage,
            "entries": [_document(entry) for entry in self.entries],
        }
        draft = self.folder / f"{_FILE}.new"
        with draft.open("w", encoding="ascii") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / _FILE)
        sync_folder(self.folder)
        return moved


def read_journal(folder: Path) -> Journal | None:
    """Return the journal kept in `folder`, or `None` when none was completed there.

    Raises:
        OperationError: it is there and cannot be understood.

    """
    try:
        document = json.loads(_read(folder / _FILE))
        if document["version"] != _VERSION:
            raise OperationError(f"{folder / _FILE} was written by another version of caesar.")
        entries = tuple(_entry(item) for item in document["entries"])
        return Journal(folder, Path(document["root"]), document["stage"], entries)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise OperationError(
            f"{folder / _FILE} is damaged: {error}.",
            "old/ beside it holds the files as they were; look, then move the folder away.",
        ) from error


def _read(path: Path) -> bytes:
    """Return what the file holds; a link is not followed, a FIFO not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OperationError(f"Cannot read {path}: {error.strerror}.") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        os.close(descriptor)
        raise OperationError(f"{path} is no journal of ours.", "Look, then move it away.")
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LARGEST)


def open_folder(folder: Path) -> None:
    """Make the empty folder of a new journal.

    Raises:
        OperationError: there is something in it.

    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise OperationError(
            f"{folder} already holds a journal.", "Give every apply its own folder."
        )
    (folder / "old").mkdir()
    (folder / "new").mkdir()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes away from a journal; given up when this process dies.

    Raises:
        OperationError: another process is at work with it.

    """
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder, wait=False))
        except BlockingIOError as error:
            raise OperationError(
                "Another process is applying or undoing this outcome.",
                "Wait for it, then try again.",
            ) from error
        yield


def discard_draft(folder: Path) -> None:
    """Delete what an apply left that died before its journal was complete."""
    parts = {entry.name for entry in folder.iterdir()}
    if parts and parts <= {"old", "new", "staged", f"{_FILE}.new"}:
        delete_tree(folder)


def copy_content(source: Path, target: Path, state: State) -> None:
    """Copy a file or link durably; `target` must not exist."""
    if state.kind == "link":
        target.symlink_to(source.readlink())
        return
    with source.open("rb") as given, target.open("xb") as taken:
        shutil.copyfileobj(given, taken, 1 << 20)
        os.fchmod(taken.fileno(), state.mode)
        taken.flush()
        os.fsync(taken.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "path": os.fsdecode(entry.path),
        "old": asdict(entry.old),
        "new": asdict(entry.new),
    }


def _entry(item: dict[str, Any]) -> Entry:
    return Entry(os.fsencode(item["path"]), State(**item["old"]), State(**item["new"]))
