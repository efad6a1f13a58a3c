"""What changed between two trees: one entry a file, and the patch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from caesar_core.repo.command import Git
from caesar_core.repo.flags import LARGE_BYTES, LARGE_LINES, is_test, leaves_tree, name_flags
from caesar_core.repo.ignore import ignored_paths

Action = Literal["created", "modified", "deleted", "renamed"]

GITLINK: Final = "160000"
SYMLINK: Final = "120000"
ABSENT: Final = "000000"
_ACTIONS: Final[Mapping[str, Action]] = {"A": "created", "D": "deleted", "R": "renamed"}
_DIFF: Final = ("diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color")
_RENAMES: Final = ("--find-renames=50%", "-l1000")


@dataclass(frozen=True, slots=True)
class RawChange:
    """One entry of git's raw diff.

    Attributes:
        status: git's letter: A, D, M, T or R.
        path: where the file is now, or was when it is gone.
        old_path: where a renamed file was.
        old_path_bytes: its exact old name.
        old_mode: git's mode before, `000000` when absent.
        new_mode: git's mode after, `000000` when absent.
        old_id: the object before.
        new_id: the object after.

    """

    status: str
    path: bytes
    old_path: bytes | None
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file.

    Attributes:
        path: for people and JSON: `/`-separated from the top of the repository; bytes that are not
            UTF-8 are U+FFFD.
        path_bytes: the exact name.
        action: created, modified (also when a file becomes a link), deleted or renamed.
        old_path: where a renamed file was.
        old_path_bytes: its exact old name.
        old_mode: git's mode before, `000000` when absent.
        new_mode: git's mode after, `000000` when absent.
        old_size: bytes before; 0 when absent.
        new_size: bytes after; 0 when absent.
        binary: git shows no lines for it.
        insertions: lines that came; `None` for a binary file.
        deletions: lines that went; `None` for a binary file.
        flags: what to look at twice, sorted: also_in_branch, binary, ci_config, deletes_tests,
            generated, ignored_path, large, lock_file, mode, outside_workspace, submodule, symlink,
            symlink_outside.

    """

    path: str
    path_bytes: bytes
    action: Action
    old_path: str | None
    old_path_bytes: bytes | None
    old_mode: str
    new_mode: str
    old_size: int
    new_size: int
    binary: bool
    insertions: int | None
    deletions: int | None
    flags: tuple[str, ...]


def list_changes(
    git: Git, base: str, tree: str, *, prefix: str = "", head: str | None = None
) -> tuple[FileChange, ...]:
    """Return what changed from `base` to `tree`, by path.

    Args:
        git: a runner in the main work tree, whose ignore rules count.
        base: a commit or tree.
        tree: a commit or tree.
        prefix: the project's folder in the repository; files outside are flagged.
        head: the current commit of the user; files that it holds just so are flagged.

    """
    fields = git.items(*_DIFF, *_RENAMES, "-z", "--raw", "--numstat", base, tree, "--")
    raw, rest = _raw(fields)
    counts = _numstat(rest)
    facts = _Facts(
        sizes=_sizes(git, raw),
        links=_links(git, raw),
        ignored=ignored_paths(git, [change.path for change in raw if change.status in "AR"]),
        missing_in_head=None if head is None else _differing(git, head, tree),
        prefix=prefix,
    )
    return tuple(_file_change(change, counts.get(change.path, (0, 0)), facts) for change in raw)


def raw_changes(git: Git, base: str, tree: str, *, renames: bool = False) -> list[RawChange]:
    """Return git's raw diff of two trees, by path."""
    find = _RENAMES if renames else ("--no-renames",)
    return _raw(git.items(*_DIFF, *find, "-z", "--raw", base, tree, "--"))[0]


def write_patch(
    git: Git,
    base: str,
    tree: str,
    out: BinaryIO,
    paths: Sequence[bytes] | None = None,
    *,
    ignore_space: bool = False,
) -> None:
    """Write the patch from `base` to `tree`, as `git apply` takes it, in constant memory.

    Args:
        git: a runner in the repository.
        base: a commit or tree.
        tree: a commit or tree.
        out: where to.
        paths: only these files or folders; `None` for all. A renamed file needs both its names.
        ignore_space: leave out what differs in white space only; to be read, not to be applied.

    """
    chosen = () if paths is None else tuple(os.fsdecode(path) for path in paths)
    if paths is not None and not chosen:
        return
    style: tuple[str, ...] = (
        "-p",
        "--binary",
        "--full-index",
        "-U3",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    )
    style += ("--ignore-all-space",) if ignore_space else ()
    git.stream(*_DIFF, *_RENAMES, *style, base, tree, "--", *chosen, out=out)


