"""Reports in free text: found wherever they are, in linear time, never invented."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesar_core.engine.extract import find_candidates
from caesar_core.protocol import strictjson

REPORT = {"protocol": "caesar.report/v1", "status": "success", "summary": "done"}
TEXT = json.dumps(REPORT)


def documents(text: str) -> list[object]:
    return [candidate.document for candidate in find_candidates(text)]


@pytest.mark.parametrize(
    "fence", ["```json caesar:report", "```caesar:report", "```json", "```", "~~~"]
)
def test_case_11_fenced_blocks_of_every_form(fence: str) -> None:
    assert documents(f"Words.\n{fence}\n{TEXT}\n```\nMore words.") == [REPORT]


def test_case_7_nested_object_before_the_protocol_key() -> None:
    report = {"usage": {"input_tokens": 1}, **REPORT}

    assert documents(f"x {json.dumps(report)} y") == [report]


def test_case_8_braces_and_quotes_in_texts_do_not_confuse() -> None:
    report = {**REPORT, "summary": 'a "quoted" } brace { and \\ slash'}

    assert documents(json.dumps(report)) == [report]


@pytest.mark.parametrize("text", [TEXT[:-1], "caesar.report/v1", "{caesar.report/v1}", ""])
def test_case_10_truncated_or_prose_is_no_report(text: str) -> None:
    assert [found for found in documents(text) if found] == []


def test_case_12_pretty_printed_over_many_lines() -> None:
    assert documents(f"log\n{json.dumps(REPORT, indent=2)}\nlog") == [REPORT]


def test_report_inside_a_json_line_that_wraps_a_message() -> None:
    line = json.dumps({"type": "message", "text": f"Here it is: {TEXT}"})

    assert documents(f"noise\n{line}\n") == [REPORT]


def test_garbage_before_a_report_does_not_hide_it() -> None:
    assert documents('{ " broken\n{"a": \n' + TEXT) == [REPORT]


def test_marker_in_a_nested_value_leaves_the_outer_report_whole() -> None:
    report = {**REPORT, "details": {"x": {"y": "mentions caesar.report/v1"}}}

    assert documents(json.dumps(report)) == [report]


def test_labelled_block_is_marked() -> None:
    found = find_candidates(f"{TEXT}\n```json caesar:report\n{TEXT}\n```")

    assert [candidate.fenced for candidate in found] == [False, True]


@pytest.mark.parametrize(
    "unit",
    [
        '{"protocol":"caesar.report/v1", \n',
        '{"protocol":"caesar.report/v1", ',
        '{"a":"caesar.report/v1"},',
        '{"caesar.report/v1',
        '{"x":{"caesar.report/v1":',
        "```json caesar:report\ncaesar.report/v1\n",
        '"{\\"caesar.report/v1',
    ],
)
def test_case_15_work_grows_with_the_text_and_not_faster(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes handed to the JSON parser stay within a small multiple of the text."""
    parsed = [0]
    real = strictjson.strict_json

    def counted(data: bytes) -> object:
        parsed[0] += len(data)
        return real(data)

    monkeypatch.setattr("caesar_core.engine.extract.strict_json", counted)
    for count in (200, 2_000):
        text = unit * count
        parsed[0] = 0
        find_candidates(text)
        find_candidates(text + "}" * count)
        assert parsed[0] <= 24 * len(text)


@given(st.text(alphabet='{}"\\\n caesar.report/v1:,[]ab', max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    find_candidates(text)


@given(st.text(alphabet='{}[]"\\ab,:\n', max_size=60), st.text(alphabet='{}"\\ab\n', max_size=30))
def test_report_on_a_line_of_its_own_is_found_behind_any_garbage(garbage: str, after: str) -> None:
    assert REPORT in documents(f"{garbage}\n{TEXT}\n{after}")
