"""A Markdown page about what tasks came to, for a CI's summary or a pull request's comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from caesar_core.ci.facts import SEVERITIES, CheckFact, TaskFacts
from caesar_core.text import clip, counted, human_duration, one_line, visible

_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_LONGEST_CELL: Final = 300
_LONGEST_TEXT: Final = 4_000
_MOST_ROWS: Final = 50
# GitHub takes one mebibyte for a step; a page that long is not read either.
_LONGEST_PAGE: Final = 256_000
_CUT: Final = "\n\n… the rest is left out; `caesar show` has it.\n"
_MARKS: Final = {"success": "✅", "partial": "⚠️", "blocked": "✋", "contradicted": "❌"}


def summary(tasks: Sequence[TaskFacts], notes: Iterable[str] = ()) -> str:
    """Return the page; `notes` are sentences of ours that stand above the tasks."""
    lines = [f"> {inline(note)}\n" for note in notes]
    if len(tasks) > 1:
        lines += [*_overview(tasks), ""]
    for task in tasks:
        lines += [*_task(task), ""]
    page = "\n".join(lines).rstrip() + "\n"
    return page if len(page) <= _LONGEST_PAGE else page[:_LONGEST_PAGE].rpartition("\n")[0] + _CUT


def inline(text: str, limit: int = _LONGEST_CELL) -> str:
    """Return a stranger's text as one line of Markdown that shows it, and nothing else.

    Every punctuation mark is escaped: no emphasis, link, image, mention, HTML or table cell.
    """
    return _PUNCTUATION.sub(r"\\\1", one_line(text, limit))


def fenced(text: str) -> str:
    """Return a stranger's text as a block of code that it cannot leave."""
    shown = visible(text, keep_newlines=True).strip("\n")
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _overview(tasks: Sequence[TaskFacts]) -> Iterator[str]:
    yield "| | Agent | Verdict | Checks | Files | Time |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for task in tasks:
        passed = sum(check.passed for check in task.checks)
        checks = f"{passed}/{len(task.checks)}" if task.checks else "none"
        took = human_duration(task.duration_ms / 1000)
        cells = (_mark(task), inline(task.agent), inline(task.verdict), checks, len(task.files))
        yield f"| {' | '.join(map(str, cells))} | {took} |"


def _task(task: TaskFacts) -> Iterator[str]:
    yield f"## {_mark(task)} {inline(task.agent)}: {inline(task.verdict)}"
    yield ""
    yield f"**Objective:** {inline(task.objective)}"
    yield ""
    if task.summary:
        yield inline(task.summary, _LONGEST_TEXT)
        yield ""
    yield from _checks(task.checks)
    yield from _findings(task)
    yield from _files(task)
    yield from _list("Next steps", task.next_steps)
    yield from _list("Unanswered questions", task.unanswered)
    yield f"<sub>{inline(_facts_line(task), 500)}</sub>"


def _checks(checks: Sequence[CheckFact]) -> Iterator[str]:
    if not checks:
        return
    yield "| | Check | Result | Time |"
    yield "| --- | --- | --- | --- |"
    for check in checks[:_MOST_ROWS]:
        mark = "✅" if check.passed else "❌"
        took = human_duration(check.duration_ms / 1000)
        yield f"| {mark} | {inline(check.label)} | {check.ended} | {took} |"
    yield ""
    for check in checks[:_MOST_ROWS]:
        if not check.passed and check.output.strip():
            yield f"<details><summary>Output of {_html(check.label)}</summary>"
            yield ""
            yield fenced(clip(check.output, _LONGEST_TEXT))
            yield ""
            yield "</details>"
            yield ""


def _findings(task: TaskFacts) -> Iterator[str]:
    worst = sorted(task.findings, key=lambda f: -SEVERITIES.index(f.severity))
    if not worst:
        return
    yield "| Severity | Finding | Where |"
    yield "| --- | --- | --- |"
    for finding in worst[:_MOST_ROWS]:
        line = f":{finding.line}" if finding.line else ""
        where = inline(f"{finding.file}{line}") if finding.file else ""
        yield f"| {finding.severity} | {inline(finding.text)} | {where} |"
    yield from _more(len(worst), "finding")
    yield ""


def _files(task: TaskFacts) -> Iterator[str]:
    if not task.files:
        return
    yield f"<details><summary>{counted(len(task.files), 'changed file')}</summary>"
    yield ""
    yield "| File | | Lines | Look at |"
    yield "| --- | --- | --- | --- |"
    for file in task.files[:_MOST_ROWS]:
        lines = "" if file.insertions is None else f"+{file.insertions} −{file.deletions or 0}"
        yield f"| {inline(file.path)} | {file.action} | {lines} | {inline(', '.join(file.flags))} |"
    yield from _more(len(task.files), "file")
    yield ""
    yield "</details>"
    yield ""


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"**{title}**"
        yield ""
        yield from (f"- {inline(item)}" for item in items[:_MOST_ROWS])
        yield ""


def _more(count: int, noun: str) -> Iterator[str]:
    if count > _MOST_ROWS:
        yield ""
        yield f"… and {counted(count - _MOST_ROWS, f'{noun}')} more"


def _facts_line(task: TaskFacts) -> str:
    reason = f" ({task.reason})" if task.reason else ""
    usage = task.usage or {}
    tokens = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    spent = "tokens unknown" if None in tokens else f"{sum(t or 0 for t in tokens)} tokens"
    cost = usage.get("cost_usd")
    parts = (
        task.id,
        f"process {task.status.replace('_', ' ')}{reason}",
        f"report {task.report_status or 'none'}",
        human_duration(task.duration_ms / 1000),
        spent,
        "cost unknown" if cost is None else f"{cost:.4f} USD",
    )
    return " · ".join(parts)


def _mark(task: TaskFacts) -> str:
    if task.is_done:
        return "✅"
    mark = _MARKS.get(task.verdict, "❌")
    return "❌" if mark == "✅" else mark


def _html(text: str) -> str:
    shown = one_line(text, 120)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
