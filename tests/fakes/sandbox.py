"""A real git repository in a temporary folder, and an agent that works in a real worktree."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from caesar_core.repo.discover import Repository, find_repository
from caesar_core.repo.snapshot import Snapshot, take_snapshot
from caesar_core.repo.worktree import Worktree, create_worktree

Tree = dict[str, tuple[str, bytes]]
"""Path to (kind and execute bit, content)."""


@dataclass(frozen=True, slots=True)
class Left:
    """What an agent left: the commit it started from and the tree it ended with."""

    base: str
    tree: str
    snapshot: Snapshot
    worktree: Worktree


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A repository whose top is `root`."""

    root: Path

    @classmethod
    def make(cls, root: Path, files: dict[str, str | bytes] | None = None) -> Sandbox:
        """Make a repository; with `files` they become its first commit."""
        root.mkdir(parents=True)
        made = cls(root)
        made.git("init", "-q", "-b", "main")
        made.git("config", "user.email", "dev@example.org")
        made.git("config", "user.name", "Dev")
        if files is not None:
            made.write(files)
            made.commit()
        return made

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """Run plain git, as a user would."""
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files below the root."""
        write(self.root, files)

    def commit(self) -> str:
        """Commit everything and return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-qm", "change", "--allow-empty")
        return self.git("rev-parse", "HEAD").strip()

    def repository(self, below: str = "") -> Repository:
        """Return the repository as caesar sees it from a folder below the root."""
        found = find_repository(self.root / below)
        assert found is not None
        return found

    def index(self) -> bytes:
        """Return the index, byte for byte."""
        return (self.root / ".git" / "index").read_bytes()

    def files(self) -> Tree:
        """Return everything in the work tree except `.git`."""
        return read_tree(self.root)

    def agent(self, work: Callable[[Path], object], *, name: str = "t_1") -> Left:
        """Let an agent work in a new worktree and snapshot what it leaves."""
        worktree = create_worktree(
            self.repository(), self.root.parent / "wt" / name, branch_stem=f"caesar/{name}"
        )
        work(worktree.path)
        return self.snapshot(worktree)

    def snapshot(self, worktree: Worktree, *excluded: str) -> Left:
        """Snapshot a worktree."""
        snapshot = take_snapshot(
            worktree.path,
            excluded=excluded,
            git_file=worktree.git_file,
            filters=worktree.filters,
        )
        return Left(worktree.base_ref, snapshot.tree, snapshot, worktree)

    def listing(self, tree: str) -> dict[str, str]:
        """Return path to mode for every file of a git tree."""
        rows = self.git("ls-tree", "-r", "-z", tree).split("\0")[:-1]
        return {row.partition("\t")[2]: row[:6] for row in rows}


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below `root`, making folders on the way."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def read_tree(root: Path) -> Tree:
    """Return every file and link below `root` except `.git`, byte for byte."""
    found: Tree = {}
    for folder, names, files in os.walk(root):
        if ".git" in names:
            names.remove(".git")
        for name in (*files, *(n for n in names if Path(folder, n).is_symlink())):
            if name == ".git":
                continue
            place = Path(folder, name)
            key = str(place.relative_to(root))
            if place.is_symlink():
                found[key] = ("link", os.fsencode(place.readlink()))
            elif place.is_file():
                executable = bool(place.stat().st_mode & stat.S_IXUSR)
                found[key] = ("exec" if executable else "file", place.read_bytes())
    return found
