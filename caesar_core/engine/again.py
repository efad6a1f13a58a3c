"""The same task again, and more for the same agent: requests made from earlier tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, Final

from caesar_core.agents.base import TokenUsage
from caesar_core.engine.outcomes import Located
from caesar_core.engine.project import Project
from caesar_core.engine.request import ORDER_DIGEST, REPEATED, Note, Request, order_digest
from caesar_core.engine.results import load_report
from caesar_core.errors import CaesarError
from caesar_core.protocol.strictjson import BadJsonError, strict_json
from caesar_core.store.atomic import StoreError, read_bounded
from caesar_core.store.records import Record

_LARGEST_ORDER: Final = 64 << 20
_LONGEST_TOLD: Final = 16_000
_AGAIN: Final = "You worked on this before, in this session."
_MOVED: Final = (
    "The workspace is another folder now, which holds your earlier result. Leave the earlier one "
    "alone: {folder}"
)
_LISTS: Final = ("constraints", "acceptance_criteria")
_KEYS: Final = tuple(spec.name for spec in fields(TokenUsage))


class StillRunningError(CaesarError):
    """A task that is not over cannot be gone on with."""

    code = "still_running"


class NotOursError(CaesarError):
    """Of the task only its result is left, not what was asked for."""

    code = "order_lost"


def retry_request(project: Project, located: Located, changes: Mapping[str, Any]) -> Request:
    """Return the request of a task again, with `changes`, the fields of a `Request`, applied.

    Raises:
        NotOursError: what was asked for is not known any more.
    """
    record = located.record
    if located.recovered:
        raise NotOursError(
            f"Of task {record.id} only the result is left, not the order.",
            "Start a new one with `caesar run`.",
        )
    return _changed(_as_asked(project, record), changes)


def resume_request(
    project: Project, located: Located, more: str, changes: Mapping[str, Any]
) -> Request:
    """Return a request that goes on with a task: from its result, in its session where possible.

    Raises:
        StillRunningError: the task is not over.
        NotOursError: what was asked for is not known any more.
        CaesarError: there is nothing to do.
    """
    record = located.record
    if record.is_active:
        raise StillRunningError(
            f"Task {record.id} is still {record.status}.",
            f"Wait for it, or stop it: caesar cancel {record.id}",
        )
    asked = retry_request(project, located, changes)
    in_worktree = record.isolation == "worktree" and located.outcome is not None
    request = replace(
        asked,
        objective=more,
        isolation=changes.get("isolation") or record.isolation,
        resumes=record.id,
        base_ref=record.base_ref if in_worktree else None,
        start_ref=located.outcome.commit if located.outcome and in_worktree else None,
    )
    session = _session(project, record, request)
    if session is not None:
        moved = _MOVED.format(folder=record.workspace) if in_worktree else ""
        told = _join(f"{_AGAIN} {moved}".strip(), str(changes.get("context", "")))
        earlier = _taken(project, record)
        return replace(request, session=session, earlier=asdict(earlier), context=told)
    note = Note(
        "info",
        "Session not continued",
        f"{request.agent} starts anew; it is told the objective and report of {record.id}",
    )
    return replace(request, context=_join(request.context, _story(project, record)), notes=(note,))


def _as_asked(project: Project, record: Record) -> Request:
    order = _order(project, record)
    kept = {key: value for key, value in (record.request or {}).items() if key in REPEATED}
    lists = {key: tuple(map(str, order.get(key) or ())) for key in _LISTS}
    for key in ("extra", "checks"):
        kept[key] = tuple(kept.get(key) or ())
    asked: dict[str, Any] = {"model": record.model, **kept, **lists}
    return Request(
        objective=_objective(record, order),
        agent=record.agent,
        role=record.role if record.role in project.config.roles else None,
        mode=record.mode,
        context=str(order.get("context") or ""),
        **asked,
    )


def _changed(request: Request, changes: Mapping[str, Any]) -> Request:
    """Return the request with changes; another agent or role brings its own model along."""
    changed = replace(request, **changes)
    if changes.get("agent") in (None, request.agent) and not changes.get("role"):
        return changed
    other = None if changes.get("role") and not changes.get("agent") else changed.agent
    return replace(changed, agent=other, model=changes.get("model"), extra=changes.get("extra", ()))


def _order(project: Project, record: Record) -> dict[str, Any]:
    """Return the order; an agent can write where it lies, so the record has its digest.

    Raises:
        NotOursError: it is not what was handed out.
    """
    path = project.layout.task(record.id).task
    known = (record.request or {}).get(ORDER_DIGEST)
    try:
        data = read_bounded(path, _LARGEST_ORDER)
        document = strict_json(data)
    except (FileNotFoundError, StoreError, BadJsonError):
        data, document = b"", {}
    if known is not None and order_digest(data) != known:
        raise NotOursError(
            f"{path} is not the order that was handed out: somebody changed it since.",
            "Start a new task with `caesar run`.",
        )
    return document if isinstance(document, dict) else {}


def _objective(record: Record, order: Mapping[str, Any]) -> str:
    """Return the whole objective; the record, which no agent can write, holds its beginning."""
    known = record.objective.removesuffix(" …")
    full = order.get("objective")
    return full if isinstance(full, str) and full.startswith(known) else record.objective


def _session(project: Project, record: Record, request: Request) -> str | None:
    agent = project.agents.get(request.agent or "")
    if agent is None or agent.id != record.agent or not agent.capabilities.resume:
        return None
    stays = request.isolation == record.isolation == "inplace"
    return record.session_id if stays or agent.capabilities.resumes_elsewhere else None


def _taken(project: Project, record: Record | None) -> TokenUsage:
    """Return what a session has taken so far: its tasks one by one, back to the first."""
    total, seen = TokenUsage(), set[str]()
    session = record.session_id if record else None
    while record is not None and record.id not in seen and record.session_id == session:
        seen.add(record.id)
        usage = record.usage or {}
        total = total.plus(TokenUsage(**{key: usage.get(key) for key in _KEYS}))
        record = project.records.get(record.resumes) if record.resumes else None
    return total


def _story(project: Project, record: Record) -> str:
    """Return what an agent without a memory of it has to know of the earlier task."""
    report = load_report(project, record.id) or {}
    lines = [
        "This goes on with an earlier task; the workspace holds its result.",
        f"Its objective was:\n\n{record.objective[:_LONGEST_TOLD]}",
    ]
    if report:
        lines.append(f"Its report ({report['status']}):\n\n{report['summary']}")
        lines.append(str(report.get("details") or "")[:_LONGEST_TOLD])
        steps = "\n".join(f"- {step}" for step in report.get("next_steps", ()))
        lines.append(f"Left to do, as it said:\n\n{steps}" if steps else "")
    return "\n\n".join(line for line in lines if line)


def _join(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