@dataclass(frozen=True, slots=True)
class _Facts:
    sizes: Mapping[str, int]
    links: Mapping[bytes, str]
    ignored: frozenset[bytes]
    missing_in_head: frozenset[bytes] | None
    prefix: str


def _raw(fields: Sequence[bytes]) -> tuple[list[RawChange], Iterator[bytes]]:
    changes: list[RawChange] = []
    walk = iter(fields)
    for field in walk:
        if not field.startswith(b":"):
            return changes, iter([field, *walk])
        old_mode, new_mode, old_id, new_id, status = field[1:].decode("ascii").split(" ")
        first = next(walk)
        old_path, path = (first, next(walk)) if status[0] == "R" else (None, first)
        changes.append(RawChange(status[0], path, old_path, old_mode, new_mode, old_id, new_id))
    return changes, iter(())


def _numstat(fields: Iterator[bytes]) -> dict[bytes, tuple[int, int] | None]:
    counts: dict[bytes, tuple[int, int] | None] = {}
    for field in fields:
        insertions, deletions, path = field.split(b"\t", 2)
        if not path:
            next(fields)
            path = next(fields)
        counts[path] = None if insertions == b"-" else (int(insertions), int(deletions))
    return counts


def _sizes(git: Git, changes: Sequence[RawChange]) -> dict[str, int]:
    ids = {
        object_id
        for change in changes
        for mode, object_id in ((change.old_mode, change.old_id), (change.new_mode, change.new_id))
        if mode not in (GITLINK, ABSENT)
    }
    asked = "".join(f"{object_id}\n" for object_id in sorted(ids)).encode()
    found = git.text("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked)
    rows = (line.split(" ") for line in found.splitlines())
    return {object_id: int(size) for object_id, size in rows if size.isdigit()}


def _links(git: Git, changes: Sequence[RawChange]) -> dict[bytes, str]:
    return {
        change.path: git.text("cat-file", "blob", change.new_id)
        for change in changes
        if change.new_mode == SYMLINK
    }


def _differing(git: Git, head: str, tree: str) -> frozenset[bytes]:
    return frozenset(change.path for change in raw_changes(git, head, tree))


def _file_change(change: RawChange, counts: tuple[int, int] | None, facts: _Facts) -> FileChange:
    old_size = facts.sizes.get(change.old_id, 0)
    new_size = facts.sizes.get(change.new_id, 0)
    path = text_path(change.path)
    flags = {
        *name_flags(path),
        *_mode_flags(change, path, facts),
        *_number_flags(change, path, counts, max(old_size, new_size)),
        *_place_flags(change, facts),
    }
    return FileChange(
        path=path,
        path_bytes=change.path,
        action=_ACTIONS.get(change.status, "modified"),
        old_path=None if change.old_path is None else text_path(change.old_path),
        old_path_bytes=change.old_path,
        old_mode=change.old_mode,
        new_mode=change.new_mode,
        old_size=old_size,
        new_size=new_size,
        binary=counts is None,
        insertions=None if counts is None else counts[0],
        deletions=None if counts is None else counts[1],
        flags=tuple(sorted(flags)),
    )


def _mode_flags(change: RawChange, path: str, facts: _Facts) -> Iterator[str]:
    modes = (change.old_mode, change.new_mode)
    if GITLINK in modes:
        yield "submodule"
    if SYMLINK in modes:
        yield "symlink"
    if leaves_tree(path, facts.links.get(change.path, "")):
        yield "symlink_outside"
    if ABSENT not in modes and modes[0] != modes[1]:
        yield "mode"


def _number_flags(
    change: RawChange, path: str, counts: tuple[int, int] | None, size: int
) -> Iterator[str]:
    if counts is None:
        yield "binary"
    if size > LARGE_BYTES or (counts is not None and sum(counts) > LARGE_LINES):
        yield "large"
    before = path if change.old_path is None else text_path(change.old_path)
    shrinks = counts is not None and counts[1] > counts[0]
    if change.old_mode != ABSENT and is_test(before) and (shrinks or change.status == "D"):
        yield "deletes_tests"


def _place_flags(change: RawChange, facts: _Facts) -> Iterator[str]:
    if change.path in facts.ignored:
        yield "ignored_path"
    if facts.prefix and not change.path.startswith(os.fsencode(facts.prefix) + b"/"):
        yield "outside_workspace"
    if facts.missing_in_head is not None and change.path not in facts.missing_in_head:
        yield "also_in_branch"


def text_path(path: bytes) -> str:
    """Return a file name for people and JSON: what is not UTF-8 becomes U+FFFD."""
    return path.decode("utf-8", "replace")


def work_tree_diff(folder: Path) -> str:
    """Return the unstaged changes of the work tree that holds `folder`, as a patch."""
    found = Git(folder, filters=()).run("diff", *_DIFF[2:], "-p", "--")
    return found.stdout.decode("utf-8", "replace")
