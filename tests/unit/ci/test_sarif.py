from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from caesar_core.ci.facts import TaskFacts
from caesar_core.ci.sarif import sarif
from tests.hygiene.source import ROOT
from tests.unit.ci.sample import nasty_task, shown, task

SCHEMA = json.loads((ROOT / "tests" / "data" / "schemas" / "sarif-2.1.0.json").read_bytes())
FINDINGS: list[dict[str, Any]] = [
    {"severity": "high", "title": "Broken", "detail": "badly", "file": "src/a b.py", "line": 7},
    {"severity": "info", "title": "By the way", "detail": "", "file": None, "line": None},
]


def run_of(found: TaskFacts) -> Any:
    """Return the only run, after validating the whole file."""
    document = json.loads(sarif([found], "1.2.3"))
    jsonschema.Draft4Validator(SCHEMA).validate(document)
    (run,) = document["runs"]
    return run


def test_the_schema_refuses_what_is_not_sarif() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate({"version": "2.1.0", "runs": [{}]})


def test_findings_are_results_with_a_place() -> None:
    """Case I5."""
    run = run_of(task(report={"findings": FINDINGS}))
    first, second = run["results"]
    assert (first["level"], first["message"]["text"]) == ("error", "Broken: badly")
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 7},
    }
    assert second["level"] == "note"
    rules = run["tool"]["driver"]["rules"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == ["finding-high", "finding-info"]
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_task_without_findings_or_report_is_an_empty_run() -> None:
    run = run_of(task(report=None, status="failed", report_status=None, record={}))
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": False}]


def test_paths_start_at_the_top_of_the_repository() -> None:
    record = {**shown()["record"], "workspace": "/r/.caesar/wt/t_1/packages/web"}
    run = run_of(task(record=record, report={"findings": FINDINGS}))
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "packages/web/src/a%20b.py"


def test_the_same_finding_keeps_its_fingerprint_when_lines_move() -> None:
    def fingerprint(line: int) -> Any:
        finding = {**FINDINGS[0], "line": line}
        run = run_of(task(report={"findings": [finding]}))
        return run["results"][0]["partialFingerprints"]

    assert fingerprint(7) == fingerprint(70)


def test_no_text_of_an_agent_breaks_the_file() -> None:
    run = run_of(nasty_task())
    assert len(run["results"]) == 3
    assert "\x1b" not in json.dumps(run, ensure_ascii=False)
    outside = run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert "etc" not in outside["uri"]


@pytest.mark.parametrize("file", ["../../etc/passwd", "/etc/passwd", "a/../../etc/passwd"])
def test_a_place_outside_of_the_checkout_is_only_text(file: str) -> None:
    finding = {**FINDINGS[0], "file": file}
    [result] = run_of(task(report={"findings": [finding]}))["results"]
    place = result["locations"][0]["physicalLocation"]
    assert "etc" not in place["artifactLocation"]["uri"]
    assert place["region"] == {"startLine": 1}
    assert "etc/passwd:7)" in result["message"]["text"]
