"""Outcomes: the tree that a task left, kept as a commit under `refs/caesar/`.

The commit's message carries what is needed to show and apply it, so an outcome outlives its
worktree and the whole of `.caesar/`, and travels in a git bundle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from caesar_core.errors import OperationError
from caesar_core.ids import check_id
from caesar_core.repo.discover import Repository

_REFS: Final = "refs/caesar/"
_MARK: Final = "\n\ncaesar-outcome: "
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_IDENTITY: Final = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "caesar"), ("EMAIL", "caesar@localhost"))
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task left.

    Attributes:
        task_id: whose outcome it is.
        commit: the commit that holds it.
        tree: its tree.
        base_ref: the commit that the task started from.
        meta: what was handed to `keep_outcome`, as JSON gives it back.

    """

    task_id: str
    commit: str
    tree: str
    base_ref: str
    meta: dict[str, Any]


def keep_outcome(
    repository: Repository,
    task_id: str,
    tree: str,
    base_ref: str,
    subject: str,
    meta: Mapping[str, Any],
) -> Outcome:
    """Store `tree` as the outcome of a task, in place of an earlier one.

    Args:
        repository: where.
        task_id: whose.
        tree: a tree from `take_snapshot`.
        base_ref: the commit it is to be compared with.
        subject: one line for whoever reads the log.
        meta: anything JSON can hold: agent, objective, excluded paths, …

    """
    git = repository.git().with_environment(**_IDENTITY)
    body = json.dumps(dict(meta), sort_keys=True)
    message = f"{' '.join(subject.split())}{_MARK}{body}\n"
    made = git.text("commit-tree", "--no-gpg-sign", "-p", base_ref, tree, stdin=message.encode())
    git.run("update-ref", "--no-deref", _ref(task_id), made)
    return Outcome(task_id, made, tree, base_ref, json.loads(body))


def read_outcome(repository: Repository, task_id: str) -> Outcome | None:
    """Return the outcome of a task, or `None` when none is kept.

    Raises:
        OperationError: something else stands there.
    """
    return next(map(_outcome, _rows(repository, _ref(task_id))), None)


def read_outcome_commit(repository: Repository, task_id: str, commit: str) -> Outcome | None:
    """Return the outcome that a commit holds, `None` when it is gone or is none of that task."""
    if _COMMIT.fullmatch(commit) is None:
        return None
    found = repository.git().run("cat-file", "commit", commit, ok=(0, 128))
    head, _, text = found.stdout.decode("utf-8", "replace").partition("\n\n")
    keys = dict(line.partition(" ")[::2] for line in head.split("\n"))
    if found.returncode or "tree" not in keys:
        return None
    with suppress(OperationError):
        meta = _meta(f"\n\n{text}")
        if meta.get("task_id") == task_id:
            return Outcome(task_id, commit, keys["tree"], keys.get("parent", ""), meta)
    return None


def list_outcomes(repository: Repository) -> tuple[Outcome, ...]:
    """Return every outcome kept in the repository, by task id; a stranger's ref is none."""
    found: list[Outcome] = []
    for row in _rows(repository, _REFS):
        with suppress(OperationError):
            found.append(_outcome(row))
    return tuple(found)


def drop_outcome(repository: Repository, task_id: str) -> None:
    """Let go of the outcome of a task; nothing when none is kept."""
    repository.git().run("update-ref", "--no-deref", "-d", _ref(task_id))


def _ref(task_id: str) -> str:
    return f"{_REFS}{check_id(task_id)}"


def _rows(repository: Repository, pattern: str) -> Iterator[tuple[str, ...]]:
    layout = "%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(contents)%00"
    found = repository.git().run("for-each-ref", f"--format={layout}", pattern).stdout
    fields = found.decode("utf-8", "replace").split("\0")
    return zip(*(iter(fields),) * 5, strict=False)


def _outcome(row: tuple[str, ...]) -> Outcome:
    name, commit, tree, parent, text = row
    return Outcome(
        name.strip().removeprefix(_REFS), commit, tree, parent.split(" ")[0], _meta(text)
    )


def _meta(message: str) -> dict[str, Any]:
    try:
        meta = json.loads(message.partition(_MARK)[2])
    except ValueError as error:
        raise OperationError("An outcome under refs/caesar/ is not one of ours.") from error
    if not isinstance(meta, dict):
        raise OperationError("An outcome under refs/caesar/ is not one of ours.")
    return meta
