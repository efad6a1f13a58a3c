"""Four scripted agents for one objective: right, wrong, slow and cheating."""

from __future__ import annotations

from tests.integration.engine.conftest import Caesar

REPORT = """
cat > "$CAESAR_REPORT_PATH" <<END
{"protocol": "caesar.report/v1", "status": "%s", "summary": "%s"}
END
"""
FIELD = ("wrong", "cheat", "slow", "right")
CHECKS = ("sh test_sum.sh", "sh test_old.sh")


def prepare(caesar: Caesar, pause: str = "0.5") -> tuple[str, ...]:
    """Make a project with a failing and a passing test; return the arguments of a race in it.

    Args:
        pause: how many seconds the slow one waits; its larger change ranks it in any case.
    """
    files = {
        "sum.sh": 'echo "$(($1 - $2))"\n',
        "test_sum.sh": 'test "$(sh sum.sh 2 3)" = 5\n',
        "test_old.sh": "grep -q '^echo' sum.sh\n",
    }
    for name, text in files.items():
        (caesar.root / name).write_text(text)
    caesar.git("add", "--all")
    caesar.git("commit", "--quiet", "-m", "a sum that is none")
    right = "echo 'echo \"$(($1 + $2))\"' > sum.sh"
    claims = REPORT % ("success", "It adds, all tests pass.")
    caesar.declare("right", f"{right}{claims}")
    caesar.declare("wrong", "echo '# note' >> sum.sh" + REPORT % ("partial", "No idea."))
    caesar.declare("slow", f"sleep {pause}; {right}; echo long > notes.md{claims}")
    caesar.declare("cheat", f"echo 'exec echo 5' > sum.sh{claims}")
    agents = [word for agent in FIELD for word in ("--agent", agent)]
    checks = [word for check in CHECKS for word in ("--check", check)]
    return "race", "Make it add", *agents, *checks
