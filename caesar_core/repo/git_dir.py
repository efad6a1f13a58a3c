"""What a worktree shares with the user's own git, and git obeys: hooks, configuration, attributes.

Two states compare by content, so a file that was written anew as it was does not count.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from caesar_core.repo.command import Git

GitDirState: TypeAlias = Mapping[str, str]
"""Absolute path of each file that is there to a stamp of its kind, mode and content."""

_SHARED: Final = (
    "config",
    "config.worktree",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
)
_OWN: Final = ("config.worktree", "info/sparse-checkout")
_PERSONAL: Final = ("config", "attributes", "ignore")
_OURS: Final = "refs/heads/caesar/"
_HASHED: Final = 4 << 20
_MOST_HOOKS: Final = 1000
_MOST_MODULES: Final = 200
_KIND: Final = 0o170111  # what it is, and who may execute it


def git_dir_state(git_dir: Path, common_dir: Path, hooks: Path | None = None) -> GitDirState:
    """Return what git obeys in a repository and of the person; reads small files, runs nothing.

    Args:
        git_dir: `Repository.git_dir`.
        common_dir: `Repository.common_dir`: its hooks, configuration, attributes and ignore rules
            are looked at, and those of its submodules.
        hooks: where its configuration says that its hooks are.
    """
    places = [
        *_of_repository(common_dir),
        *(git_dir / name for name in _OWN),
        *_of_modules(common_dir / "modules"),
        *_of_person(),
        *(_hooks(hooks) if hooks else ()),
    ]
    stamps = {str(place): _stamp(place) for place in places}
    return {place: stamp for place, stamp in stamps.items() if stamp}


def ref_state(git: Git) -> dict[str, str]:
    """Return every branch, tag and the stash by full name with what it stands at.

    The branch that is checked out moves with every commit of a person: it is there, and stands at
    nothing. Ours come and go with tasks: they are left out.
    """
    form = "--format=%(HEAD)%(objectname) %(refname)"
    lines = git.text("for-each-ref", form, "refs/heads/", "refs/tags/", "refs/stash").split("\n")
    found = ((line[:1], *line[1:].split(" ", 1)) for line in lines if line)
    return {
        name: "" if head == "*" else commit
        for head, commit, name in found
        if not name.startswith(_OURS)
    }


def _of_repository(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in _SHARED)
    yield from _hooks(folder / "hooks")


def _hooks(folder: Path) -> Iterator[Path]:
    """Yield what git may run of a folder of hooks; never the samples that it brings itself."""
    if folder.is_symlink():
        yield folder
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.endswith(".sample"))
    except OSError:
        return
    yield from (folder / name for name in names[:_MOST_HOOKS])


def _of_modules(folder: Path) -> Iterator[Path]:
    """Yield the same of every submodule: `git status` of a person enters them."""
    found = 0
    for place, names, files in os.walk(folder):
        if "HEAD" in files:
            found += 1
            yield from _of_repository(Path(place))
            names[:] = [name for name in names if name == "modules"]
        if found >= _MOST_MODULES:
            return


def _of_person() -> Iterator[Path]:
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
    yield home / ".gitconfig"
    if named := os.environ.get("GIT_CONFIG_GLOBAL"):  # the agent does not inherit it
        yield Path(named)
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git")
    yield from (folder / name for name in _PERSONAL)


def _stamp(place: Path) -> str:
    """Return kind, execute bit and content; empty when there is nothing."""
    try:
        status = place.lstat()
        if stat.S_ISLNK(status.st_mode):
            return f"link {place.readlink()} {_content(place)}"
    except (OSError, ValueError):
        return ""
    return _content(place)


def _content(place: Path) -> str:
    try:
        with open(place, "rb", buffering=0, opener=_open) as file:
            status = os.fstat(file.fileno())
            if status.st_size > _HASHED:
                return f"large {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
            digest = hashlib.sha256(file.read(_HASHED) or b"").hexdigest()
            return f"{status.st_mode & _KIND:o} {digest}"
    except OSError as error:
        return f"unreadable {error.errno}"


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
