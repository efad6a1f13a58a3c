from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import xmlschema

from caesar_core.ci.facts import TaskFacts
from caesar_core.ci.junit import junit
from tests.hygiene.source import ROOT
from tests.unit.ci.sample import nasty_task, task

SCHEMA = xmlschema.XMLSchema(str(ROOT / "tests" / "data" / "schemas" / "junit-10.xsd"))
CHECK = {"command": "pytest -q", "exit_code": 0, "duration_ms": 1500, "output_tail": "ok"}
PASSED, FAILED = {**CHECK, "passed": True}, {**CHECK, "passed": False, "exit_code": 1}


def outcomes(*tasks: TaskFacts) -> list[tuple[str | None, str | None, str]]:
    """Return class, name and outcome of each case, after validating the whole file."""
    text = junit(tasks)
    SCHEMA.validate(text)
    cases = ET.fromstring(text.encode()).iter("testcase")
    return [
        (case.get("classname"), case.get("name"), case[0].tag if len(case) else "passed")
        for case in cases
    ]


def test_task_checks_and_criteria_are_cases() -> None:
    """Case I5."""
    assert outcomes(task(checks=[PASSED])) == [
        ("caesar.task", "Mend the parser", "passed"),
        ("caesar.check", "pytest -q", "passed"),
        ("caesar.criterion", "pytest passes", "passed"),
    ]


def test_a_claim_that_a_check_contradicts_passes_no_criterion() -> None:
    found = outcomes(task(checks=[FAILED], contradicted=True))
    assert [outcome for _, _, outcome in found] == ["passed", "failure", "skipped"]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"report_status": "partial"}, "failure"),
        ({"report_status": "blocked"}, "failure"),
        ({"status": "failed", "report_status": "failed"}, "error"),
        ({"status": "timed_out", "reason": "timeout", "report_status": "success"}, "error"),
        ({"status": "cancelled", "report": None, "report_status": None}, "error"),
    ],
)
def test_what_is_not_done_is_a_failure_of_the_report_or_an_error_of_the_process(
    changes: dict[str, object], outcome: str
) -> None:
    found = outcomes(task(**changes))
    assert [kind for _, _, kind in found] == [outcome, "skipped"]


def test_a_race_is_a_suite_for_each_contestant() -> None:
    text = junit([task(), task(task_id="t_2", checks=[FAILED])])
    SCHEMA.validate(text)
    suites = ET.fromstring(text.encode()).findall("testsuite")
    counts = [(s.get("id"), s.get("tests"), s.get("failures"), s.get("time")) for s in suites]
    assert counts == [("0", "2", "0", "2.500"), ("1", "3", "1", "2.500")]


def test_no_text_of_an_agent_breaks_the_file() -> None:
    text = junit([nasty_task()])
    SCHEMA.validate(text)
    tree = ET.fromstring(text.encode())
    assert "]]></failure>&amp;" in "".join(tree.itertext())
    assert "\x1b" not in text


def test_long_output_is_cut() -> None:
    long = {**FAILED, "output_tail": "x" * 1_000_000}
    assert len(junit([task(checks=[long])])) < 40_000
