"""Repositories that an agent made inside its worktree and never committed to.

Project generators leave such a thing behind. git itself can record nothing of it, so its files are
recorded as if they belonged to the outer repository.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from caesar_core.repo.command import Git, join_nul
from caesar_core.repo.obstacles import kind_of, place_of


def record_embedded(git: Git, place: bytes) -> None:
    """Put the files of a repository without a commit into the index of the one around it.

    Its own ignore rules count; no filter runs.

    Args:
        git: a runner at the top of the outer work tree, with a temporary index.
        place: the inner repository, relative to that.

    """
    inner = Git(place_of(git.cwd, place), filters=())
    listed = inner.items("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = [place + b"/" + name for name in dict.fromkeys(listed) if b"\n" not in name]
    files = [path for path in paths if kind_of(place_of(git.cwd, path)) == "file"]
    links = [path for path in paths if kind_of(place_of(git.cwd, path)) == "link"]
    lines = [
        f"{_mode(place_of(git.cwd, path))} {name}\t".encode() + path
        for path, name in zip(files, _stored(git, files), strict=True)
    ]
    for link in links:
        target = os.fsencode(place_of(git.cwd, link).readlink())
        name = git.text("hash-object", "-w", "--no-filters", "--stdin", stdin=target)
        lines.append(f"120000 {name}\t".encode() + link)
    for path in paths:
        if path.endswith(b"/"):
            record_embedded(git, path.rstrip(b"/"))
    git.run("update-index", "--add", "-z", "--index-info", stdin=join_nul(lines))


def _stored(git: Git, files: Sequence[bytes]) -> list[str]:
    if not files:
        return []
    fed = b"".join(path + b"\n" for path in files)
    return git.text("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=fed).split("\n")


def _mode(file: Path) -> str:
    return "100755" if os.access(file, os.X_OK) else "100644"
