"""The JSON of `show` for tasks of the tests, with all that a hostile agent could put into it."""

from __future__ import annotations

from typing import Any

from caesar_core.ci.facts import TaskFacts, facts_of

NASTY = (
    "a\x00b\x1b[31m]]></failure>&amp; \u202e\ud800\uffff \r\n::set-output name=x::1\n"
    "::add-mask::yes ##[add-mask]no `code` ```\n![i](http://x) "
    "<script>alert(1)</script> | % @you #1"
)


def shown(**changes: Any) -> dict[str, Any]:
    """Return what `caesar show --json` holds of a finished task."""
    document: dict[str, Any] = {
        "task_id": "t_1",
        "status": "succeeded",
        "exit_code": 0,
        "reason": None,
        "agent": "mine",
        "model": None,
        "branch": "caesar/mine",
        "report_status": "success",
        "report": {"summary": "All done.", "findings": [], "next_steps": []},
        "checks": [],
        "contradicted": False,
        "usage": None,
        "diff": {"files": [], "is_empty": True},
        "task": {"objective": "Mend the parser", "acceptance_criteria": ["pytest passes"]},
        "record": {
            "created_at": "2026-12-01T10:00:00.000Z",
            "started_at": "2026-12-01T10:00:01.000Z",
            "ended_at": "2026-12-01T10:00:03.500Z",
            "base_ref": "a" * 40,
            "worktree": "/r/.caesar/wt/t_1",
            "workspace": "/r/.caesar/wt/t_1",
        },
        "questions": [],
    }
    return {**document, **changes}


def task(**changes: Any) -> TaskFacts:
    return facts_of(shown(**changes))


def nasty_task() -> TaskFacts:
    """Return a task in which every text that an agent has a say in is hostile."""
    return task(
        agent=NASTY,
        report_status="partial",
        report={
            "summary": NASTY,
            "details": NASTY,
            "next_steps": [NASTY],
            "findings": [
                {"severity": "critical", "title": NASTY, "detail": NASTY, "file": NASTY, "line": 3},
                {"severity": "low", "title": "", "detail": "", "file": None, "line": None},
                {"severity": "high", "title": "t", "detail": "", "file": "/etc/x", "line": None},
            ],
        },
        checks=[
            {
                "command": NASTY,
                "passed": False,
                "exit_code": 1,
                "duration_ms": 12,
                "output_tail": NASTY,
            }
        ],
        task={"objective": NASTY, "acceptance_criteria": [NASTY, ""]},
        diff={"files": [{"path": NASTY, "action": "modified", "insertions": None, "flags": []}]},
        questions=[{"question": NASTY, "state": "closed"}],
    )
