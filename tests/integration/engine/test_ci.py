"""`caesar run` as a job of a CI service meets it: no terminal, no home, files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesar_core.store.marker import hostname
from caesar_core.store.record_store import RecordStore
from tests.integration.engine.conftest import Caesar, eventually

GITHUB = {"GITHUB_ACTIONS": "true"}
ASKS = """
mkdir -p "$CAESAR_TASK_DIR/questions"
cat > "$CAESAR_TASK_DIR/questions/q1.json" <<END
{"id": "q1", "question": "Which one?", "options": ["left", "right"]%s,
 "asked_at": "2026-12-01T00:00:00.000Z"}
END
while [ ! -e "$CAESAR_TASK_DIR/answers/q1.json" ]; do sleep 0.05; done
answer=$(grep -o '"answer": "[a-z]*"' "$CAESAR_TASK_DIR/answers/q1.json" | tr -d '"')
cat > "$CAESAR_REPORT_PATH" <<END
{"protocol": "caesar.report/v1", "status": "success", "summary": "Got ${answer:-nothing}."}
END
"""


@pytest.fixture
def shallow(caesar: Caesar, tmp_path: Path) -> Caesar:
    """Return a shallow clone of the project on a detached HEAD, without a home."""
    (caesar.root / "b.bin").write_bytes(b"\0\1\2")
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "second")
    clone = tmp_path / "clone"
    caesar.git("clone", "--quiet", "--depth", "1", f"file://{caesar.root}", str(clone))
    caesar.git("checkout", "--quiet", "--detach", cwd=clone)
    env = {name: value for name, value in caesar.env.items() if name != "HOME"}
    return Caesar(clone, env)


def test_i3_i5_everything_is_written_in_a_shallow_clone_without_home_or_terminal(
    shallow: Caesar, tmp_path: Path
) -> None:
    """Cases I3, I4, I5."""
    out = tmp_path / "out" / "deep"
    step = tmp_path / "step.md"
    work = "echo four >> a.txt; printf '\\0\\3' > b.bin; chmod +x a.txt; rm -f none; ln -s a.txt l"
    ran = shallow(
        *("run", "--agent", "shell", work, "--check", "grep four a.txt", "--json", "--no-input"),
        *("--junit", f"{out}/j.xml", "--sarif", f"{out}/s.sarif", "--patch", f"{out}/p.diff"),
        *("--summary", f"{out}/s.md"),
        env={**GITHUB, "GITHUB_STEP_SUMMARY": str(step), "TERM": "dumb"},
    )
    assert ran.code == 0, ran.err
    assert ran.out.count("\n") == 1
    assert ran.json["status"] == "succeeded"
    assert 'name="grep four a.txt"' in (out / "j.xml").read_text()
    assert json.loads((out / "s.sarif").read_bytes())["version"] == "2.1.0"
    assert step.read_text() == (out / "s.md").read_text()
    assert sorted(path.name for path in out.iterdir()) == ["j.xml", "p.diff", "s.md", "s.sarif"]

    fresh = tmp_path / "fresh"
    shallow.git("clone", "--quiet", f"file://{shallow.root}", str(fresh))
    shallow.git("apply", "--index", str(out / "p.diff"), cwd=fresh)
    kept = shallow.git("rev-parse", f"refs/caesar/{ran.json['task_id']}^{{tree}}")
    assert shallow.git("write-tree", cwd=fresh) == kept


def test_i4_an_unwritable_home_is_no_obstacle(shallow: Caesar) -> None:
    ran = shallow("run", "--agent", "shell", "true", "--ndjson", env={"HOME": "/proc/nowhere"})
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 0
    assert [line.get("type") for line in lines[:1]] == ["started"]
    assert lines[-1]["report_status"] == "success"


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--junit", "/proc/nowhere/j.xml"), "cannot be written"),
        (("--sarif", "."), "folder"),
        (("--summary", "x", "--patch", "./x"), "both name"),
        (("--fail-on", "findings"), "finding"),
        (("--budget", "much"), "2usd"),
    ],
)
def test_what_could_not_be_written_is_refused_before_anything_starts(
    caesar: Caesar, option: tuple[str, ...], said: str
) -> None:
    ran = caesar("run", "--agent", "shell", "touch ran", "--isolation", "worktree", *option)
    assert ran.code == 2
    assert said in ran.err
    assert not caesar.layout.tasks.exists()


def test_no_text_of_an_agent_reaches_the_runner_as_a_command(caesar: Caesar) -> None:
    report = {
        "protocol": "caesar.report/v1",
        "status": "success",
        "summary": "::set-output name=a::b\n  ::add-mask::c ##[add-mask]d",
        "findings": [{"severity": "low", "title": "::stop-commands::x", "detail": "a\n::debug::b"}],
    }
    caesar.declare("mine", f"cat > $CAESAR_REPORT_PATH <<'END'\n{json.dumps(report)}\nEND")
    for flags in ((), ("--json",), ("--ndjson",)):
        ran = caesar("run", "--agent", "mine", "x", *flags, env=GITHUB)
        assert ran.code == 0
        lines = [line for line in (ran.out + ran.err).splitlines() if line.strip()[:2] == "::"]
        assert lines == ["::notice title=low%3A %3A%3Astop-commands%3A%3Ax::a%0A::debug::b"]
        assert "##[" not in ran.out + ran.err
        if flags:
            last = json.loads(ran.out.splitlines()[-1])
            assert last["report"]["summary"] == report["summary"]


def test_fail_on_turns_a_finding_into_an_exit_code(caesar: Caesar) -> None:
    caesar.declare(
        "mine",
        'echo \'{"protocol": "caesar.report/v1", "status": "success", "summary": "s", '
        '"findings": [{"severity": "high", "title": "t"}]}\' > "$CAESAR_REPORT_PATH"',
    )
    assert caesar("run", "--agent", "mine", "x").code == 0
    ran = caesar("run", "--agent", "mine", "x", "--fail-on", "finding:high")
    assert ran.code == 1
    assert "1 finding of severity high or worse" in ran.err


@pytest.mark.parametrize(
    ("rule", "default", "code", "summary"),
    [
        ("", "", 3, "Got nothing."),
        ("", ', "default": "left"', 0, "Got answer: left."),
        ("Which", ', "default": "left"', 0, "Got answer: right."),
    ],
)
def test_q3_a_question_that_nobody_can_be_asked_is_answered_by_rule_or_default_or_closed(
    caesar: Caesar, rule: str, default: str, code: int, summary: str
) -> None:
    caesar.declare("mine", ASKS % default)
    if rule:
        with (caesar.root / ".caesar" / "config.toml").open("a") as file:
            file.write(f'[[answer]]\nmatch = "{rule}"\nanswer = "right"\n')
    ran = caesar("run", "--agent", "mine", "x", "--no-input", "--json")
    assert ran.code == code, ran.err
    assert ran.json["report"]["summary"] == summary
    questions = caesar("show", ran.json["task_id"], "--json").json["questions"]
    assert [question["question"] for question in questions] == ["Which one?"]


def test_gitlab_gets_its_code_quality_report(caesar: Caesar) -> None:
    caesar.declare(
        "mine",
        'echo \'{"protocol": "caesar.report/v1", "status": "success", "summary": "s", '
        '"findings": [{"severity": "low", "title": "t", "file": "a.txt", "line": 2}]}\''
        ' > "$CAESAR_REPORT_PATH"',
    )
    assert caesar("run", "--agent", "mine", "x", env={"GITLAB_CI": "true"}).code == 0
    (issue,) = json.loads((caesar.root / "gl-code-quality-report.json").read_bytes())
    assert issue["location"] == {"path": "a.txt", "lines": {"begin": 2}}


def test_a_race_is_written_as_one_job_and_its_patch_is_the_winners(
    caesar: Caesar, tmp_path: Path
) -> None:
    report = '{"protocol": "caesar.report/v1", "status": "success", "summary": "s"}'
    for name in ("right", "wrong"):
        caesar.declare(name, f"echo {name} >> a.txt; echo '{report}' > $CAESAR_REPORT_PATH")
    ran = caesar(
        *("race", "x", "--agent", "wrong", "--agent", "right", "--check", "grep right a.txt"),
        *("--ndjson", "--no-input", "--junit", str(tmp_path / "j.xml")),
        *("--patch", str(tmp_path / "p.diff"), "--summary", str(tmp_path / "s.md")),
    )
    assert ran.code == 0, ran.err
    *events, result = (json.loads(line) for line in ran.out.splitlines())
    assert {event["type"] for event in events} >= {"started", "finished"}
    assert caesar.record(result["winner"]).agent == "right"
    assert (tmp_path / "j.xml").read_text().count("<testsuite ") == 2
    assert "+right" in (tmp_path / "p.diff").read_text()
    assert "| ❌ | wrong | contradicted | 0/1 |" in (tmp_path / "s.md").read_text()


def test_lines_that_are_no_events_stay_out_of_the_lines_of_json(caesar: Caesar) -> None:
    """Case I4: an agent may append to the stream what it likes."""
    report = '{"protocol": "caesar.report/v1", "status": "success", "summary": "s"}'
    caesar.declare(
        "mine",
        "printf '::add-mask::x\\nnot json\\n{\"a\": 1}\\n' >> $CAESAR_EVENTS_PATH\n"
        f"echo '{report}' > $CAESAR_REPORT_PATH",
    )
    ran = caesar("run", "--agent", "mine", "x", "--ndjson", env=GITHUB)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert {line["type"] for line in lines[:-1]} == {"started", "finished"}
    assert lines[-1]["report_status"] == "success"


def test_who_does_not_wait_cannot_write_results(caesar: Caesar) -> None:
    for flags in (("--junit", "j.xml"), ("--no-input",), ("--fail-on", "check")):
        ran = caesar("run", "--agent", "shell", "true", "--detach", *flags)
        assert ran.code == 2
        assert f"{flags[0]} needs the end" in ran.err


def test_the_step_summary_named_as_the_file_is_appended_to_once(
    caesar: Caesar, tmp_path: Path
) -> None:
    step = tmp_path / "step.md"
    step.write_text("# before\n")
    for _ in range(2):
        env = {"GITHUB_STEP_SUMMARY": str(step)}
        assert caesar("run", "--agent", "shell", "true", "--summary", str(step), env=env).code == 0
    assert step.read_text().startswith("# before\n## ✅")
    assert step.read_text().count("**Objective:**") == 2


def test_a_terminated_job_leaves_its_evidence(caesar: Caesar, tmp_path: Path) -> None:
    junit = tmp_path / "j.xml"
    process = caesar.start(
        *("run", "--agent", "shell", "sleep 30", "--no-input", "--junit", str(junit), "--json")
    )
    records = RecordStore(caesar.layout)
    eventually(lambda: records.scan().records, lambda found: any(r.phase == "agent" for r in found))
    process.terminate()
    assert process.wait(20) == 143
    assert '<error message="cancelled' in junit.read_text()


def test_i7_two_jobs_in_one_checkout_share_its_slots(caesar: Caesar, tmp_path: Path) -> None:
    """A slot that a killed job left is taken over by them, too."""
    (caesar.root / ".caesar").mkdir()
    (caesar.root / ".caesar" / "config.toml").write_text("[policy]\nmax_parallel = 1\n")
    caesar.layout.slots.mkdir(parents=True)
    gone = {"pid": 2**22 + 1, "host": hostname(), "token": "x", "label": "gone"}
    (caesar.layout.slots / "0.json").write_text(json.dumps(gone))
    alone = f"mkdir '{tmp_path}/alone' && sleep 0.3 && rmdir '{tmp_path}/alone'"
    jobs = [caesar.start("run", "--agent", "shell", alone, "--no-input") for _ in range(2)]
    assert [job.wait(30) for job in jobs] == [0, 0]
