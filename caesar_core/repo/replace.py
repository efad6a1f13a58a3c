"""Changing several files of the user, all or none.

Every file is compared just before it is replaced, written beside its place and renamed into it.
Whatever goes wrong, what was changed is put back from the journal.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from caesar_core.repo.journal import Entry, Journal, copy_content, sync_folder
from caesar_core.repo.obstacles import is_folder, obstacle, place_of, reachable, state_at

OnStep = Callable[[str], None]
"""Told the name of each step before it is taken; a test may die in it."""

_DRAFT: Final = ".caesar-apply-"


class ChangedMeanwhileError(Exception):
    """A file is not any more what the merge saw; everything was put back."""

    def __init__(self, path: bytes, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


def carry_out(journal: Journal, on_step: OnStep) -> Journal:
    """Change every file of a prepared journal.

    Raises:
        ChangedMeanwhileError: a file was changed by somebody else in the meantime.
        OSError: a file could not be written. In both cases everything was put back.

    """
    leaving = {entry.path for entry in journal.entries if entry.new.kind == "absent"}
    try:
        for number, entry in enumerate(journal.entries):
            on_step(f"check {number}")
            _check(journal.root, entry, leaving)
            _put(journal, number, "new", on_step)
        _sync_folders(journal)
        on_step("mark")
    except BaseException:
        put_back(journal)
        raise
    return journal.advance("applied")


def put_back(journal: Journal) -> tuple[Entry, ...]:
    """Restore every file that holds what the journal put there, last one first.

    Files that hold neither the old nor the new content were edited by somebody since and are left
    alone. Returns those.
    """
    foreign: list[Entry] = []
    for number, entry in reversed(list(enumerate(journal.entries))):
        if reachable(journal.root, entry.path):
            _draft(journal, number).unlink(missing_ok=True)
        found = state_at(journal.root, entry.path)
        if found == entry.old:
            continue
        wanted = entry.old.kind != "absent"
        if found == entry.new and not obstacle(journal.root, entry.path, leaving=(), wanted=wanted):
            _put(journal, number, "old", lambda _: None)
        else:
            foreign.append(entry)
    _sync_folders(journal)
    journal.advance("restored")
    return tuple(foreign)


def _check(root: Path, entry: Entry, leaving: set[bytes]) -> None:
    wanted = entry.new.kind != "absent"
    reason = obstacle(root, entry.path, leaving=leaving, wanted=wanted)
    if not reason and state_at(root, entry.path) != entry.old:
        reason = "it was edited meanwhile"
    if reason:
        raise ChangedMeanwhileError(entry.path, reason)


def _put(journal: Journal, number: int, side: Literal["old", "new"], on_step: OnStep) -> None:
    entry = journal.entries[number]
    place = place_of(journal.root, entry.path)
    state = entry.new if side == "new" else entry.old
    if state.kind == "absent":
        on_step(f"delete {number}")
        place.unlink()
        _prune(journal.root, place.parent)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = _draft(journal, number)
    on_step(f"draft {number}")
    copy_content(journal.content(side, number), draft, state)
    on_step(f"replace {number}")
    _clear_folder(place)
    draft.replace(place)


def _sync_folders(journal: Journal) -> None:
    folders = {place_of(journal.root, entry.path).parent for entry in journal.entries}
    for folder in sorted(folders):
        if is_folder(folder):
            sync_folder(folder)


def _draft(journal: Journal, number: int) -> Path:
    folder = place_of(journal.root, journal.entries[number].path).parent
    return folder / f"{_DRAFT}{journal.folder.name}-{number}"


def _prune(root: Path, folder: Path) -> None:
    while folder != root:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _clear_folder(place: Path) -> None:
    """Remove empty folders where a file is to be; one that holds files makes it fail."""
    if is_folder(place):
        for folder, _, _ in os.walk(place, topdown=False):
            Path(folder).rmdir()
