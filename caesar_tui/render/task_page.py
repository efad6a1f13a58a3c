"""The order of a task as a page: brief, rules, limits, and where it works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from caesar_core.text import human_duration
from caesar_tui.render.page import PageLine, bullets, field, heading, markdown

_PLACES: Final = (
    ("task", "task_id"),
    ("agent", "agent"),
    ("role", "role"),
    ("model", "model"),
    ("mode", "mode"),
    ("isolation", "isolation"),
    ("workspace", "workspace"),
    ("branch", "branch"),
)
_RECORD: Final = (
    ("base", "base_ref"),
    ("outcome", "outcome"),
    ("race", "race_id"),
    ("continues", "resumes"),
    ("session", "session_id"),
    ("created", "created_at"),
    ("started", "started_at"),
    ("ended", "ended_at"),
    ("applied", "applied_at"),
)


def task_page(document: Mapping[str, Any]) -> list[PageLine]:
    """Return the page for the JSON of `show`."""
    task = document.get("task") or {}
    record = document.get("record") or {}
    objective = str(task.get("objective") or record.get("objective") or "")
    lines = [PageLine("Objective", "accent"), *markdown(objective)]
    if task.get("context"):
        lines += [*heading("Context"), *markdown(str(task["context"]))]
    for title, name in (("Constraints", "constraints"), ("Done when", "acceptance_criteria")):
        if task.get(name):
            lines += [*heading(title), *bullets(task[name])]
    lines += [*heading("Limits"), *_limits(document, task)]
    lines += [*heading("Where and who"), *_facts(document, _PLACES), *_facts(record, _RECORD)]
    warnings = document.get("warnings") or ()
    return [*lines, *(heading("Notes") if warnings else ()), *bullets(warnings)]


def _limits(document: Mapping[str, Any], task: Mapping[str, Any]) -> Iterator[PageLine]:
    deadline = task.get("deadline_ms")
    if isinstance(deadline, int):
        yield field("time", human_duration(deadline / 1000))
    yield field("network", "off" if document.get("network") is False else "on")
    if isinstance(task.get("depth"), int):
        yield field("depth", task["depth"])


def _facts(source: Mapping[str, Any], names: tuple[tuple[str, str], ...]) -> Iterator[PageLine]:
    yield from (field(label, source[name]) for label, name in names if source.get(name))
