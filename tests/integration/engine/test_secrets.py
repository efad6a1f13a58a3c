"""Values of secret-looking variables reach nothing that we write, on whatever way they come."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar

SECRET = "s3cr3t-value-0123456789"
LOUD = """
echo "out $MY_API_KEY"; echo "err $MY_API_KEY" >&2
printf '%s' "$MY_API_KEY" | cut -c1-9 | tr -d '\\n'; sleep 0.1
printf '%s' "$MY_API_KEY" | cut -c10-
caesar progress "progress $MY_API_KEY"
echo "$MY_API_KEY" > leaked.txt
cat > "$CAESAR_REPORT_PATH" <<END
{"protocol": "caesar.report/v1", "status": "success", "summary": "used $MY_API_KEY",
 "findings": [{"severity": "low", "title": "$MY_API_KEY", "detail": "$MY_API_KEY"}]}
END
"""


def leaks(caesar: Caesar) -> list[str]:
    """Return the files of ours that hold the secret; the agent's own tree is the agent's."""
    ours = caesar.root / ".caesar"
    files = [p for p in ours.rglob("*") if p.is_file() and "wt" not in p.relative_to(ours).parts]
    assert files
    found = [p for p in files if SECRET.encode() in p.read_bytes()]
    return [str(path.relative_to(ours)) for path in found]


@pytest.fixture
def secretive(caesar: Caesar) -> Caesar:
    caesar.env["MY_API_KEY"] = SECRET
    return caesar


def test_x1_what_an_agent_prints_reports_and_tells(secretive: Caesar) -> None:
    """X1: output, halves of a line, events by command, the report, checks."""
    secretive.declare("loud", LOUD)

    ran = secretive(
        "run", "--agent", "loud", "x", "--json",
        "--check", 'echo "check $MY_API_KEY"; false',
    )  # fmt: skip

    assert leaks(secretive) == []
    assert SECRET not in ran.out + ran.err
    assert ran.json["report"]["summary"] == "used •••"
    raw = secretive.layout.task(ran.json["task_id"]).raw_log.read_text()
    assert raw.count("•••") >= 3


def test_argument_with_a_secret_is_kept_for_a_retry_only(secretive: Caesar) -> None:
    """What a person types is the order; what we say of it is not."""
    ran = secretive("run", "--agent", "shell", "true", "--json", "--", SECRET)

    record = f"state/tasks/{ran.json['task_id']}.json"
    assert [p for p in leaks(secretive) if not p.startswith("state/plans/")] == [record]
    assert SECRET not in ran.out + ran.err


def test_x1_setup_that_prints_and_fails(secretive: Caesar) -> None:
    """X1: the log of setup commands, the failure's words, the report made of them."""
    config = secretive.root / ".caesar" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        "[worktree]\nsetup = ['echo good $MY_API_KEY', 'echo bad $MY_API_KEY; exit 3']\n"
    )

    ran = secretive("run", "--agent", "shell", "true", "--json")

    assert ran.code == 1
    assert leaks(secretive) == []
    assert SECRET not in ran.out + ran.err
    log = secretive.layout.task(ran.json["task_id"]).setup_log.read_text()
    assert ("good •••" in log, "bad •••" in log) == (True, True)


def test_values_that_the_configuration_sets_are_kept_back_too(secretive: Caesar) -> None:
    """What is set stands in the person's own file and in the plan, which nobody else may read."""
    secretive.env["MY_API_KEY"] = ""
    config = Path(secretive.env.get("XDG_CONFIG_HOME") or f"{secretive.env['HOME']}/.config")
    file = config / "caesar" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[environment]\nset = {{ OTHER_TOKEN = "{SECRET}" }}\n')

    ran = secretive("run", "--agent", "shell", "echo $OTHER_TOKEN", "--json")

    assert SECRET not in ran.out + ran.err
    assert [p for p in leaks(secretive) if not p.startswith("state/plans/")] == []
    for plan in (secretive.root / ".caesar" / "state" / "plans").glob("*.json"):
        assert stat.S_IMODE(plan.stat().st_mode) == 0o600


def test_denied_variables_do_not_reach_the_agent(secretive: Caesar) -> None:
    secretive("config", "set", "environment.deny", "MY_*", "OTHER")
    secretive("config", "set", "environment.pass", "MY_OWN", "GIT_AUTHOR_*")

    ran = secretive(
        "run", "--agent", "shell",
        'test -z "$MY_API_KEY$GIT_DIR$CAESAR_ROOT" && test "$MY_OWN$GIT_AUTHOR_NAME" = ab',
        "--json",
        env={"MY_OWN": "a", "GIT_AUTHOR_NAME": "b", "CAESAR_ROOT": "x", "OTHER": "y"},
    )  # fmt: skip

    assert ran.json["report_status"] == "success", ran.json["report"]
