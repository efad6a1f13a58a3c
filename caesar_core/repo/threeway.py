"""git's own three-way merge of two trees, without a work tree, an index or a branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caesar_core.repo.command import Git

IDENTITY: Final[Mapping[str, str]] = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "caesar"),
        ("EMAIL", "caesar@localhost"),
        ("DATE", "@0 +0000"),
    )
}
SAME_LINES: Final = "both sides changed the same lines"
_REASONS: Final[Mapping[str, str]] = {
    "contents": SAME_LINES,
    "binary": "both sides changed this binary file",
    "modify/delete": "one side changed it, the other deleted it",
    "rename/delete": "one side renamed it, the other deleted it",
    "rename/rename": "both sides renamed it differently",
    "file/directory": "a file on one side is a folder on the other",
    "distinct types": "it is a file on one side and a link on the other",
    "distinct modes": "both sides changed its mode",
}


@dataclass(frozen=True, slots=True)
class Sides:
    """The result of a merge.

    Attributes:
        tree: the merged tree; with conflicts it holds git's markers.
        conflicts: the reason by path, in git's order; empty when it is clean.
    """

    tree: str
    conflicts: Mapping[bytes, str]


def commit_on(git: Git, tree: str, *parents: str) -> str:
    """Return a commit of `tree` that no branch and no ref knows; always the same for the same."""
    words = [word for parent in parents for word in ("-p", parent)]
    named = git.with_environment(**IDENTITY)
    return named.text("commit-tree", "--no-gpg-sign", *words, f"{tree}^{{tree}}", "-m", ".")


def merge_trees(git: Git, base: str, ours: str, theirs: str) -> Sides:
    """Merge what changed from `base` to `ours` with what changed from `base` to `theirs`."""
    common = commit_on(git, base)
    return merge_commits(git, commit_on(git, ours, common), commit_on(git, theirs, common))


def merge_commits(git: Git, ours: str, theirs: str) -> Sides:
    """Merge two commits on the base that their history gives.

    Raises:
        GitError: they have no commit in common, or git failed.
    """
    words = ("merge-tree", "--write-tree", "-z", "--name-only")
    merged = git.run(*words, ours, theirs, ok=(0, 1))
    tree, _, rest = merged.stdout.partition(b"\0")
    return Sides(tree.decode("ascii"), _conflicts(rest) if merged.returncode else {})


def _conflicts(output: bytes) -> dict[bytes, str]:
    names, _, messages = output.partition(b"\0\0")
    fields = iter(messages.split(b"\0"))
    reasons: dict[bytes, str] = {}
    for count in fields:
        if not count.isdigit():
            break
        paths = [next(fields) for _ in range(int(count))]
        kind = next(fields).decode("utf-8", "replace")
        next(fields)
        if kind.startswith("CONFLICT"):
            short = kind.removeprefix("CONFLICT (").removesuffix(")")
            # The first message is the precise one.
            reasons = dict.fromkeys(paths, _REASONS.get(short, short)) | reasons
    paths = list(dict.fromkeys(name for name in names.split(b"\0") if name))
    return {path: reasons.get(path, "both sides changed it") for path in paths}
