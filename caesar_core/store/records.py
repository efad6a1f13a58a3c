"""The orchestrator's own record of a task: `state/tasks/<id>.json`.

Plain dataclasses read with `json`, so that listing costs no pydantic. Keys are the reference
implementation's; ours are added beside them, and keys that we do not know survive a rewrite.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from caesar_core.identity import ProcessRef

__all__ = [
    "ACTIVE",
    "STATUSES",
    "BadRecordError",
    "Isolation",
    "Mode",
    "ProcessRef",
    "Record",
    "Status",
]

Status: TypeAlias = Literal["pending", "running", "succeeded", "failed", "cancelled", "timed_out"]
Isolation: TypeAlias = Literal["inplace", "worktree"]
Mode: TypeAlias = Literal["read-only", "write"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
ACTIVE: Final[frozenset[Status]] = frozenset(("pending", "running"))


class BadRecordError(ValueError):
    """A record that cannot be read; it is reported, never used for a kill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Everything the orchestrator knows of one task besides its files.

    Attributes:
        pid: the agent's process id, as the reference implementation keeps it (null at rest).
        starter, supervisor, agent_process: pid and start time of who began it, who watches over
            it and who works.
        apply_conflicts: paths that the last attempt to apply could not merge.
        phase: what a task that is not over is doing: `worktree`, `setup`, `quota`, `slot`,
            `memory`, `agent`, `outcome`, `checks`.
        ticket: its number in the queue of those that wait for a slot; the lower, the earlier.
        reason: why it ended as it did, when it did not end well (see `protocol.event.Reason`).
        deadline: monotonic seconds since boot when the agent's time is over.
        base_ref: the commit the outcome is compared with; in place, the tree found at the start.
        git_file: the content of the worktree's `.git` as it was made; filters: the git filters
            configured then. Only with these does git run in the worktree again.
        session_id: the agent's own name of its session; resumes: the task whose work it goes on
            with.
        unknown_lines: lines of the agent's stream that were not understood.
        request: what was asked for besides the order, so that it can be asked for again.
        outcome: the commit under `refs/caesar/<id>` that keeps the result.
        stat: files, insertions, deletions of the outcome.
        flags: what to look at twice in it, over all its files (`repo.changes.FileChange.flags`).
        checks: what we ran on the outcome (`engine.checks.Check`), in the order of their ends.
        extra: keys of others, kept as they are.

    """

    id: str
    agent: str
    objective: str = ""
    status: Status = "pending"
    created_at: str = ""
    task_dir: str = ""
    workspace: str = ""
    isolation: Isolation = "inplace"
    mode: Mode = "write"
    depth: int = 1
    role: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    branch: str | None = None
    excluded_paths: tuple[str, ...] | None = None
    exit_code: int | None = None
    report_via: str = "file"
    report_source: str | None = None
    changes_verified_by: str | None = None
    report_status: str | None = None
    pid: int | None = None
    applied_at: str | None = None
    applied_patch_digest: str | None = None
    # ours
    apply_conflicts: tuple[str, ...] = ()
    phase: str | None = None
    ticket: int | None = None
    signal: str | None = None
    reason: str | None = None
    model: str | None = None
    network: bool = True
    warnings: tuple[str, ...] = ()
    base_ref: str | None = None
    outcome: str | None = None
    worktree: str | None = None
    git_root: str | None = None
    git_file: str | None = None
    filters: tuple[str, ...] = ()
    starter: ProcessRef | None = None
    supervisor: ProcessRef | None = None
    agent_process: ProcessRef | None = None
    deadline: float | None = None
    session_id: str | None = None
    resumes: str | None = None
    race_id: str | None = None
    usage: dict[str, Any] | None = field(default=None, hash=False)
    unknown_lines: int | None = None
    request: dict[str, Any] | None = field(default=None, hash=False)
    flags: tuple[str, ...] = ()
    stat: dict[str, int] | None = field(default=None, hash=False)
    checks: tuple[dict[str, Any], ...] | None = field(default=None, hash=False)
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def is_active(self) -> bool:
        """Whether the task is not over."""
        return self.status in ACTIVE

    @property
    def failed_checks(self) -> list[dict[str, Any]]:
        """The commands that we ran on its result and that did not pass."""
        return [check for check in self.checks or () if check.get("passed") is not True]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; absent optional values are left out."""
        document: dict[str, Any] = dict(self.extra)
        for spec in fields(self):
            if spec.name == "extra":
                continue
            value = getattr(self, spec.name)
            if value is None and spec.name != "exit_code":
                continue
            document[spec.name] = _plain(value)
        if self.exit_code is None and self.ended_at is None:
            document.pop("exit_code")
        return document

    @classmethod
    def from_json(cls, document: object) -> Record:
        """Return the record that `document` holds; nulls read as absent.

        Raises:
            BadRecordError: a key is missing or has a value that cannot be meant.

        """
        if not isinstance(document, dict):
            raise BadRecordError("not a JSON object")
        known: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, value in document.items():
            reader = _READERS.get(name)
            if reader is None:
                extra[name] = value
            elif value is not None:
                known[name] = _read(name, reader, value)
        for name in ("id", "agent"):
            if not known.get(name):
                raise BadRecordError(f"{name} is missing")
        return cls(**known, extra=extra)


def _plain(value: object) -> object:
    if isinstance(value, ProcessRef):
        return value.to_json()
    return list(value) if isinstance(value, tuple) else value


def _read(name: str, reader: str, value: object) -> object:
    if reader.startswith("ProcessRef"):
        return ProcessRef.from_json(value)
    choices, wanted = _CHOICES.get(reader), _TYPES.get(reader.removesuffix(" | None"))
    if choices is not None:
        if value not in choices:
            raise BadRecordError(f"{name} {value!r} is none of {', '.join(choices)}")
        return value
    if wanted is None or not isinstance(value, wanted) or (wanted is int and value is True):
        raise BadRecordError(f"{name} has a value of the wrong type")
    return tuple(value) if isinstance(value, list) else value


_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "Status": STATUSES,
    "Isolation": get_args(Isolation),
    "Mode": get_args(Mode),
}
_TYPES: Final[dict[str, Any]] = {
    "str": str,
    "int": int,
    "float": int | float,
    "bool": bool,
    "tuple[str, ...]": list,
    "tuple[dict[str, Any], ...]": list,
    "dict[str, Any]": dict,
    "dict[str, int]": dict,
}
_READERS: Final[dict[str, str]] = {
    spec.name: cast("str", spec.type) for spec in fields(Record) if spec.name != "extra"
}
