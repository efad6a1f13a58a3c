"""Disposable worktrees: made completely or not at all, removed without following a link."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import OperationError
from caesar_core.identity import is_signed_by_dead, signature
from caesar_core.repo.command import Git, GitError
from caesar_core.repo.discover import Repository
from caesar_core.repo.lock import locked
from caesar_core.repo.revisions import require_commit
from caesar_core.text import slug

_BRANCH_TRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree as it was made.

    Attributes:
        path: its top.
        workspace: where the agent works: `path` plus the project's prefix in the repository.
        branch: the branch made for it.
        base_ref: the commit it starts from, as a full id.
        git_file: the content of its `.git` file; hand it to whoever runs git there.
        filters: the filters configured at that moment (`Git.list_filters`); only these may ever
            run on what the agent leaves.

    """

    path: Path
    workspace: Path
    branch: str
    base_ref: str
    git_file: bytes
    filters: tuple[str, ...]

    def git(self) -> Git:
        """Return a runner in this worktree."""
        return worktree_git(self.path, self.git_file, self.filters)


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """What git knows of a worktree now.

    Attributes:
        path: its top.
        branch: the branch checked out, or `None` when HEAD is detached.
        head: the commit checked out, or `None` when there is none.
        exists: the folder is there.
        locked: somebody locked it.

    """

    path: Path
    branch: str | None
    head: str | None
    exists: bool
    locked: bool


def worktree_git(path: Path, git_file: bytes, filters: tuple[str, ...]) -> Git:
    """Return a runner in a worktree that checks `.git` and blanks filters that came later."""
    return Git(path, expect_git_file=(path / ".git", git_file), filters=filters)


def branch_name(label: str, objective: str, task_id: str) -> str:
    """Return `caesar/<label>/<objective>-<first 8 digits of the id>`, without empty words."""
    short = task_id.removeprefix("t_").replace("-", "")[:8]
    tail = "-".join(word for word in (slug(objective), short) if word)
    return "/".join(word for word in ("caesar", slug(label), tail) if word)


def create_worktree(
    repository: Repository, path: Path, *, branch_stem: str, base_ref: str = "HEAD"
) -> Worktree:
    """Make a worktree of `base_ref` at `path` on a new branch.

    The branch is `branch_stem`, or a free name like it: an existing branch is never touched. No
    hook runs, large files of git-lfs stay pointers, and a sparse checkout is as sparse as the main
    one.

    Raises:
        OperationError: `path` exists, or git failed; nothing is left behind then.

    """
    git = repository.git()
    base = require_commit(git, base_ref)
    if os.path.lexists(path):
        raise OperationError(f"{path} exists already.", "Remove it, or run `caesar gc`.")
    filters = git.list_filters()
    branch = _free_branch(git, branch_stem)
    add = ("worktree", "add", "--quiet", "--no-track", "-b", branch, "--", str(path), base)
    with _undone_on_failure(repository, path, branch, base):
        # git trips over an entry that another `worktree add` has only half written.
        with locked(repository.common_dir, wait=True):
            git.with_environment(GIT_NO_LAZY_FETCH="0").run(*add)
        return Worktree(
            path=path,
            workspace=path / repository.prefix,
            branch=branch,
            base_ref=base,
            git_file=(path / ".git").read_bytes(),
            filters=filters,
        )


def remove_worktree(
    repository: Repository, path: Path, branch: str | None, *, keep_branch: bool
) -> None:
    """Remove a worktree, only its own entry in the repository, and its branch unless it is kept.

    Links inside are detached, never followed. A folder that is gone already, a lock and read-only
    files do not matter.

    Raises:
        OperationError: `path` is or contains the repository, or something could not be deleted.

    """
    if _contains(path, repository.git_root) or _contains(path, repository.common_dir):
        raise OperationError(f"{path} holds the repository itself: not removed.")
    _remove_at_once(path)
    git = repository.git()
    if worktree_state(repository, path) is not None:
        with locked(repository.common_dir, wait=True):
            git.run("worktree", "remove", "--force", "--force", "--", str(path))
    if branch is not None and not keep_branch:
        git.run("branch", "--quiet", "-D", "--", branch, ok=(0, 1))


