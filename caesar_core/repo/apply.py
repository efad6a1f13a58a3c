"""Bring an outcome into the user's tree: three-way, all or nothing, undoable.

Nothing but files of the work tree changes: no commit, no branch, not one byte of the index. The
work tree may be dirty; an outcome that does not fit is refused with every reason, and then nothing
was written.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import OperationError
from caesar_core.repo.changes import ABSENT, SYMLINK, RawChange, text_path
from caesar_core.repo.command import Git, join_nul
from caesar_core.repo.discover import Repository
from caesar_core.repo.journal import Entry, Journal, copy_content, held, open_folder, read_journal
from caesar_core.repo.merge import Conflict, Merged, merge, quarantined
from caesar_core.repo.obstacles import ABSENT_STATE, State, place_of, state_of
from caesar_core.repo.replace import ChangedMeanwhileError, OnStep, carry_out
from caesar_core.repo.snapshot import temporary_index
from caesar_core.repo.worktree import delete_tree

_EXECUTABLE: Final = "100755"


@dataclass(frozen=True, slots=True)
class Preflight:
    """What applying would do.

    Attributes:
        clean: it can be applied.
        conflicts: why it cannot.
        files: what would be written or deleted, sorted, from the top of the repository.
        merged_with_local: those of them that the user had changed as well.
        already_applied: the user's tree holds every change already.

    """

    clean: bool
    conflicts: tuple[Conflict, ...]
    files: tuple[str, ...]
    merged_with_local: tuple[str, ...]
    already_applied: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying did.

    Attributes:
        applied: the user's tree holds the outcome now, whether or not it did before.
        conflicts: why it does not.
        files: what was written or deleted, sorted.
        merged_with_local: those of them that the user had changed as well.
        already_applied: nothing had to be written.
        journal: the folder to hand to `undo` and `recover`; `None` when nothing was written.

    """

    applied: bool
    conflicts: tuple[Conflict, ...]
    files: tuple[str, ...]
    merged_with_local: tuple[str, ...]
    already_applied: bool
    journal: Path | None


def preflight(
    target: Repository,
    base: str,
    tree: str,
    files: Sequence[str] | None = None,
    *,
    filters: Sequence[str] = (),
) -> Preflight:
    """Say what applying the changes from `base` to `tree` would do. Writes nothing.

    Args:
        target: the repository, as seen from the work tree to write to.
        base: what the outcome started from.
        tree: the outcome's tree.
        files: only these files or folders, from the top of the repository; `None` for all.
        filters: the filters that may run (`Worktree.filters`).

    Raises:
        CaesarError: a name in `files` is not among the changes (exit 2).
        GitError: git failed.

    """
    with quarantined(target, filters) as git:
        return _preflight(merge(git, target, base, tree, files))


def apply_outcome(
    target: Repository,
    base: str,
    tree: str,
    files: Sequence[str] | None = None,
    *,
    journal_dir: Path,
    filters: Sequence[str] = (),
    on_step: OnStep | None = None,
) -> Applied:
    """Apply the changes from `base` to `tree`, all or nothing.

    Args:
        target: as for `preflight`.
        base: as for `preflight`.
        tree: as for `preflight`.
        files: as for `preflight`.
        journal_dir: the folder of this one apply's journal: absent, or empty.
        filters: as for `preflight`.
        on_step: told each step before it is taken.

    Raises:
        CaesarError: a name in `files` is not among the changes (exit 2).
        OperationError: a file could not be written; everything was put back.

    """
    with quarantined(target, filters) as git:
        merged = merge(git, target, base, tree, files)
        seen = _preflight(merged)
        if not seen.files:
            return _result(seen, applied=seen.clean, journal=None)
        try:
            with _removed_on_failure(journal_dir):
                journal = _prepare(git, target.git_root, merged, journal_dir)
                carry_out(journal.advance("prepared"), on_step or (lambda _: None))
        except ChangedMeanwhileError as error:
            return _refused(Conflict(text_path(error.path), error.reason))
        except OSError as error:
            raise OperationError(f"Nothing was applied: {error}.") from error
    return _result(seen, applied=True, journal=journal_dir)


def _preflight(merged: Merged) -> Preflight:
    files = sorted(text_path(write.path) for write in merged.writes)
    mixed = sorted(text_path(w.path) for w in merged.writes if w.path in merged.local)
    return Preflight(
        clean=not merged.conflicts,
        conflicts=merged.conflicts,
        files=tuple(files),
        merged_with_local=tuple(mixed),
        already_applied=merged.changed and not merged.conflicts and not files,
    )


def _result(seen: Preflight, *, applied: bool, journal: Path | None) -> Applied:
    return Applied(
        applied=applied,
        conflicts=seen.conflicts,
        files=seen.files,
        merged_with_local=seen.merged_with_local,
        already_applied=seen.already_applied,
        journal=journal,
    )


def _refused(conflict: Conflict) -> Applied:
    return Applied(
        applied=False,
        conflicts=(conflict,),
        files=(),
        merged_with_local=(),
        already_applied=False,
        journal=None,
    )


@contextmanager
def _removed_on_failure(folder: Path) -> Iterator[None]:
    open_folder(folder)
    try:
        with held(folder):
            yield
    except BaseException:
        journal = read_journal(folder)
        if journal is None or journal.stage == "restored":
            delete_tree(folder)
        raise


def _prepare(git: Git, root: Path, merged: Merged, folder: Path) -> Journal:
    assert merged.states is not None
    staged = folder / "staged"
    _check_out(git, merged, staged)
    entries: list[Entry] = []
    for number, write in enumerate(_ordered(merged.writes)):
        old = merged.states[write.path]
        _keep_old(root, write.path, old, folder / "old" / str(number))
        new = _keep_new(staged, write, old, folder / "new" / str(number))
        entries.append(Entry(write.path, old, new))
    delete_tree(staged)
    return Journal(folder, root, "prepared", tuple(entries))


def _ordered(writes: Sequence[RawChange]) -> list[RawChange]:
    """Deletions first: a folder may become a file, and the other way round."""
    return sorted(writes, key=lambda write: (write.new_mode != ABSENT, write.path))


def _check_out(git: Git, merged: Merged, staged: Path) -> None:
    paths = [write.path for write in merged.writes if write.new_mode != ABSENT]
    with temporary_index(git) as index:
        index.run("read-tree", merged.tree)
        index.run("checkout-index", f"--prefix={staged}/", "-z", "--stdin", stdin=join_nul(paths))


def _keep_old(root: Path, path: bytes, old: State, kept: Path) -> None:
    if old.kind == "absent":
        return
    with contextlib.suppress(FileNotFoundError):
        copy_content(place_of(root, path), kept, old)
    if state_of(kept) != old:
        raise ChangedMeanwhileError(path, "it was edited meanwhile")


def _keep_new(staged: Path, write: RawChange, old: State, kept: Path) -> State:
    if write.new_mode == ABSENT:
        return ABSENT_STATE
    made = place_of(staged, write.path)
    if write.new_mode != SYMLINK and old.kind == "file":
        made.chmod(_mode(old.mode, executable=write.new_mode == _EXECUTABLE))
    made.rename(kept)
    return state_of(kept)


def _mode(old: int, *, executable: bool) -> int:
    """Keep the user's permissions; whoever may read may execute, or nobody may."""
    readers = (old & (stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)) >> 2
    every = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
    return old | readers if executable else old & ~every
