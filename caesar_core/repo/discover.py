"""Which git repository a folder is in, and whether worktrees can be made of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caesar_core.errors import CaesarError
from caesar_core.repo.command import Git, GitError
from caesar_core.repo.revisions import commit_of


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as seen from one folder.

    Attributes:
        git_root: the top of the work tree; of a bare repository the repository itself.
        git_dir: the folder that `.git` is or names.
        common_dir: what all worktrees share; equals `git_dir` in a main worktree.
        prefix: the asked folder below `git_root`, with `/`, empty at the top.
        head: the commit checked out, or `None` before the first one.
        bare: there is no work tree.

    """

    git_root: Path
    git_dir: Path
    common_dir: Path
    prefix: str
    head: str | None
    bare: bool

    @property
    def usable(self) -> bool:
        """Whether worktrees can be made of it."""
        return not self.bare and self.head is not None

    def git(self, *, filters: Sequence[str] | None = None) -> Git:
        """Return a runner at the top of the work tree, tied to this repository."""
        environment = {"GIT_DIR": str(self.git_dir)}
        if not self.bare:
            environment["GIT_WORK_TREE"] = str(self.git_root)
        return Git(self.git_root, filters=filters, environment=environment)


def find_repository(path: Path) -> Repository | None:
    """Return the repository that `path` is in, or `None` outside of any.

    Raises:
        GitError: git refuses to look, for instance because the folder belongs to another user.
        CaesarError: the path of the repository holds a line break.

    """
    git = Git(path)
    asked = git.run(
        "rev-parse",
        "--path-format=absolute",
        "--is-bare-repository",
        "--git-dir",
        "--git-common-dir",
        "--show-prefix",
        "--show-toplevel",
        ok=(0, 128),
    )
    lines = os.fsdecode(asked.stdout).removesuffix("\n").split("\n")
    if len(lines) not in (4, 5):
        if b"not a git repository" in asked.stderr:
            return None
        if asked.returncode == 0:
            raise CaesarError(
                f"The path of the repository around {path} holds a line break.",
                "Move it to a path without one.",
            )
        raise GitError(("rev-parse",), asked.returncode, asked.stderr or b"unreadable answer")
    bare, git_dir, common_dir, prefix, top = (*lines, "")[:5]
    inside = asked.returncode == 0
    return Repository(
        git_root=Path(top) if inside else Path(git_dir),
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        prefix=prefix.rstrip("/") if inside else "",
        head=commit_of(git, "HEAD"),
        bare=bare == "true" or not inside,
    )


def unusable_reason(path: Path, repository: Repository | None) -> tuple[str, str] | None:
    """Return why no worktree can be made at `path`, and the remedy; `None` when one can.

    Args:
        path: the folder, for the words.
        repository: what `find_repository` says of it.
    """
    if repository is None:
        return f"{path} is not in a git repository.", "Run `git init` and make a first commit."
    if repository.bare:
        return f"{path} is a bare repository.", "Run caesar in a clone of it."
    if repository.head is None:
        return f"{repository.git_root} has no commit yet.", "Make a first commit."
    return None
