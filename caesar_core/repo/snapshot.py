"""What a folder holds now, as a git tree: the outcome of a task.

A snapshot goes through a copy of the index in a temporary folder, so the agent's own index, its
locks and its files stay exactly as they are.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.repo.changes import text_path
from caesar_core.repo.command import Git, GitError, Output, join_nul
from caesar_core.repo.discover import Repository
from caesar_core.repo.embedded import record_embedded
from caesar_core.repo.scratch import scratch_folder
from caesar_core.repo.worktree import worktree_git

_DIED: Final = 128
_WITHOUT_COMMIT: Final = "does not have a commit checked out"
_CAESAR: Final = ".caesar"
_REFUSAL: Final = re.compile(rb"^(?:error|warning|fatal): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that could not be recorded.

    Attributes:
        path: relative to the top of the worktree.
        reason: a sentence for people.

    """

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A recorded state.

    Attributes:
        tree: the id of the git tree.
        left_out: what the tree does not hold although it is there.

    """

    tree: str
    left_out: tuple[LeftOut, ...]


def take_snapshot(
    worktree: Path, *, excluded: Sequence[str] = (), git_file: bytes, filters: tuple[str, ...]
) -> Snapshot:
    """Record all of a worktree except ignored files and `excluded` ones.

    Ignored files count once the agent has staged or committed them. Of a repository that the agent
    made inside, git records a link to its commit (mode 160000); while it has none, its files are
    recorded instead.

    Args:
        worktree: its top.
        excluded: paths relative to the top; each excludes itself and what is below it.
        git_file: the content of `.git` as the worktree was made (`Worktree.git_file`).
        filters: `Worktree.filters`.

    Raises:
        TamperedWorktreeError: `.git` is not ours any more.
        GitError: git failed.

    """
    git = worktree_git(worktree, git_file, filters)
    with _copied_index(git) as copy:
        left_out = _add_everything(copy)
        _drop(copy, excluded)
        return Snapshot(copy.text("write-tree"), left_out)


def snapshot_workspace(
    repository: Repository, workspace: Path, *, filters: Sequence[str] | None = None
) -> Snapshot | None:
    """Record what a folder of the user's own work tree holds, without touching the user's index.

    Two of them compare by content: a further edit of a dirty file shows, an untouched dirty file
    does not. `.caesar` is left out, ignored files too. `None` before the first commit.
    """
    if not repository.usable:
        return None
    git = repository.git(filters=filters)
    where = os.path.relpath(workspace.resolve(), repository.git_root.resolve())
    with _copied_index(git) as copy:
        left_out = _add_everything(copy, where)
        entry = _CAESAR if where == "." else f"{where}/{_CAESAR}"
        _drop(copy, (_CAESAR, entry))
        return Snapshot(copy.text("write-tree"), left_out)


def snapshot_commit(git: Git, commit: str, *, excluded: Sequence[str] = ()) -> Snapshot:
    """Record what a commit holds except `excluded` paths, when its worktree is gone."""
    with temporary_index(git) as index:
        index.run("read-tree", commit)
        _drop(index, excluded)
        return Snapshot(index.text("write-tree"), ())


@contextmanager
def temporary_index(git: Git) -> Iterator[Git]:
    """Give a runner whose index is an empty temporary one."""
    with _temporary_index(git) as (copy, _):
        yield copy


@contextmanager
def _temporary_index(git: Git) -> Iterator[tuple[Git, str]]:
    with scratch_folder("index") as folder:
        path = f"{folder}/index"
        yield git.with_environment(GIT_INDEX_FILE=path), path


@contextmanager
def _copied_index(git: Git) -> Iterator[Git]:
    own = git.text("rev-parse", "--git-path", "index")
    with _temporary_index(git) as (copy, path):
        try:
            # With its timestamps: git takes an entry as clean only when it is older than the index.
            shutil.copy2(own, path)
            _see_everything(copy)
        except (FileNotFoundError, GitError):
            # None yet, or one that an agent broke: everything is read anew.
            copy.run("read-tree", copy.text("hash-object", "-t", "tree", os.devnull))
        yield copy


def _see_everything(git: Git) -> None:
    """Forget the marks that hide a present file from `git add`."""
    assumed: list[bytes] = []
    skipped: list[bytes] = []
    top = os.fsencode(git.cwd)
    for item in git.items("ls-files", "-z", "-v"):
        tag, path = item[:1], item[2:]
        if tag.islower():
            assumed.append(path)
        if tag in b"Ss" and os.path.lexists(top + b"/" + path):
            skipped.append(path)
    for option, paths in (("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)):
        if paths:
            git.run("update-index", option, "-z", "--stdin", stdin=join_nul(paths))


def _add_everything(git: Git, where: str = ".") -> tuple[LeftOut, ...]:
    place = os.fsencode(where)
    added = _add(git, [place])
    if added.returncode == 0:
        return ()
    said = added.stderr
    if added.returncode == _DIED:
        said = _add_piecewise(git, _pending(git, where))
    reasons = [os.fsdecode(line) for line in _REFUSAL.findall(said)]
    left_out: list[LeftOut] = []
    for path in dict.fromkeys(path.rstrip(b"/") for path in _pending(git, where)):
        name = os.fsdecode(path)
        if f"'{name}/' {_WITHOUT_COMMIT}" in reasons:
            record_embedded(git, path)
        else:
            left_out.append(LeftOut(text_path(path), _reason(name, reasons)))
    return tuple(left_out)


def _add(git: Git, paths: Sequence[bytes]) -> Output:
    words = ("add", "--all", "--sparse", "--ignore-errors")
    feed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    return git.run(*words, *feed, stdin=join_nul(paths), ok=(0, 1, _DIED))


def _add_piecewise(git: Git, paths: Sequence[bytes]) -> bytes:
    """Add in halves, and halves of those: a file that makes git die takes no other along."""
    if not paths:
        return b""
    added = _add(git, paths)
    if added.returncode != _DIED or len(paths) == 1:
        return added.stderr
    middle = len(paths) // 2
    return _add_piecewise(git, paths[:middle]) + _add_piecewise(git, paths[middle:])


def _pending(git: Git, where: str) -> list[bytes]:
    others = git.items("ls-files", "-z", "--others", "--exclude-standard", "--", where)
    return [*others, *git.items("diff-files", "-z", "--name-only", "--", where)]


def _reason(path: str, said: Sequence[str]) -> str:
    return next((line for line in said if path in line), "git refuses to record it")


def _drop(git: Git, excluded: Sequence[str]) -> None:
    wanted = [os.fsencode(path.strip("/")) for path in excluded if path.strip("/")]
    if not wanted:
        return
    tracked = git.items("ls-files", "-z", "--cached")
    gone = [path for path in tracked if any(_within(path, place) for place in wanted)]
    if gone:
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_nul(gone))


def _within(path: bytes, place: bytes) -> bool:
    return path == place or path.startswith(place + b"/")
