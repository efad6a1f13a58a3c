"""What a task changed: the list and the patch, whole or of some files, or against another task."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from caesar_core.engine.outcomes import Located, require_readable, why_nothing
from caesar_core.engine.paths import from_project, in_repository
from caesar_core.engine.worktrees import snapshot_of
from caesar_core.errors import CaesarError
from caesar_core.repo.changes import FileChange, list_changes, write_patch
from caesar_core.repo.discover import Repository

_IN_MEMORY: Final = 32 << 20


class NoPathError(CaesarError):
    """A file was named that the outcome does not change."""

    code = "unknown_path"


@dataclass(frozen=True, slots=True)
class Diff:
    """What lies between two trees.

    Attributes:
        files: what changed.
        note: why there is nothing, or what else to know; empty mostly.
        repository: where both trees are; `None` when there is nothing to compare.
        base: the tree compared with.
        tree: the outcome's tree.
        selected: whether `files` is a choice of several.
    """

    task_id: str
    files: tuple[FileChange, ...]
    note: str = ""
    repository: Repository | None = None
    base: str = ""
    tree: str = ""
    selected: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing was changed."""
        return not self.files

    def shown_path(self, change: FileChange) -> str:
        """Return a changed file's path as seen from the project."""
        return from_project(change.path, self.repository.prefix if self.repository else "")

    def write_patch(self, out: BinaryIO, *, ignore_space: bool = False) -> None:
        """Write it as `git apply` takes it, in constant memory.

        With `ignore_space` it is for reading only.
        """
        if self.repository is not None:
            paths = _exact_names(self.files) if self.selected else None
            git = self.repository.git()
            write_patch(git, self.base, self.tree, out, paths, ignore_space=ignore_space)

    def patch(self) -> bytes:
        """Return it as `git apply` takes it."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as out:
            self.write_patch(cast("BinaryIO", out))
            out.seek(0)
            return out.read()


def diff(
    located: Located,
    *,
    files: Sequence[str] = (),
    against: Located | None = None,
    look_for_edits: bool = True,
) -> Diff:
    """Compare a task's outcome with what it started from, or with another task's.

    Args:
        files: only these files or folders, as seen from the project.
        look_for_edits: say in the note whether the worktree was edited since; it costs a snapshot.

    Raises:
        UnreadableOutcomeError: nobody knows what it changed.
        NoPathError: `files` names something that is not in it.
    """
    require_readable(located)
    outcome, repository, record = located.outcome, located.repository, located.record
    if outcome is None or repository is None:
        return Diff(record.id, (), why_nothing(record))
    base = outcome.base_ref
    if against is not None:
        base = against.outcome.tree if against.outcome else against.record.base_ref or base
    changes = list_changes(
        repository.git(), base, outcome.tree, prefix=repository.prefix, head=repository.head
    )
    chosen = _chosen(changes, files, repository) if files else changes
    return Diff(
        task_id=record.id,
        files=chosen,
        note=_drift(located) if look_for_edits else "",
        repository=repository,
        base=base,
        tree=outcome.tree,
        selected=bool(files),
    )


def _drift(located: Located) -> str:
    """Return a sentence when the worktree was edited after the task's end, else nothing."""
    record, outcome = located.record, located.outcome
    try:
        now = snapshot_of(record)
    except CaesarError as error:
        return f"The worktree cannot be read: {error.message}"
    if now is None or outcome is None:
        return ""
    if now.tree == outcome.tree:
        return ""
    return "The worktree was edited after the task ended; this is the state at its end."


def _chosen(
    changes: Iterable[FileChange], wanted: Iterable[str], repository: Repository
) -> tuple[FileChange, ...]:
    chosen: dict[FileChange, None] = {}
    for name in wanted:
        path = in_repository(name, repository.prefix, repository.git_root)
        fitting = [c for c in changes if c.path == path or c.path.startswith(f"{path}/")]
        if not fitting:
            raise NoPathError(
                f"The task does not change {name}.", "`caesar diff --name-only` lists its files."
            )
        chosen.update(dict.fromkeys(fitting))
    return tuple(chosen)


def _exact_names(changes: Iterable[FileChange]) -> list[bytes]:
    """Return the names for git, both of a renamed file."""
    both = ((change.path_bytes, change.old_path_bytes) for change in changes)
    return [name for names in both for name in names if name is not None]
