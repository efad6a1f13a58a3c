"""Three-way merge of an outcome with what the user's tree holds now. Writes nothing there.

The user's side is HEAD plus the current content of the touched files, dirty, untracked and ignored
ones included. Objects made on the way go to a temporary store, never to the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caesar_core.errors import CaesarError
from caesar_core.repo.changes import ABSENT, GITLINK, RawChange, raw_changes, text_path
from caesar_core.repo.collisions import Collision, read_collisions
from caesar_core.repo.command import Git, join_nul
from caesar_core.repo.discover import Repository
from caesar_core.repo.obstacles import (
    State,
    name_obstacle,
    obstacle,
    state_at,
)
from caesar_core.repo.scratch import scratch_folder
from caesar_core.repo.selection import only
from caesar_core.repo.snapshot import temporary_index
from caesar_core.repo.threeway import IDENTITY, SAME_LINES, Sides, merge_trees

_ROUNDS: Final = 5


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that keeps an outcome from being applied, or an apply from being undone.

    Attributes:
        path: from the top of the repository.
        reason: part of a sentence for people.
        places: which lines, where the content collides; not of every file if there are many.

    """

    path: str
    reason: str
    places: tuple[Collision, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge.

    Attributes:
        conflicts: why it cannot be written; empty when it can.
        writes: what has to change in the user's tree, by path.
        states: what was at each of these paths before the merge looked.
        local: paths that the user had changed as well.
        tree: the merged tree, readable only through the runner that made it.
        changed: the outcome changes anything at all.

    """

    conflicts: tuple[Conflict, ...]
    writes: tuple[RawChange, ...] = ()
    states: Mapping[bytes, State] | None = None
    local: frozenset[bytes] = frozenset()
    tree: str = ""
    changed: bool = True


@contextmanager
def quarantined(repository: Repository, filters: Sequence[str]) -> Iterator[Git]:
    """Give a runner that reads the repository's objects and writes new ones elsewhere."""
    with scratch_folder("objects") as folder:
        yield (
            repository.git(filters=filters).with_environment(
                **IDENTITY,
                GIT_OBJECT_DIRECTORY=folder,
                GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(f"{repository.common_dir}/objects"),
            )
        )


def merge(
    git: Git, repository: Repository, base: str, tree: str, files: Sequence[str] | None
) -> Merged:
    """Merge the changes from `base` to `tree` into the user's tree.

    Args:
        git: from `quarantined`.
        repository: the user's, at the tree to write to.
        base: what the outcome started from.
        tree: the outcome.
        files: only these files and folders, from the top of the repository; `None` for all.

    Raises:
        CaesarError: a name in `files` is not among the changes (exit 2).

    """
    if files is not None:
        tree = only(git, base, tree, files)
    changes = raw_changes(git, base, tree)
    if not changes:
        return Merged((), changed=False)
    root = repository.git_root
    touched = {change.path: change for change in changes}
    for _ in range(_ROUNDS):
        conflicts = _refusals(root, list(touched.values()))
        if conflicts:
            return Merged((*conflicts, *_further(git, root, base, tree, touched, conflicts)))
        merged, extra = _round(git, root, base, tree, touched)
        if merged.conflicts or not extra:
            return _case_checked(git, merged)
        # The user renamed a file that the outcome edits: its new place has to be looked at too.
        touched |= {change.path: change for change in extra}
    raise CaesarError("The outcome does not settle on the files to change.")


def _further(
    git: Git,
    root: Path,
    base: str,
    tree: str,
    touched: Mapping[bytes, RawChange],
    refused: Sequence[Conflict],
) -> list[Conflict]:
    """Return what would collide beside what is refused, so that all of it is told at once."""
    merged, _ = _round(git, root, base, tree, touched)
    named = {conflict.path for conflict in refused}
    open_to_it = {text_path(path) for path in touched} - named
    return [conflict for conflict in merged.conflicts if conflict.path in open_to_it]


def _round(
    git: Git, root: Path, base: str, tree: str, touched: Mapping[bytes, RawChange]
) -> tuple[Merged, list[RawChange]]:
    states = {path: state_at(root, path) for path in touched}
    ours = _users_side(git, states)
    sides = merge_trees(git, base, ours, tree)
    if sides.conflicts:
        return Merged(_conflicts(git, sides, touched)), []
    writes = raw_changes(git, ours, sides.tree)
    local = frozenset(change.path for change in raw_changes(git, base, ours))
    found = Merged(
        conflicts=(),
        writes=tuple(writes),
        states=states,
        local=local,
        tree=sides.tree,
    )
    return found, [write for write in writes if write.path not in touched]


def _users_side(git: Git, states: Mapping[bytes, State]) -> str:
    present = [path for path, state in states.items() if state.kind in ("file", "link")]
    missing = [path for path in states if path not in set(present)]
    hidden = _skipped(git, missing)
    with temporary_index(git) as index:
        index.run("read-tree", "HEAD")
        gone = [path for path in missing if path not in hidden]
        index.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_nul(gone))
        index.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_nul(present))
        return index.text("write-tree")


