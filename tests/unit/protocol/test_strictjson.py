from __future__ import annotations

import json

import pytest

from caesar_core.protocol.strictjson import MAX_DEPTH, BadJsonError, strict_json


def test_reads_what_json_reads_and_tolerates_a_byte_order_mark() -> None:
    document = {"a": [1, 2.5, None, True], "b": {"ä": "x\ny", "[": "]{"}, "emoji": "😀"}
    for ascii_only in (True, False):
        data = json.dumps(document, ensure_ascii=ascii_only).encode()
        assert strict_json(data) == document
        assert strict_json(b"\xef\xbb\xbf" + data) == document


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not"),
        (b"[1e999]", "1e999 is too large"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' is given twice"),
        (b'{"x": {"a": 1, "a": 1}}', "'a' is given twice"),
        (rb'["\ud800"]', "lone surrogate"),
        (rb'{"\udfff": 1}', "lone surrogate"),
        (b'["\xff"]', "not UTF-8 at byte 2"),
        (b"", "not JSON"),
        (b'{"a": 1', "not JSON"),
        (b"[1] [2]", "not JSON"),
        (b"[" + b"9" * 10_000 + b"]", "not JSON"),
    ],
)
def test_x6_refuses_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadJsonError, match=reason):
        strict_json(data)


def test_a_surrogate_pair_is_text() -> None:
    assert strict_json(rb'["\ud83d\ude00"]') == ["😀"]


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_x6_depth_bombs_are_refused_without_a_deep_stack(opening: bytes) -> None:
    with pytest.raises(BadJsonError, match="nested deeper than 200"):
        strict_json(opening * 100_000)


def test_brackets_inside_strings_and_side_by_side_are_no_depth() -> None:
    assert strict_json(json.dumps(["[{" * 500, 'quote " [' * 200]).encode())
    assert len(strict_json(b"[" + b",".join([b"[]"] * 1_000) + b"]")) == 1_000
    deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert strict_json(deepest)


def test_x6_unterminated_escapes_are_read_in_linear_time() -> None:
    for bomb in (b'"' + b'\\"' * 1_000_000, b'"' + b"\\" * 1_000_001, b'"\\' * 1_000_000):
        with pytest.raises(BadJsonError):
            strict_json(b"[" * 300 + bomb)
