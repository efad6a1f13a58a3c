"""Take an apply back, or put back what a dying process left half done.

An undo works on the bytes that the journal kept, so it needs no object of the repository: a file
that nobody touched since is restored exactly, in an edited one only the outcome's lines go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import OperationError
from caesar_core.repo.changes import text_path
from caesar_core.repo.command import Git
from caesar_core.repo.journal import (
    Entry,
    Journal,
    copy_content,
    discard_draft,
    held,
    open_folder,
    read_journal,
)
from caesar_core.repo.merge import Conflict
from caesar_core.repo.obstacles import State, obstacle, place_of, state_at, state_of
from caesar_core.repo.replace import ChangedMeanwhileError, OnStep, carry_out, put_back
from caesar_core.repo.scratch import scratch_folder
from caesar_core.repo.worktree import delete_tree

UNDO: Final = "undo"
"""The folder in a journal that an undo under way keeps its own journal in."""
_BINARY: Final = 255


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did.

    Attributes:
        undone: something was taken back.
        conflicts: why nothing was.
        files: what was written or deleted, sorted, from the top of the repository.

    """

    undone: bool
    conflicts: tuple[Conflict, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was found after a process died.

    Attributes:
        interrupted: there was something to put back.
        files: what was put back, sorted.
        left_alone: files that somebody edited since, which were not touched.

    """

    interrupted: bool
    files: tuple[str, ...]
    left_alone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """How one file goes back: `content` are the bytes to put there, when there are any."""

    entry: Entry
    content: Path


def undo(journal_dir: Path, *, on_step: OnStep | None = None) -> Undone:
    """Take an apply back, all or nothing; edits made since stay.

    Nothing to undo (never applied, undone already, or every file is as it was) gives
    `undone=False` without a conflict.

    Args:
        journal_dir: `Applied.journal`.
        on_step: told each step before it is taken.

    Raises:
        OperationError: the journal is damaged, or a file could not be written; everything was put
            back then.

    """
    recover(journal_dir)
    journal = read_journal(journal_dir)
    if journal is None or journal.stage != "applied":
        return Undone(undone=False, conflicts=(), files=())
    with held(journal_dir), scratch_folder("undo") as scratch:
        steps, conflicts = _plan(journal, Path(scratch))
        if conflicts:
            return Undone(undone=False, conflicts=conflicts, files=())
        try:
            done = _carry_out(journal, steps, on_step or (lambda _: None))
        except ChangedMeanwhileError as error:
            conflict = Conflict(text_path(error.path), error.reason)
            return Undone(undone=False, conflicts=(conflict,), files=())
        except OSError as error:
            raise OperationError(f"Nothing was undone: {error}.") from error
    return Undone(undone=bool(done), conflicts=(), files=done)


def recover(journal_dir: Path) -> Recovery:
    """Put back what an apply or undo that died had changed; harmless when none did.

    Call it for every journal before anything else is applied.

    Raises:
        OperationError: the journal is damaged, another process is at work with it, or a file could
            not be written.

    """
    if not journal_dir.is_dir():
        return Recovery(interrupted=False, files=(), left_alone=())
    try:
        with held(journal_dir):
            return _recover(journal_dir)
    except OSError as error:
        raise OperationError(f"Cannot put back what {journal_dir} holds: {error}.") from error


def _recover(folder: Path) -> Recovery:
    journal = read_journal(folder)
    if journal is None:
        discard_draft(folder)
        return Recovery(interrupted=False, files=(), left_alone=())
    inner = read_journal(folder / UNDO)
    if inner is not None and inner.stage == "applied":
        journal = journal.advance("undone")
    halves = [half for half in (inner, journal) if half and half.stage == "prepared"]
    left_alone = [entry for half in halves for entry in put_back(half)]
    delete_tree(folder / UNDO)
    files = [entry for half in halves for entry in half.entries if entry not in left_alone]
    return Recovery(bool(halves), _names(files), _names(left_alone))


def _plan(journal: Journal, scratch: Path) -> tuple[list[_Step], tuple[Conflict, ...]]:
    leaving = {entry.path for entry in journal.entries if entry.old.kind == "absent"}
    steps: list[_Step] = []
    conflicts: list[Conflict] = []
    for number, entry in enumerate(journal.entries):
        found = state_at(journal.root, entry.path)
        if found == entry.old:
            continue
        wanted = entry.old.kind != "absent"
        reason = obstacle(journal.root, entry.path, leaving=leaving, wanted=wanted)
        step = None if reason else _step(journal, number, found, scratch)
        if step is None:
            conflicts.append(Conflict(text_path(entry.path), reason or "it was changed since"))
        else:
            steps.append(step)
    steps.sort(key=lambda step: (step.entry.new.kind != "absent", step.entry.path))
    return steps, tuple(conflicts)


def _step(journal: Journal, number: int, found: State, scratch: Path) -> _Step | None:
    entry = journal.entries[number]
    if found == entry.new:
        return _Step(Entry(entry.path, found, entry.old), journal.content("old", number))
    if {found.kind, entry.new.kind, entry.old.kind} != {"file"}:
        return None
    merged = scratch / str(number)
    sides = (
        place_of(journal.root, entry.path),
        journal.content("new", number),
        journal.content("old", number),
    )
    words = ("merge-file", "-p", "--quiet", *map(str, sides))
    output = Git(scratch).run(*words, ok=(*range(128), _BINARY))
    if output.returncode:
        return None
    merged.write_bytes(output.stdout)
    merged.chmod(_mode(found, entry))
    return _Step(Entry(entry.path, found, state_of(merged)), merged)


def _mode(found: State, entry: Entry) -> int:
    """Take back the change of mode, unless the user changed it since."""
    return entry.old.mode if found.mode == entry.new.mode else found.mode


def _carry_out(journal: Journal, steps: Sequence[_Step], on_step: OnStep) -> tuple[str, ...]:
    folder = journal.folder / UNDO
    open_folder(folder)
    for number, step in enumerate(steps):
        for side, state, source in (
            ("old", step.entry.old, place_of(journal.root, step.entry.path)),
            ("new", step.entry.new, step.content),
        ):
            if state.kind != "absent":
                copy_content(source, folder / side / str(number), state)
    entries = tuple(step.entry for step in steps)
    inner = Journal(folder, journal.root, "prepared", entries).advance("prepared")
    carry_out(inner, on_step)
    journal.advance("undone")
    delete_tree(folder)
    return _names(entries)


def _names(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(sorted(text_path(entry.path) for entry in entries))
