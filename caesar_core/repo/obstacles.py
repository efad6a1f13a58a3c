"""What stands in the way of writing a file into the user's tree. Looks, never writes."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Kind = Literal["absent", "file", "link", "other"]

_HFS_IGNORED: Final = dict.fromkeys(
    (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF)
)
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class State:
    """What is at a path.

    Attributes:
        kind: a folder counts as absent: git knows only files.
        mode: permission bits of a file, else 0.
        digest: SHA-256 of a file's bytes or of a link's target, else empty.

    """

    kind: Kind
    mode: int = 0
    digest: str = ""


ABSENT_STATE: Final = State("absent")


def place_of(root: Path, path: bytes) -> Path:
    """Return where git's `path` is below `root`."""
    return root / os.fsdecode(path)


def state_of(place: Path) -> State:
    """Return what is at `place`, without following a link."""
    kind = kind_of(place)
    if kind == "link":
        target = os.fsencode(place.readlink())
        return State(kind, 0, hashlib.sha256(target).hexdigest())
    if kind == "file":
        return State(kind, stat.S_IMODE(place.lstat().st_mode), _digest(place))
    return ABSENT_STATE if kind == "absent" else State(kind)


def state_at(root: Path, path: bytes) -> State:
    """Return what is at git's `path` below `root`; what only a link leads to is absent."""
    return state_of(place_of(root, path)) if reachable(root, path) else ABSENT_STATE


def kind_of(place: Path) -> Kind:
    """Return the kind of what is at `place` without reading it."""
    try:
        mode = place.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISREG(mode):
        return "file"
    return "absent" if stat.S_ISDIR(mode) else "other"


def name_obstacle(path: bytes) -> str:
    """Return why a file must never have this name, or an empty text."""
    for part in path.split(b"/"):
        plain = part.decode("utf-8", "replace").translate(_HFS_IGNORED).lower()
        if plain.rstrip(". ") in {".git", "git~1"}:
            return "the name belongs to git itself"
        if plain in {"", ".", ".."}:
            return "the name leaves the tree"
    return ""


def obstacle(root: Path, path: bytes, *, leaving: Collection[bytes], wanted: bool) -> str:
    """Return what keeps `path` from being written or deleted below `root`, or an empty text.

    Args:
        root: the top of the tree.
        path: relative to it.
        leaving: files that go away in the same step.
        wanted: a file or link is to be there afterwards.

    """
    for above in ancestors(path):
        if above in leaving:
            return ""
        kind = kind_of(place_of(root, above))
        if kind == "link":
            return "a folder above it is a symbolic link"
        if kind != "absent":
            return "a file is in the way of its folder"
    place = place_of(root, path)
    if kind_of(place) == "other":
        return "something that is neither a file nor a link is in the way"
    if wanted and is_folder(place) and _holds_others(root, place, leaving):
        return "a folder with other files is in the way"
    return ""


def ancestors(path: bytes) -> list[bytes]:
    """Return the folders above a relative path, outermost first."""
    return [path[:at] for at, sign in enumerate(path) if sign == 0x2F]


def reachable(root: Path, path: bytes) -> bool:
    """Whether every folder above `path` is a real folder, not a link."""
    return all(is_folder(place_of(root, above)) for above in ancestors(path))


def is_folder(place: Path) -> bool:
    """Whether a real folder is at `place`, not a link to one."""
    return place.is_dir() and not place.is_symlink()


def _holds_others(root: Path, place: Path, leaving: Collection[bytes]) -> bool:
    for folder, names, files in os.walk(place):
        links = [name for name in names if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            if os.fsencode(Path(folder, name).relative_to(root)) not in leaving:
                return True
    return False


def _digest(place: Path) -> str:
    found = hashlib.sha256()
    with place.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()
