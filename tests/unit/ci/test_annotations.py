from __future__ import annotations

import json
import re

import pytest

from caesar_core.ci.annotations import github_lines, gitlab_report, service_of
from caesar_core.ci.workflow import without_commands
from tests.unit.ci.sample import NASTY, nasty_task, task

FINDING = {"severity": "high", "title": "a, b: c", "detail": "50%\nmore", "file": "a:b.py"}


def test_the_environment_names_the_service() -> None:
    assert service_of({"GITHUB_ACTIONS": "true"}) == "github"
    assert service_of({"GITLAB_CI": "true"}) == "gitlab"
    assert service_of({"CI": "true"}) == "none"


def test_a_finding_is_a_command_escaped_as_the_runner_unescapes() -> None:
    (line,) = github_lines([task(report={"findings": [{**FINDING, "line": 4}]})])
    assert line == "::error file=a%3Ab.py,line=4,title=high%3A a%2C b%3A c::50%25%0Amore"


def test_what_is_not_done_is_an_error_and_so_is_a_failed_check() -> None:
    checks = [{"command": "pytest", "passed": False, "exit_code": 1, "output_tail": "E"}]
    lines = list(github_lines([task(checks=checks, contradicted=True)]))
    assert lines[0].startswith("::error title=caesar mine%3A contradicted::")
    assert lines[1] == "::error title=Check failed%3A pytest::pytest exited with 1%0AE"


def test_no_text_of_an_agent_becomes_a_command() -> None:
    for line in github_lines([nasty_task()]):
        assert re.match(r"::(error|warning|notice) [^:]*::", line)
        assert "\n" not in line
        assert "\r" not in line
        assert "##[" not in line


@pytest.mark.parametrize(
    "text",
    [
        "::set-output name=x::1",
        "  ::add-mask::x",
        "fine\n\t::set-env name=A::b",
        "more ##[add-mask]x",
        "##vso[task.setvariable variable=a]b",
        NASTY,
    ],
)
def test_narration_is_no_command_either(text: str) -> None:
    for line in without_commands(text).splitlines():
        assert not line.strip().startswith("::")
        assert not re.search(r"##\w*\[", line)


def test_harmless_text_stays_as_it_is() -> None:
    assert without_commands("a::b # c ## d") == "a::b # c ## d"


def test_gitlab_gets_the_findings_that_have_a_file() -> None:
    (issue,) = json.loads(gitlab_report([task(report={"findings": [FINDING]})]))
    assert issue["severity"] == "critical"
    assert issue["location"] == {"path": "a:b.py", "lines": {"begin": 1}}
    nasty = json.loads(gitlab_report([nasty_task()]))
    assert [len(item["fingerprint"]) for item in nasty] == [64]
