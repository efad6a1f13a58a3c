"""`[worktree] copy` and `link`: files that git does not carry, placed in a new worktree."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.discover import Repository
from caesar_core.repo.ignore import ignored_paths
from caesar_core.repo.worktree import Worktree

Progress = Callable[[int, int], None]
"""Told `(done_bytes, total_bytes)` while copies are made."""

_FORBIDDEN: Final = frozenset({"", ".", "..", ".git", ".caesar"})
_FICLONE: Final = 0x40049409


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was not placed, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Materialized:
    """What was placed.

    Attributes:
        placed: relative to the top of the worktree; to be excluded from the outcome.
        skipped: relative to the project's root, as configured.

    """

    placed: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def materialize(
    repository: Repository,
    root: Path,
    worktree: Worktree,
    *,
    copy: Sequence[str] = (),
    link: Sequence[str] = (),
    progress: Progress | None = None,
) -> Materialized:
    """Place paths of the project in a worktree: copies first, then links.

    A path is skipped when it is absent, tracked, not ignored by git, or in the worktree already.

    Args:
        repository: the repository as seen from `root`.
        root: the project's root; `copy` and `link` are relative to it.
        worktree: where to.
        copy: paths to copy, sharing blocks where the file system can.
        link: paths to link to, with an absolute target.
        progress: told about the bytes copied.

    Raises:
        CaesarError: a path is absolute, climbs, or names `.git` or `.caesar`; nothing was written.
        OperationError: a copy failed.

    """
    wanted = list(dict.fromkeys(_checked(path) for path in (*copy, *link)))
    reasons = _reasons(repository, root, worktree, wanted)
    copied = {_checked(path) for path in copy}
    todo = [path for path in wanted if path not in reasons]
    total = sum(_size(root / path) for path in todo if path in copied)
    report = _Meter(total, progress)
    for path in sorted(todo, key=lambda path: path not in copied):
        _place(root / path, worktree.workspace / path, linked=path not in copied, meter=report)
    below = f"{repository.prefix}/" if repository.prefix else ""
    return Materialized(
        placed=tuple(below + path for path in todo),
        skipped=tuple(Skipped(path, reason) for path, reason in reasons.items()),
    )


class _Meter:
    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done = 0
        self._total = total
        self._progress = progress

    def add(self, size: int) -> None:
        self._done += size
        if self._progress is not None:
            self._progress(self._done, self._total)


def _checked(path: str) -> str:
    parts = path.rstrip("/").split("/")
    if path.startswith("/") or any(part.lower() in _FORBIDDEN for part in parts):
        raise CaesarError(
            f"[worktree] path {path!r} is not allowed.",
            "Name a file or folder below the project's root, without '..', '.git' or '.caesar'.",
        )
    return "/".join(parts)


def _reasons(
    repository: Repository, root: Path, worktree: Worktree, paths: Sequence[str]
) -> dict[str, str]:
    git = repository.git()
    below = f"{repository.prefix}/" if repository.prefix else ""
    ignored = ignored_paths(git, [os.fsencode(below + path) for path in paths])
    reasons: dict[str, str] = {}
    for path in paths:
        if not os.path.lexists(root / path):
            reasons[path] = "absent"
        elif git.run("ls-files", "-z", "--", below + path).stdout:
            reasons[path] = "tracked by git"
        elif os.fsencode(below + path) not in ignored:
            reasons[path] = "not ignored by git"
        elif os.path.lexists(worktree.workspace / path):
            reasons[path] = "already in the worktree"
    return reasons


def _place(source: Path, target: Path, *, linked: bool, meter: _Meter) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if linked:
            target.symlink_to(source)
        else:
            _copy(source, target, meter)
    except OSError as error:
        raise OperationError(f"Cannot place {source} in the worktree: {error}.") from error


def _copy(source: Path, target: Path, meter: _Meter) -> None:
    if source.is_dir() and not source.is_symlink():
        target.mkdir()
        for entry in sorted(source.iterdir()):
            _copy(entry, target / entry.name, meter)
        shutil.copystat(source, target)
        return
    status = source.lstat()
    if stat.S_ISLNK(status.st_mode):
        target.symlink_to(source.readlink())
    elif stat.S_ISREG(status.st_mode):
        if not _clone(source, target):
            shutil.copyfile(source, target)
        shutil.copystat(source, target)
        meter.add(status.st_size)


def _clone(source: Path, target: Path) -> bool:
    """Share the blocks of `source`, where the file system can."""
    if sys.platform == "darwin":
        import subprocess

        done = subprocess.run(
            ["/bin/cp", "-c", "--", source, target], check=False, capture_output=True
        )
        return done.returncode == 0
    import fcntl

    try:
        with source.open("rb") as given, target.open("wb") as taken:
            fcntl.ioctl(taken.fileno(), _FICLONE, given.fileno())
    except OSError:
        return False
    return True


def _size(path: Path) -> int:
    return sum(status.st_size for status in _files(path) if stat.S_ISREG(status.st_mode))


def _files(path: Path) -> Iterator[os.stat_result]:
    if not path.is_dir() or path.is_symlink():
        yield path.lstat()
        return
    for folder, _, names in os.walk(path):
        for name in names:
            yield os.lstat(f"{folder}/{name}")
