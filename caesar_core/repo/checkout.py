"""A commit in a folder of its own for as long as somebody needs it there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from caesar_core.repo.discover import Repository
from caesar_core.repo.lock import locked
from caesar_core.repo.worktree import Worktree, remove_worktree


@contextmanager
def checked_out(
    repository: Repository, path: Path, commit: str, *, filters: Sequence[str]
) -> Iterator[Worktree]:
    """Give a worktree of `commit` at `path`, on no branch; it is gone afterwards.

    What somebody who died left at `path` goes first. No hook runs, and no filter but `filters`.

    Raises:
        OperationError: git or the disk failed.
    """
    remove_worktree(repository, path, None, keep_branch=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    git = repository.git(filters=filters).with_environment(GIT_NO_LAZY_FETCH="0")
    try:
        with locked(repository.common_dir, wait=True):
            git.run("worktree", "add", "--quiet", "--detach", "--", str(path), commit)
        yield Worktree(
            path=path,
            workspace=path / repository.prefix,
            branch="",
            base_ref=commit,
            git_file=(path / ".git").read_bytes(),
            filters=tuple(filters),
        )
    finally:
        remove_worktree(repository, path, None, keep_branch=True)
