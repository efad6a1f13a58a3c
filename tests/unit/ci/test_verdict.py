from __future__ import annotations

import pytest

from caesar_core.ci.verdict import exit_code, parse_fail_on
from caesar_core.errors import CaesarError
from tests.unit.ci.sample import task

FAILED = [{"command": "x", "passed": False}]


def finding(severity: str) -> dict[str, object]:
    return {"findings": [{"severity": severity, "title": "t"}]}


@pytest.mark.parametrize(
    ("words", "changes", "fails"),
    [
        (["finding:high"], {"report": finding("high")}, True),
        (["finding:high"], {"report": finding("critical")}, True),
        (["finding:high"], {"report": finding("medium")}, False),
        (["finding:high", "finding:low"], {"report": finding("low")}, True),
        (["check"], {"checks": FAILED}, True),
        (["partial"], {"report_status": "partial"}, True),
        ([], {"report": finding("critical"), "checks": FAILED}, False),
    ],
)
def test_conditions_of_the_caller(
    words: list[str], changes: dict[str, object], fails: bool
) -> None:
    assert bool(parse_fail_on(words).reasons(task(**changes))) is fails


@pytest.mark.parametrize("word", ["finding", "finding:bad", "checks", "", "check:high"])
def test_a_condition_that_is_not_known_is_refused(word: str) -> None:
    with pytest.raises(CaesarError, match="fail-on"):
        parse_fail_on([word])


@pytest.mark.parametrize(
    ("code", "failing", "unanswered", "final"),
    [
        (0, False, False, 0),
        (0, True, False, 1),
        (1, True, False, 1),
        (4, True, False, 4),
        (0, False, True, 3),
        (1, True, True, 3),
        (130, True, True, 130),
        (4, False, True, 4),
    ],
)
def test_i1_the_exit_code_says_what_matters_most(
    code: int, failing: bool, unanswered: bool, final: int
) -> None:
    assert exit_code(code, failing=failing, unanswered=unanswered) == final
