"""`caesar protocol check`: which candidates conform, and what is said of those that do not."""

from __future__ import annotations

import sys
from pathlib import Path

import xmlschema

from tests.hygiene.source import ROOT
from tests.integration.engine.conftest import TEN_LINES, Caesar, eventually

BAD = """#!/bin/sh
trap '' TERM
if [ "$CAESAR_CHECK" = cancel ]; then while :; do sleep 0.1; done; fi
[ "$CAESAR_CHECK" != read-only ] || echo more >> README.md
echo '{"protocol": "caesar.report/v2", "status": "success", "summary": "s"}' > "$CAESAR_REPORT_PATH"
"""


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def leftovers(caesar: Caesar) -> list[str]:
    return sorted(path.name for path in Path(caesar.env["TMPDIR"]).glob("caesar-check-*"))


def test_the_example_agent_honours_everything(caesar: Caesar) -> None:
    """Its path is relative to where it is called from, though it works elsewhere."""
    command = ("protocol", "check", "--json", "--", sys.executable, "kit/agent.py")
    ran = caesar(*command, cwd=ROOT / "docs")
    assert [row for row in ran.json["rows"] if not row["honoured"]] == []
    assert len(ran.json["rows"]) == 15
    assert max(len(row["requirement"]) for row in ran.json["rows"]) <= 50, "it has 50 columns"
    assert (ran.code, ran.json["conforms"]) == (0, True)
    assert leftovers(caesar) == []


def test_s19_ten_lines_of_bash_conform_and_what_they_cannot_do_is_told(caesar: Caesar) -> None:
    agent = script(caesar.root / "ten.sh", TEN_LINES)
    ran = caesar("protocol", "check", "--", f"./{agent.name}")
    assert ran.code == 0, ran.out
    assert "It conforms." in ran.out
    assert "it reports success" in ran.out
    ran = caesar("protocol", "check", "--only", "partial", "--json", "--", f"./{agent.name}")
    rows = {row["name"]: row for row in ran.json["rows"]}
    assert set(rows) == {"partial", "valid-reports", "workspace"}
    assert rows["partial"]["honoured"] is False
    assert ran.code == 1
    assert not caesar.layout.tasks.exists()


def test_an_agent_that_breaks_the_contract_fails_with_the_reasons(
    caesar: Caesar, tmp_path: Path
) -> None:
    agent = script(tmp_path / "bad", BAD)
    only = ("--only", "minimal", "--only", "read-only", "--only", "cancel", "--only", "bad-report")
    junit = tmp_path / "kit.xml"
    ran = caesar("protocol", "check", *only, "--junit", str(junit), "--json", "--", str(agent))
    rows = {row["name"]: (row["honoured"], row["detail"]) for row in ran.json["rows"]}
    assert (ran.code, ran.json["conforms"]) == (1, False)
    assert rows["minimal"][0] is False
    assert "caesar.report/v2" in rows["minimal"][1]
    assert rows["read-only"] == (False, "it changed README.md")
    assert rows["cancel"] == (False, "TERM did not end it; it had to be killed")
    assert rows["valid-reports"] == (False, "unacceptable: minimal, read-only")
    assert rows["bad-report"][0] is True
    xmlschema.XMLSchema(str(ROOT / "tests" / "data" / "schemas" / "junit-10.xsd")).validate(junit)
    assert 'failures="4"' in junit.read_text()
    assert leftovers(caesar) == []


def test_what_cannot_be_checked_is_refused(caesar: Caesar) -> None:
    for arguments, said in (
        (("--only", "maximal", "--", "true"), "maximal"),
        (("--", "./nowhere"), "nowhere"),
        (("--timeout", "soon", "--", "true"), "soon"),
        (("--junit", "/proc/no/x", "--", "true"), "--junit"),
        ((), "COMMAND"),
    ):
        ran = caesar("protocol", "check", *arguments)
        assert ran.code == 2, ran.err
        assert said in ran.err
    assert leftovers(caesar) == []


def test_a_check_that_is_terminated_leaves_nothing_behind(caesar: Caesar, tmp_path: Path) -> None:
    agent = script(tmp_path / "slow", '#!/bin/sh\ntouch "$STARTED"\nexec sleep 60\n')
    caesar.env["STARTED"] = str(tmp_path / "started")
    only = ("--only", "minimal", "--only", "partial")
    process = caesar.start("protocol", "check", *only, "--", str(agent))
    eventually((tmp_path / "started").exists, bool)
    process.terminate()
    assert process.wait(30) == 143
    assert leftovers(caesar) == []
