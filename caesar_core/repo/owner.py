"""Which project a worktree was made for: several projects may live in one repository.

The answer lies in git's own folder of the worktree, where no agent writes and `git worktree remove`
takes it away.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from caesar_core.repo.discover import Repository

_OWNER: Final = "caesar-root"


def note_owner(repository: Repository, worktree: Path, root: Path) -> None:
    """Write down that the worktree belongs to the project at `root`."""
    folder = _git_folder(repository, worktree)
    if folder is not None:
        (folder / _OWNER).write_bytes(os.fsencode(root))


def owner_of(repository: Repository, worktree: Path) -> Path | None:
    """Return the root of the project that a worktree was made for; `None` when nobody knows."""
    folder = _git_folder(repository, worktree)
    if folder is None:
        return None
    try:
        return Path(os.fsdecode((folder / _OWNER).read_bytes()))
    except OSError:
        return None


def _git_folder(repository: Repository, worktree: Path) -> Path | None:
    wanted = os.path.realpath(worktree)
    for link in (repository.common_dir / "worktrees").glob("*/gitdir"):
        named = Path(os.fsdecode(link.read_bytes().rstrip(b"\n"))).parent
        if os.path.realpath(link.parent / named) == wanted:
            return link.parent
    return None
