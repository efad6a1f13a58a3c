"""What a name in a repository stands for: a branch, a tag, an id."""

from __future__ import annotations

from typing import Final

from caesar_core.repo.command import Git

_VERIFY: Final = ("rev-parse", "--verify", "--quiet", "--end-of-options")


def commit_of(git: Git, name: str) -> str | None:
    """Return the commit that a name stands for, `None` when it stands for none."""
    found = git.run(*_VERIFY, f"{name}^{{commit}}", ok=(0, 1, 128))
    return found.stdout.decode("ascii").strip() or None


def require_commit(git: Git, name: str) -> str:
    """Return the commit that a name stands for.

    Raises:
        GitError: there is none.
    """
    return git.text("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")


def tree_of(git: Git, name: str) -> str:
    """Return the tree that a name stands for.

    Raises:
        GitError: there is none.
    """
    return git.text("rev-parse", "--verify", "--end-of-options", f"{name}^{{tree}}")


def is_merged(git: Git, commit: str) -> bool:
    """Whether the branch that is checked out holds a commit already."""
    found = git.run("merge-base", "--is-ancestor", commit, "HEAD", ok=(0, 1, 128))
    return found.returncode == 0


def content_of(git: Git, name: str) -> bytes:
    """Return the content of a file, named by `REVISION:PATH`; nothing when there is none."""
    found = git.run("cat-file", "blob", name, ok=(0, 128))
    return b"" if found.returncode else found.stdout
