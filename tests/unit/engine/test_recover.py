"""The four tiers and their order; what is no report never becomes a success."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from caesar_core.engine.brief import compose_brief
from caesar_core.engine.recover import RunFacts, recover_report
from caesar_core.protocol.task import Task

REPORT = {"protocol": "caesar.report/v1", "status": "success", "summary": "done"}
BYTES = json.dumps(REPORT).encode()
TASK = Task(
    id="t_1",
    created_at="2026-01-01T00:00:00.000Z",
    agent="x",
    objective="o",
    mode="write",
    isolation="worktree",
    workspace="/w",
    deadline_ms=1,
    report_path="/r",
    events_path="/e",
)


@pytest.mark.parametrize(("channel", "source"), [(True, "channel"), (False, "file")])
def test_report_file_comes_first(channel: bool, source: str) -> None:
    facts = RunFacts(report_bytes=BYTES, raw_tail=json.dumps({**REPORT, "summary": "other"}))

    found = recover_report(replace(facts, channel=channel))

    assert (found.report.summary, found.source) == ("done", source)


def test_final_message_comes_before_the_log() -> None:
    facts = RunFacts(
        final_text=json.dumps({**REPORT, "summary": "last words"}),
        raw_tail=json.dumps({**REPORT, "summary": "log"}),
    )

    assert recover_report(facts).report.summary == "last words"
    assert recover_report(facts).source == "extracted"
    assert recover_report(replace(facts, schema_tier=True)).source == "schema"


def test_last_report_wins_and_a_labelled_one_wins_over_all() -> None:
    first, last = (json.dumps({**REPORT, "summary": s}) for s in ("first", "last"))

    assert recover_report(RunFacts(raw_tail=f"{first}\n{last}")).report.summary == "last"
    labelled = f"```json caesar:report\n{first}\n```\n{last}"
    assert recover_report(RunFacts(raw_tail=labelled)).report.summary == "first"


@pytest.mark.parametrize("indent", ["", "> ", "    ", "echo: "])
def test_case_14_echo_of_our_own_brief_is_no_report(indent: str) -> None:
    brief = compose_brief(TASK)
    echoed = "\n".join(indent + line for line in brief.splitlines())

    found = recover_report(RunFacts(raw_tail=echoed, brief=brief))

    assert found.source == "synthesized"
    assert found.report.status != "success"


def test_case_14_report_that_the_brief_itself_quotes_does_not_count() -> None:
    brief = compose_brief(TASK.model_copy(update={"context": f"Earlier: {json.dumps(REPORT)}"}))

    assert recover_report(RunFacts(raw_tail=brief, brief=brief)).source == "synthesized"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"protocol":"caesar.report/v2","status":"success","summary":"x"}',
        b'{"protocol":"caesar.report/v1","status":"great","summary":"x"}',
        b'{"protocol":"caesar.report/v1","status":"success","summary":""}',
        b'{"protocol":"caesar.report/v1","status":"success","summary":NaN}',
        b'{"protocol":"caesar.report/v1","status":"failed","status":"success","summary":"x"}',
        b'{"protocol":"caesar.report/v1","status":"success","summary":"\\ud800"}',
        json.dumps({**REPORT, "findings": [{"title": "t", "line": 0}]}).encode(),
        b"\xff\xfe",
        b'{"a":' * 5000,
    ],
)
def test_cases_19_20_unacceptable_report_file_is_told_and_never_a_success(data: bytes) -> None:
    found = recover_report(RunFacts(report_bytes=data, changed=["a"], raw_tail="words"))

    assert found.invalid
    assert found.report.status == "partial"
    assert [finding.severity for finding in found.findings] == ["high"]
    assert found.findings[0].detail


def test_success_in_the_log_beside_an_unacceptable_file_is_held_back() -> None:
    found = recover_report(RunFacts(report_bytes=b"garbage", raw_tail=json.dumps(REPORT)))

    assert (found.source, found.report.status, found.invalid) == ("extracted", "partial", True)


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        (RunFacts(), "failed"),
        (RunFacts(raw_tail="some words"), "partial"),
        (RunFacts(changed=["a"]), "partial"),
        (RunFacts(changed=[]), "failed"),
        (RunFacts(changed=["a"], raw_tail="words", ended="It exited with 1."), "failed"),
    ],
)
def test_s9_synthesis_never_claims_success(facts: RunFacts, status: str) -> None:
    found = recover_report(facts)

    assert (found.source, found.report.status) == ("synthesized", status)
    assert facts.ended in found.report.summary


def test_synthesis_ends_with_the_last_words() -> None:
    found = recover_report(RunFacts(raw_tail="\n".join(f"line {n}" for n in range(20))))

    assert "line 15 | line 16 | line 17 | line 18 | line 19" in found.report.summary
    assert "line 14" not in found.report.summary


@pytest.mark.parametrize(
    ("changed", "words"), [(["a.txt"], "the diff"), (None, "the diff"), ([], "Nothing was changed")]
)
def test_nobody_is_sent_to_look_at_a_diff_that_is_empty(
    changed: list[str] | None, words: str
) -> None:
    found = recover_report(RunFacts(ended="The agent exited with 1.", changed=changed))
    [step] = found.report.next_steps or ()
    assert words in step
