"""The ten-line agent of the standard, and what may go wrong with it (S1, S2, S19)."""

from __future__ import annotations

import pytest

from tests.integration.engine.conftest import TEN_LINES, Caesar


def test_s19_ten_line_agent_succeeds_by_the_file_tier(caesar: Caesar) -> None:
    caesar.declare("mine", TEN_LINES)

    ran = caesar("run", "--agent", "mine", "mend it", "--json")

    assert ran.code == 0
    assert ran.json["status"] == "succeeded"
    assert ran.json["report_source"] == "file"
    assert ran.json["report"]["summary"] == "Handled: mend it"
    assert ran.json["changes_verified_by"] == "git"
    assert ran.json["diff"] == {"files": [], "is_empty": True}


def test_s4_agent_sees_all_eight_variables(caesar: Caesar) -> None:
    caesar.declare("env", 'env | grep "^CAESAR_" | sort; echo "cwd=$PWD"')

    result = caesar.run("look", agent="env")

    raw = caesar("logs", "--raw", result["task_id"]).out
    names = [line.partition("=")[0] for line in raw.splitlines() if line.startswith("CAESAR_")]
    assert names == [
        "CAESAR_AGENT",
        "CAESAR_DEPTH",
        "CAESAR_EVENTS_PATH",
        "CAESAR_PROTOCOL_VERSION",
        "CAESAR_REPORT_PATH",
        "CAESAR_TASK_DIR",
        "CAESAR_TASK_FILE",
        "CAESAR_TASK_ID",
    ]
    assert "CAESAR_DEPTH=1" in raw
    assert f"cwd={result['workspace']}" in raw


def _reports(version: str, status: str) -> str:
    report = f'{{"protocol":"caesar.report/{version}","status":"{status}","summary":"x"}}'
    return f"echo '{report}' > $CAESAR_REPORT_PATH"


@pytest.mark.parametrize(
    ("script", "report_status", "finding"),
    [
        ("exit 0", "failed", None),
        ("echo working; exit 0", "partial", None),
        ("echo garbage > $CAESAR_REPORT_PATH", "failed", "report.json was not acceptable"),
        (_reports("v2", "success"), "failed", "report.json was not acceptable"),
        (f"{_reports('v1', 'great')}; echo out", "partial", "report.json was not acceptable"),
        ("cat $CAESAR_TASK_DIR/brief.md", "partial", None),
    ],
    ids=["silent", "prose", "garbage", "v2", "bad-status", "echoes-brief"],
)
def test_case_14_19_20_no_report_never_becomes_success(
    caesar: Caesar, script: str, report_status: str, finding: str | None
) -> None:
    """S9."""
    caesar.declare("mine", script)

    ran = caesar("run", "--agent", "mine", "prove it", "--json")

    assert ran.code == 1
    assert ran.json["report_source"] == "synthesized"
    assert ran.json["report_status"] == report_status
    titles = [found["title"] for found in ran.json["report"]["findings"]]
    assert (finding in titles) if finding else titles == []
    if finding:
        kept = caesar.layout.task(ran.json["task_id"]).invalid_report
        assert kept.is_file()


def test_a_byte_order_mark_is_tolerated(caesar: Caesar) -> None:
    caesar.declare(
        "bom",
        'printf \'\\357\\273\\277{"protocol":"caesar.report/v1","status":"success",'
        '"summary":"with a mark"}\' > $CAESAR_REPORT_PATH',
    )

    assert caesar.run("x", agent="bom")["report"]["summary"] == "with a mark"


def test_case_94_success_report_of_a_failed_process_exits_1(caesar: Caesar) -> None:
    caesar.declare("liar", TEN_LINES + "exit 3\n")

    ran = caesar("run", "--agent", "liar", "x", "--json")

    assert ran.code == 1
    assert (ran.json["status"], ran.json["exit_code"]) == ("failed", 3)
    assert ran.json["report_status"] == "success"
    last = caesar("logs", ran.json["task_id"], "--json").json["events"][-1]
    assert (last["type"], last["status"]) == ("finished", "failed")


def test_case_94_failed_report_of_a_succeeded_process_exits_1(caesar: Caesar) -> None:
    caesar.declare("honest", TEN_LINES.replace('"success"', '"failed"'))

    ran = caesar("run", "--agent", "honest", "x", "--json")

    assert ran.code == 1
    assert (ran.json["status"], ran.json["report_status"]) == ("succeeded", "failed")


def test_blocked_report_exits_3(caesar: Caesar) -> None:
    """I1."""
    caesar.declare("blocked", TEN_LINES.replace('"success"', '"blocked"'))

    assert caesar("run", "--agent", "blocked", "x").code == 3


def test_case_107_agent_that_kills_itself_has_no_exit_code(caesar: Caesar) -> None:
    caesar.declare("suicide", "kill -9 $$")

    ran = caesar("run", "--agent", "suicide", "x", "--json")

    assert ran.code == 1
    assert (ran.json["status"], ran.json["exit_code"], ran.json["signal"]) == (
        "failed",
        None,
        "SIGKILL",
    )
    assert "SIGKILL" in ran.json["report"]["summary"]


def test_case_96_agents_that_exit_at_once_never_hang(caesar: Caesar) -> None:
    caesar.declare("quick", TEN_LINES)

    codes = [caesar("run", "--agent", "quick", f"{n}").code for n in range(5)]

    assert codes == [0] * 5


def test_report_in_a_labelled_block_is_extracted(caesar: Caesar) -> None:
    caesar.declare(
        "talker",
        "cat <<'END'\nSome words.\n```json caesar:report\n"
        '{\n  "status": "success",\n  "summary": "In a block.",\n'
        '  "protocol": "caesar.report/v1"\n}\n```\nEND',
    )

    ran = caesar("run", "--agent", "talker", "x", "--json")

    assert (ran.code, ran.json["report_source"]) == (0, "extracted")
    assert ran.json["report"]["summary"] == "In a block."


def test_lying_declaration_is_found_out_in_both_directions(caesar: Caesar) -> None:
    """Case 126."""
    caesar.declare(
        "liar",
        "echo real > real.txt\n"
        'echo \'{"protocol":"caesar.report/v1","status":"success","summary":"x","changes":'
        '[{"path":"./invented.txt"}]}\' > $CAESAR_REPORT_PATH',
    )

    report = caesar.run("x", agent="liar")["report"]

    assert [change["path"] for change in report["changes"]] == ["real.txt"]
    found = {(f["title"], f["file"]) for f in report["findings"] if f["severity"] == "medium"}
    assert found == {
        ("Undeclared change", "real.txt"),
        ("Change declared but not found in the diff", "invented.txt"),
    }
