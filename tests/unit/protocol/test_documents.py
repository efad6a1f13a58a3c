"""Task and report as foreign documents: what is accepted, what is refused, and by which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caesar_core.protocol.document import InvalidDocumentError, without_nulls
from caesar_core.protocol.report import Report, Usage
from caesar_core.protocol.task import Task
from caesar_core.protocol.versions import REPORT_V1, TASK_V1, UnknownVersionError

TASK: dict[str, Any] = {
    "protocol": TASK_V1,
    "id": "t_1",
    "created_at": "2026-01-01T00:00:00.000Z",
    "agent": "codex",
    "objective": "Fix the parser",
    "workspace": "/srv/parser",
    "deadline_ms": 1_200_000,
    "report_path": "/srv/report.json",
    "events_path": "/srv/events.jsonl",
}
REPORT: dict[str, Any] = {"protocol": REPORT_V1, "status": "success", "summary": "Fixed."}


def report(**keys: Any) -> Report:
    return Report.from_json({**REPORT, **keys})


def test_case_1_a_task_without_network_has_the_network() -> None:
    assert Task.from_json(TASK).network is True
    assert Task.from_json({**TASK, "network": False}).network is False


@pytest.mark.parametrize("found", ["caesar.task/v2", "caesar.report/v1", 1, ["caesar.task/v1"]])
def test_case_2_another_version_of_a_task_is_refused_by_name(found: object) -> None:
    with pytest.raises(UnknownVersionError) as caught:
        Task.from_json({**TASK, "protocol": found})
    assert repr(found) in caught.value.message
    assert TASK_V1 in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_case_2_a_document_has_to_declare_its_version() -> None:
    with pytest.raises(UnknownVersionError, match="declares nothing"):
        Task.from_json({key: value for key, value in TASK.items() if key != "protocol"})


def test_case_3_three_keys_are_a_report() -> None:
    minimal = Report.from_json(REPORT)
    assert (minimal.task_id, minimal.details, minimal.usage) == (None, "", None)
    assert [*minimal.changes, *minimal.findings, *minimal.next_steps] == []
    assert minimal.to_json()["status"] == "success"


@pytest.mark.parametrize("name", ["status", "summary"])
def test_case_3_two_keys_are_none(name: str) -> None:
    with pytest.raises(InvalidDocumentError, match=name):
        Report.from_json({key: value for key, value in REPORT.items() if key != name})


@pytest.mark.parametrize("status", ["ok", "Success", "", 1, True, ["success"], {}])
def test_case_4_a_status_outside_of_the_vocabulary_is_invalid(status: object) -> None:
    with pytest.raises(InvalidDocumentError, match="status"):
        report(status=status)


def test_case_5_explicit_nulls_read_as_absent_at_every_depth() -> None:
    found = report(
        task_id=None,
        details=None,
        changes=[{"path": "a.py", "action": None, "summary": None}],
        commands_run=[{"command": "make", "exit_code": None}],
        findings=[{"title": "x", "severity": None, "file": None, "line": None}],
        questions=None,
        usage={"input_tokens": 3, "cost_usd": None},
    )
    assert found.changes[0].action == "modified"
    assert found.findings[0].severity == "info"
    assert found.usage == Usage(input_tokens=3)


def test_case_5_a_null_for_a_required_key_is_a_missing_key() -> None:
    with pytest.raises(InvalidDocumentError, match=r"summary: field required"):
        report(summary=None)


def test_case_5_nulls_inside_arrays_are_kept_and_refused() -> None:
    assert without_nulls({"a": [None, {"b": None, "c": [None]}], "d": None}) == {
        "a": [None, {"c": [None]}]
    }
    with pytest.raises(InvalidDocumentError, match=r"next_steps\.0"):
        report(next_steps=[None])


def test_case_7_the_order_of_the_keys_means_nothing() -> None:
    document = {"usage": {"input_tokens": 1}, "changes": [{"path": "a"}], **REPORT}
    assert Report.from_bytes(json.dumps(document).encode()).changes[0].path == "a"


@pytest.mark.parametrize("found", ["caesar.report/v2", "caesar.report/v10", "v1"])
def test_case_19_another_version_of_a_report_is_refused_by_name(found: str) -> None:
    with pytest.raises(UnknownVersionError, match=found):
        Report.from_bytes(json.dumps({**REPORT, "protocol": found}).encode())


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"findings": [{"title": "x", "line": 0}]}, "findings.0.line"),
        ({"findings": [{"title": "x", "line": "12"}]}, "findings.0.line"),
        ({"findings": [{"title": "x", "severity": "bad"}]}, "findings.0.severity"),
        ({"changes": [{"path": ""}]}, "changes.0.path"),
        ({"changes": ["a.py"]}, "changes.0"),
        ({"commands_run": [{"command": "x", "exit_code": 1.5}]}, "commands_run.0.exit_code"),
        ({"usage": {"input_tokens": -1}}, "usage.input_tokens"),
        ({"usage": {"cost_usd": 10**400}}, "usage.cost_usd"),
        ({"summary": ""}, "summary"),
        ({"summary": 7}, "summary"),
    ],
)
def test_case_20_a_wrong_value_is_refused_with_its_place(keys: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidDocumentError) as caught:
        report(**keys)
    assert f"{place}: " in caught.value.message


def test_case_20_a_long_list_of_mistakes_is_cut() -> None:
    with pytest.raises(InvalidDocumentError, match="; 2 more"):
        report(next_steps=[1, 2, 3, 4, 5, 6, 7])


def test_case_20_a_byte_order_mark_is_tolerated_and_bad_json_is_named() -> None:
    data = json.dumps(REPORT).encode()
    assert Report.from_bytes(b"\xef\xbb\xbf" + data) == Report.from_json(REPORT)
    for bad in (data[:-1], b"[]", b'"text"', data.replace(b"Fixed.", b"\\ud800"), b"\xff" + data):
        with pytest.raises(InvalidDocumentError, match=r"^(Not a|A) caesar\.report/v1"):
            Report.from_bytes(bad)


def test_case_21_unknown_keys_are_accepted_and_dropped() -> None:
    found = report(mood="good", changes=[{"path": "a", "lines": 3}], usage={"gpu": 1})
    assert found == report(changes=[{"path": "a"}], usage={})
    assert "mood" not in found.to_json()


def test_what_was_written_is_read_again() -> None:
    found = report(
        task_id="t_1",
        changes=[{"path": "ä/b.py", "action": "created"}],
        findings=[{"title": "x", "line": 3, "severity": "high"}],
        questions=[{"question": "y?", "options": ["a"]}],
        artifacts=[{"path": "out.txt"}],
        usage={"cost_usd": 1.5},
    )
    assert Report.from_bytes(found.to_bytes()) == found
    task = Task.from_json({**TASK, "constraints": ["no network"], "channel": {"command": "x"}})
    assert Task.from_bytes(task.to_bytes()) == task


def test_documents_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Report.from_json(REPORT).summary = "else"