def _skipped(git: Git, missing: Sequence[bytes]) -> frozenset[bytes]:
    """Return which of these are absent only because the checkout is sparse."""
    if not missing:
        return frozenset()
    tagged = git.items("ls-files", "-z", "-t", "--cached")
    return frozenset(item[2:] for item in tagged if item[:1] == b"S").intersection(missing)


def _refusals(root: Path, changes: Sequence[RawChange]) -> tuple[Conflict, ...]:
    leaving = {change.path for change in changes if change.new_mode == ABSENT}
    found = ((change, _refusal(root, change, leaving)) for change in changes)
    return tuple(Conflict(text_path(change.path), reason) for change, reason in found if reason)


def _refusal(root: Path, change: RawChange, leaving: set[bytes]) -> str:
    if GITLINK in (change.old_mode, change.new_mode):
        return "it is a link to another git repository (a submodule)"
    return name_obstacle(change.path) or obstacle(
        root, change.path, leaving=leaving, wanted=change.new_mode != ABSENT
    )


def _conflicts(git: Git, sides: Sides, touched: Mapping[bytes, RawChange]) -> tuple[Conflict, ...]:
    reasons = dict(sides.conflicts)
    tracked = frozenset(git.items("ls-tree", "-r", "-z", "--name-only", "HEAD"))
    for path, change in touched.items():
        if change.old_mode == ABSENT and path in reasons:
            mine = "a file of the same name" if path in tracked else "an untracked or ignored file"
            reasons[path] = f"{mine} with other content is in the way"
    same = (path for path, reason in reasons.items() if reason == SAME_LINES)
    places = read_collisions(git, sides.tree, same)
    return tuple(
        Conflict(text_path(path), reason, places.get(path, ())) for path, reason in reasons.items()
    )


def _case_checked(git: Git, merged: Merged) -> Merged:
    """Refuse names that a case-insensitive file system takes for one."""
    new = [write.path for write in merged.writes if write.old_mode == ABSENT]
    if not new or git.text("config", "--type=bool", "--default=false", "core.ignorecase") != "true":
        return merged
    spellings: dict[str, list[bytes]] = {}
    for path in git.items("ls-tree", "-r", "-t", "-z", "--name-only", merged.tree):
        spellings.setdefault(path.decode("utf-8", "replace").lower(), []).append(path)
    clashing = [path for path in new if len(spellings[path.decode("utf-8", "replace").lower()]) > 1]
    reason = "another file differs only in upper and lower case"
    conflicts = tuple(Conflict(text_path(path), reason) for path in clashing)
    return Merged(conflicts) if conflicts else merged


def _quoted(path: str) -> str:
    if ":" not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
