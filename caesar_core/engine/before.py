"""What a task finds around its place just before its agent starts, kept for whoever follows us."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import CaesarError
from caesar_core.repo.discover import Repository
from caesar_core.repo.git_dir import GitDirState, git_dir_state, ref_state
from caesar_core.repo.main_tree import TreeState
from caesar_core.store.atomic import StoreError, read_bounded, write_atomic

_LIMIT: Final = 64 << 20
_UNREADABLE: Final = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
_HOOKS_PATH: Final = "core.hookspath"


@dataclass(frozen=True, slots=True)
class Before:
    """The surroundings of a task at one moment.

    Attributes:
        git_dir: `Repository.git_dir`.
        common_dir: `Repository.common_dir`.
        hooks: where the repository's configuration says that its hooks are, or nothing.
        files: what the user's git obeys (`repo.git_dir`).
        settings: each key of the repository's configuration to a digest of its values, which may
            be secrets.
        refs: the user's branches, tags and stash (`repo.git_dir.ref_state`).
        main_tree: the user's own work tree, unless the agent works there.
    """

    git_dir: str
    common_dir: str
    hooks: str
    files: GitDirState
    settings: Mapping[str, str]
    refs: Mapping[str, str]
    main_tree: TreeState | None = None

    def files_now(self) -> GitDirState:
        """Return what the same repository's git obeys now."""
        hooks = Path(self.hooks) if self.hooks else None
        return git_dir_state(Path(self.git_dir), Path(self.common_dir), hooks)


def look_before(repository: Repository, main_tree: TreeState | None) -> Before:
    """Return the surroundings as they are now. Raises GitError."""
    git = repository.git()
    entries = git.list_settings()
    hooks = _hooks_folder(repository, entries)
    return Before(
        git_dir=str(repository.git_dir),
        common_dir=str(repository.common_dir),
        hooks=str(hooks or ""),
        files=git_dir_state(repository.git_dir, repository.common_dir, hooks),
        settings=digests(entries),
        refs=ref_state(git),
        main_tree=main_tree,
    )


def digests(entries: Iterable[str]) -> dict[str, str]:
    """Return each key of listed settings with a digest of all its values."""
    values: dict[str, list[str]] = {}
    for entry in entries:
        key, _, value = entry.partition("\n")
        values.setdefault(key, []).append(value)
    return {key: _digest("\n".join(sorted(found))) for key, found in values.items()}


def store_before(path: Path, before: Before) -> None:
    """Keep it for a supervisor that follows us; where that fails, only we know it."""
    with suppress(StoreError):
        write_atomic(path, json.dumps(asdict(before)).encode("ascii"), durable=False)


def load_before(path: Path) -> Before | None:
    """Return what a supervisor before us saw, `None` when it is not known any more."""
    try:
        document = json.loads(read_bounded(path, _LIMIT))
        tree = document["main_tree"]
        return Before(
            git_dir=_place(document["git_dir"]),
            common_dir=_place(document["common_dir"]),
            hooks=_place(document["hooks"]),
            files=_texts(document["files"]),
            settings=_texts(document["settings"]),
            refs=_texts(document["refs"]),
            main_tree=None if tree is None else _stamps(tree),
        )
    except (FileNotFoundError, CaesarError, *_UNREADABLE):
        return None


def _place(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(value)
    return value


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise TypeError(value)
    return value


def _stamps(value: dict[str, tuple[str, int, int]]) -> dict[str, tuple[str, int, int]]:
    return {name: (str(a), int(b), int(c)) for name, (a, b, c) in value.items()}


def _hooks_folder(repository: Repository, entries: Iterable[str]) -> Path | None:
    found = [value for key, _, value in (e.partition("\n") for e in entries) if key == _HOOKS_PATH]
    if not found or not found[-1]:
        return None
    with suppress(RuntimeError):  # `~somebody` who is nobody
        return repository.git_root / Path(found[-1]).expanduser()
    return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
