"""What the store holds, as the views of the board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caesar_core.board.views import CheckView, QuestionView, TaskFacts
from caesar_core.store.mailbox import QuestionState
from caesar_core.store.records import Record


def facts_of(record: Record, *, busy: bool | None = None) -> TaskFacts:
    """Return what a face needs of a record; `busy`: whether its processes use the CPU."""
    stat, usage = record.stat or {}, record.usage or {}
    return TaskFacts(
        id=record.id,
        agent=record.agent,
        objective=record.objective,
        status=record.status,
        role=record.role,
        model=record.model,
        mode=record.mode,
        isolation=record.isolation,
        created_at=record.created_at,
        started_at=record.started_at,
        ended_at=record.ended_at,
        phase=record.phase,
        ticket=record.ticket,
        reason=record.reason,
        report_status=record.report_status,
        race_id=record.race_id,
        applied_at=record.applied_at,
        conflicts=record.apply_conflicts,
        files=stat.get("files"),
        insertions=stat.get("insertions"),
        deletions=stat.get("deletions"),
        checks=tuple(_check(check) for check in record.checks or ()),
        flags=record.flags,
        verified_by=record.changes_verified_by,
        base_ref=record.base_ref,
        tokens=_tokens(usage),
        cost_usd=_number(usage.get("cost_usd")),
        busy=busy,
    )


def question_views(task_id: str, states: Iterable[QuestionState]) -> tuple[QuestionView, ...]:
    """Return the questions of a task, in the order given."""
    return tuple(
        QuestionView(
            task_id=task_id,
            id=state.file.id,
            question=state.file.question,
            options=state.file.options,
            asked_at=state.file.asked_at,
            closes_at=state.file.closes_at,
            state=state.state,
        )
        for state in states
    )


def _check(check: dict[str, Any]) -> CheckView:
    code, took = check.get("exit_code"), check.get("duration_ms")
    return CheckView(
        command=str(check.get("command", "")),
        passed=check.get("passed") is True,
        exit_code=code if isinstance(code, int) else None,
        duration_ms=took if isinstance(took, int) else None,
        output_tail=str(check.get("output_tail", "")),
        name=str(check.get("name", "")),
    )


def _tokens(usage: dict[str, Any]) -> int | None:
    counted = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    known = [value for value in counted if isinstance(value, int)]
    return sum(known) if known else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
