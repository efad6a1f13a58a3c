"""A new repository with a first commit, for demonstrations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from caesar_core.repo.command import Git

_IDENTITY: Final = {
    "GIT_AUTHOR_NAME": "caesar",
    "GIT_AUTHOR_EMAIL": "caesar@localhost",
    "GIT_COMMITTER_NAME": "caesar",
    "GIT_COMMITTER_EMAIL": "caesar@localhost",
}


def create_repository(folder: Path, files: Mapping[str, str], message: str) -> None:
    """Make a repository in an empty folder and commit `files` (path to text) in it.

    Raises:
        GitError: git failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    git = Git(folder).with_environment(**_IDENTITY)
    git.run("init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    git.run("add", "--all")
    git.run("commit", "--quiet", "--no-gpg-sign", "--no-verify", "-m", message)