def drop_branch(repository: Repository, branch: str, base: str) -> None:
    """Remove a branch that still is where it was made; any other stays."""
    repository.git().run("update-ref", "-d", f"refs/heads/{branch}", base, ok=(0, 1, 128))


def list_worktrees(repository: Repository) -> tuple[WorktreeState, ...]:
    """Return every worktree that git knows, the main one first."""
    states: list[WorktreeState] = []
    fields: dict[bytes, bytes] = {}
    for item in _listing(repository).split(b"\0"):
        if item:
            key, _, value = item.partition(b" ")
            fields[key] = value
        elif fields:
            states.append(_state(fields))
            fields = {}
    return tuple(states)


def worktree_state(repository: Repository, path: Path) -> WorktreeState | None:
    """Return what git knows of the worktree at `path`, or `None` when it knows none there."""
    wanted = os.path.realpath(path)
    for state in list_worktrees(repository):
        if os.path.realpath(state.path) == wanted:
            return state
    return None


def delete_tree(path: Path) -> None:
    """Delete a folder or whatever it is, read-only content included; links are not followed.

    Raises:
        OperationError: something could not be deleted.

    """
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            _make_writable(path)
            shutil.rmtree(path)
        else:  # a FIFO or a socket too, which `rmtree` would open and wait for
            path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise OperationError(f"Cannot delete {path}: {error.strerror}.") from error


def _remove_at_once(path: Path) -> None:
    """Delete a worktree under another name: killed half-way, it looks like nobody's work."""
    aside = path.with_name(f".{path.name}.{signature()}.tmp")
    with suppress(OSError):
        path.rename(aside)
    delete_tree(aside)
    delete_tree(path)
    with suppress(OSError):
        for entry in list(os.scandir(path.parent)):
            if entry.name.endswith(".tmp") and is_signed_by_dead(entry.name):
                delete_tree(Path(entry.path))


def _listing(repository: Repository) -> bytes:
    git = repository.git()
    words = ("worktree", "list", "--porcelain", "-z")
    try:
        return git.run(*words).stdout
    except GitError:
        # Perhaps one is being made at this moment.
        with locked(repository.common_dir, wait=True):
            return git.run(*words).stdout


def _free_branch(git: Git, stem: str) -> str:
    heads = git.text("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/").split("\n")
    taken = set(heads)
    folders = {head[:at] for head in heads for at, sign in enumerate(head) if sign == "/"}
    flat = stem.replace("/", "-")
    numbered = (f"{name}-{number}" for number in range(2, _BRANCH_TRIES) for name in (stem, flat))
    for name in (stem, flat, *numbered):
        above = {name[:at] for at, sign in enumerate(name) if sign == "/"}
        if name not in taken and name not in folders and not above & taken:
            return name
    raise OperationError(f"No free branch name like {stem}.", "Delete old caesar/… branches.")


@contextmanager
def _undone_on_failure(
    repository: Repository, path: Path, branch: str, base: str
) -> Iterator[None]:
    existed = next(parent for parent in path.parents if parent.exists())
    try:
        yield
    except BaseException as error:
        remove_worktree(repository, path, None, keep_branch=True)
        if "already exists" not in str(error):
            # git makes the branch first and leaves it when the checkout fails.
            drop_branch(repository, branch, base)
        _remove_empty(path.parent, existed)
        raise


def _remove_empty(folder: Path, stop: Path) -> None:
    while folder != stop:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _state(fields: dict[bytes, bytes]) -> WorktreeState:
    path = Path(os.fsdecode(fields[b"worktree"]))
    branch = (
        os.fsdecode(fields[b"branch"]).removeprefix("refs/heads/") if b"branch" in fields else None
    )
    head = fields.get(b"HEAD", b"").decode("ascii")
    return WorktreeState(
        path=path,
        branch=branch,
        head=head if head.strip("0") else None,
        exists=path.is_dir(),
        locked=b"locked" in fields,
    )


def _contains(outer: Path, inner: Path) -> bool:
    # A link at `outer` is only ever unlinked, so what it points at does not count.
    place = outer.parent.resolve() / outer.name
    return inner.resolve().is_relative_to(place)


def _make_writable(top: Path) -> None:
    top.chmod(stat.S_IRWXU)
    for folder, names, _ in os.walk(top):
        for inner in (Path(folder, name) for name in names):
            if not inner.is_symlink():
                inner.chmod(stat.S_IRWXU)
