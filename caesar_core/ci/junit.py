"""JUnit XML: one suite a task, one case for the task, each check and each criterion.

In the dialect that Jenkins, GitLab, GitHub and Ant all read: no attribute or element beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from caesar_core.ci.facts import CheckFact, TaskFacts
from caesar_core.text import clip, one_line, visible

_NAME: Final = 200
_OUTPUT: Final = 16_000
# Allowed by `visible`, forbidden by XML 1.0.
_NOT_XML: Final = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
Kind = Literal["failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case.

    Attributes:
        group: what kind of thing it is; the `classname`.
        seconds: how long it took.
        kind: why it did not pass; `None` when it did.
        message: one line; text: everything there is to say.
    """

    group: str
    name: str
    seconds: float = 0.0
    kind: Kind | None = None
    message: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases under one name; `started_at` is ISO 8601, as `properties` they are shown as pairs."""

    name: str
    cases: Sequence[Case]
    started_at: str = ""
    seconds: float = 0.0
    properties: Sequence[tuple[str, str]] = ()
    output: str = ""


def junit(tasks: Iterable[TaskFacts]) -> str:
    """Return the JUnit XML of some tasks."""
    return junit_of(_suite(task) for task in tasks)


def junit_of(suites: Iterable[Suite]) -> str:
    """Return the XML of some suites; every text is made safe here."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for number, suite in enumerate(suites):
        lines += _suite_lines(number, suite)
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(task: TaskFacts) -> Suite:
    pairs = (
        ("task_id", task.id),
        ("agent", task.agent),
        ("model", task.model),
        ("status", task.status),
        ("report_status", task.report_status),
        ("base_ref", task.base_ref),
    )
    return Suite(
        name=f"caesar {task.agent} {task.id}",
        cases=[_task_case(task), *map(_check_case, task.checks), *_criteria_cases(task)],
        started_at=task.started_at,
        seconds=task.duration_ms / 1000,
        properties=[(name, value) for name, value in pairs if value],
        output=task.summary,
    )


def _task_case(task: TaskFacts) -> Case:
    """Return the case of the task itself: failed by its report, in error by its process."""
    kind: Kind | None = None
    if task.status != "succeeded":
        kind = "error"
    elif task.report_status != "success":
        kind = "failure"
    left = "".join(f"\n- {step}" for step in task.next_steps)
    return Case(
        "caesar.task",
        one_line(task.objective, _NAME),
        task.duration_ms / 1000,
        kind,
        f"{task.verdict}{f' ({task.reason})' if task.reason else ''}: {one_line(task.summary)}",
        f"{task.summary}\n{task.details}{left}".strip(),
    )


def _check_case(check: CheckFact) -> Case:
    return Case(
        "caesar.check",
        one_line(check.label, _NAME),
        check.duration_ms / 1000,
        None if check.passed else "failure",
        check.ended,
        f"$ {check.command}\n{check.output}",
    )


def _criteria_cases(task: TaskFacts) -> Iterable[Case]:
    """Yield the criteria: nobody measures them, so they pass only where nothing speaks against."""
    for criterion in task.criteria:
        name = one_line(criterion, _NAME)
        if task.is_done:
            yield Case("caesar.criterion", name)
        else:
            said = "The agent claims it, a check failed" if task.contradicted else task.verdict
            yield Case("caesar.criterion", name, 0.0, "skipped", f"Not known: {said}.")


def _suite_lines(number: int, suite: Suite) -> Iterable[str]:
    kinds = [case.kind for case in suite.cases]
    attributes = {
        "id": str(number),
        "name": suite.name,
        "package": "caesar",
        "hostname": "localhost",
        # The strictest reader wants no zone and no fraction.
        "timestamp": suite.started_at[:19] or "1970-01-01T00:00:00",
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": _seconds(suite.seconds),
    }
    yield f"  <testsuite {_attributes(attributes)}>"
    yield "    <properties>"
    for name, value in suite.properties:
        yield f"      <property {_attributes({'name': name, 'value': value})}/>"
    yield "    </properties>"
    for case in suite.cases:
        yield from _case_lines(case)
    yield f"    <system-out>{_text(suite.output)}</system-out>"
    yield "    <system-err></system-err>"
    yield "  </testsuite>"


def _case_lines(case: Case) -> Iterable[str]:
    head = {
        "classname": case.group,
        "name": case.name or "(no name)",
        "time": _seconds(case.seconds),
    }
    if case.kind is None:
        yield f"    <testcase {_attributes(head)}/>"
        return
    yield f"    <testcase {_attributes(head)}>"
    message = {"message": one_line(case.message, 400)}
    if case.kind == "skipped":
        yield f"      <skipped {_attributes(message)}/>"
    else:
        why = _attributes({**message, "type": case.group})
        yield f"      <{case.kind} {why}>{_text(case.text)}</{case.kind}>"
    yield "    </testcase>"


def _attributes(pairs: dict[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(_safe(value))}" for name, value in pairs.items())


def _text(text: str) -> str:
    return escape(_safe(clip(text, _OUTPUT), keep_newlines=True))


def _safe(text: str, *, keep_newlines: bool = False) -> str:
    return visible(text, keep_newlines=keep_newlines).translate(_NOT_XML)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
