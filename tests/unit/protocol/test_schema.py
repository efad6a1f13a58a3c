"""The published schemas, judged by a validator that is not ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from caesar_core.protocol.document import InvalidDocumentError
from caesar_core.protocol.event import EVENT_TYPES
from caesar_core.protocol.report import Report
from caesar_core.protocol.schema import DOCUMENTS, UnknownDocumentError, json_schema
from caesar_core.protocol.versions import EVENT_V1, REPORT_V1
from tests.unit.protocol.test_documents import REPORT, TASK

EVENT = {"protocol": EVENT_V1, "seq": 1, "at": "", "task_id": "t_1"}
FULL_REPORT: dict[str, Any] = {
    **REPORT,
    "task_id": None,
    "details": "",
    "changes": [{"path": "a.py", "action": "created", "summary": ""}],
    "commands_run": [{"command": "make", "exit_code": None, "note": ""}],
    "findings": [{"severity": "low", "title": "x", "file": None, "line": None, "detail": ""}],
    "questions": [{"id": "", "question": "y?", "options": []}],
    "next_steps": [],
    "artifacts": [{"path": "out", "description": ""}],
    "usage": None,
}


def accepts(document: str, value: object, *, strict: bool = False) -> bool:
    return Draft202012Validator(json_schema(document, strict=strict)).is_valid(value)


def objects(node: object) -> Iterator[dict[str, Any]]:
    """Yield every object schema below `node`."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield node
        for child in node.values():
            yield from objects(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects(child)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_schema_is_valid_draft_2020_12(document: str, *, strict: bool) -> None:
    schema = json_schema(document, strict=strict)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["title"] == f"caesar.{document}/v1"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_case_16_strict_objects_are_closed_and_require_everything(document: str) -> None:
    found = list(objects(json_schema(document, strict=True)))
    assert found
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        assert not any("default" in column for column in schema["properties"].values())


def test_case_16_optional_keys_are_nullable_and_defaulted_ones_are_not() -> None:
    assert accepts("report", FULL_REPORT, strict=True)
    for name in ("task_id", "usage"):
        assert accepts("report", {**FULL_REPORT, name: None}, strict=True)
    for name in ("details", "changes", "next_steps", "status", "summary", "protocol"):
        assert not accepts("report", {**FULL_REPORT, name: None}, strict=True)


def test_case_16_the_strict_report_refuses_what_is_missing_or_extra() -> None:
    for name in FULL_REPORT:
        missing = {key: value for key, value in FULL_REPORT.items() if key != name}
        assert not accepts("report", missing, strict=True)
    assert not accepts("report", {**FULL_REPORT, "mood": "good"}, strict=True)
    nested = {**FULL_REPORT, "changes": [{"path": "a", "action": "created"}]}
    assert not accepts("report", nested, strict=True)


def test_case_16_a_strict_report_is_a_report() -> None:
    assert Report.from_json(FULL_REPORT).findings[0].line is None


def test_case_18_the_published_schema_is_what_a_writer_has_to_give() -> None:
    assert accepts("report", REPORT)
    assert accepts("task", TASK)
    assert accepts("report", {**REPORT, "unknown": 1})
    schema = json_schema("report")
    assert set(schema["required"]) == {"protocol", "status", "summary"}
    assert "default" not in schema["properties"]["protocol"]


@pytest.mark.parametrize(
    "report",
    [
        REPORT,
        {**REPORT, "protocol": "caesar.report/v2"},
        {**REPORT, "status": "ok"},
        {**REPORT, "summary": ""},
        {**REPORT, "findings": [{"title": "x", "line": 0}]},
        {**REPORT, "usage": {"input_tokens": -1}},
        {"protocol": REPORT_V1, "status": "success"},
        [],
    ],
)
def test_schema_and_reader_agree(report: object) -> None:
    try:
        Report.from_json(report)
    except (InvalidDocumentError, ValueError):
        assert not accepts("report", report)
    else:
        assert accepts("report", report)


def test_case_17_a_tool_call_of_an_old_log_needs_no_id() -> None:
    assert accepts("event", {**EVENT, "type": "tool_use", "tool": "shell", "status": "started"})
    assert not accepts("event", {**EVENT, "type": "tool_use", "tool": "shell", "status": "odd"})


def test_the_schema_of_events_lists_the_ten_types() -> None:
    assert set(json_schema("event")["discriminator"]["mapping"]) == set(EVENT_TYPES)
    assert len(EVENT_TYPES) == 10


def test_a_document_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(UnknownDocumentError, match="raport") as caught:
        json_schema("raport")
    assert "task, report, event, question" in caught.value.hint
