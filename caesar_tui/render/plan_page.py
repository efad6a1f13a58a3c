"""What a draft would come to, as a page: each decision with its reason, or the refusal. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from caesar_core.text import human_duration
from caesar_tui.messages import DraftPlanned
from caesar_tui.render.page import PageLine


def plan_page(planned: DraftPlanned) -> list[PageLine]:
    """Return the page."""
    if planned.refusal:
        lines = [PageLine(planned.refusal, "bad")]
        return [*lines, PageLine(planned.remedy, "dim")] if planned.remedy else lines
    lines = []
    for number, decided in enumerate(planned.plans, 1):
        if len(planned.plans) > 1:
            lines.append(PageLine(f"contestant {number}", "accent"))
        lines += _decided(decided)
    return lines


def _decided(decided: tuple[tuple[str, str, str], ...]) -> Iterator[PageLine]:
    for name, value, reason in decided:
        if name == "note":
            yield PageLine(reason, "warn", f"{name:<13}", "dim")
        else:
            shown = _time(value) if name == "deadline_ms" else value
            label = "time" if name == "deadline_ms" else name
            yield PageLine(f"{shown:<14} {reason}", "", f"{label:<13}", "dim")


def _time(value: str) -> str:

    return human_duration(int(value) / 1000) if value.isdigit() else value
