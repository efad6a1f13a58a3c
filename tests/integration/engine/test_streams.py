"""What is wrong with the streams, the folder and the arguments that a command is given."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.engine.conftest import Caesar, Ran, eventually


def _sh(caesar: Caesar, script: str) -> Ran:
    """Run a line of shell in which `caesar` is our command."""
    call = f'caesar() {{ {shlex.quote(sys.executable)} -m caesar_core "$@"; }}'
    done = subprocess.run(
        ["/bin/sh", "-c", f"{call}\n{script}"],
        cwd=caesar.root,
        env=caesar.env,
        capture_output=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("command", ["ps", "ps --json", "--version", "--help"])
def test_a_closed_stdout_is_no_defect(caesar: Caesar, command: str) -> None:
    assert _sh(caesar, f"caesar {command} >&-") == Ran(0, "", "")


def test_a_run_with_every_stream_closed_still_works(caesar: Caesar) -> None:
    assert _sh(caesar, "caesar run --agent shell 'exit 3' <&- >&- 2>&-").code == 1
    assert _sh(caesar, "caesar run --agent shell true <&- >&- 2>&-").code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("command", "code"), [("ps", 1), ("ps --json", 1), ("show nope --json", 2), ("--version", 1)]
)
def test_a_full_disk_behind_stdout_is_said_in_a_line(
    caesar: Caesar, command: str, code: int
) -> None:
    ran = _sh(caesar, f"caesar {command} > /dev/full")

    assert ran.code == code
    assert ran.err.startswith("caesar: ")
    assert "Traceback" not in ran.err


def test_a_current_folder_that_was_removed_is_named(caesar: Caesar) -> None:
    ran = _sh(caesar, "mkdir gone; cd gone; rmdir ../gone; caesar ps --json")

    assert ran.code == 2
    assert ran.json["error"]["message"] == "The current folder does not exist any more."


def test_an_objective_of_other_bytes_is_refused_not_altered(caesar: Caesar) -> None:
    for script in (
        r"""caesar run --agent shell "$(printf 'rm \377')" --json""",
        r"""printf 'rm \377' | caesar run --agent shell - --json""",
        r"""printf 'echo a\000b' | caesar run --agent shell - --json""",
    ):
        ran = _sh(caesar, script)
        assert (ran.code, ran.json["error"]["code"]) == (2, "usage")
    assert not caesar.layout.records.exists()


def test_a_group_without_a_command_says_so_in_two_lines(caesar: Caesar) -> None:
    ran = caesar("protocol")

    assert ran.code == 2
    assert ran.err.splitlines() == [
        "caesar: Missing command.",
        "  `caesar protocol --help` tells how it is used.",
    ]


def test_cancel_reaches_a_supervisor_that_is_stopped(caesar: Caesar) -> None:
    task_id = caesar.detach("sleep 60")
    supervisor = caesar.wait(task_id, lambda record: record.agent_process is not None).supervisor
    assert supervisor is not None
    os.kill(supervisor.pid, signal.SIGSTOP)

    assert caesar("cancel", task_id, "--json").json["status"] == "cancelled"


def test_a_run_that_waits_for_a_slot_says_so(caesar: Caesar) -> None:
    config = caesar.root / ".caesar" / "config.toml"
    config.parent.mkdir()
    config.write_text("[policy]\nmax_parallel = 1\n")
    caesar.wait(caesar.detach(caesar.at_the_gate), lambda record: record.agent_process is not None)
    waiting = caesar.start("run", "--agent", "shell", "true")
    eventually(lambda: caesar("ps", "--json").out, lambda out: '"slot"' in out)
    caesar.gate.touch()

    said = waiting.communicate(timeout=30)[1]
    assert b"waits: all slots are taken (policy.max_parallel is 1)" in said


def test_a_file_in_the_place_of_our_folder_is_named(caesar: Caesar) -> None:
    ours = caesar.root / ".caesar"
    ours.write_text("mine\n")

    for command in (("ps",), ("run", "--agent", "shell", "true"), ("gc",)):
        ran = caesar(*command)
        assert ran.code == 2
        assert f"{ours} is not a folder." in ran.err
    ours.unlink()


def test_case_102_objective_of_five_megabytes(caesar: Caesar, tmp_path: Path) -> None:
    file = tmp_path / "objective"
    file.write_text(": " + "x" * 5_000_000)

    ran = caesar("run", "--agent", "shell", "--objective-file", str(file), "--json")

    assert (ran.code, ran.json["report_status"]) == (0, "success")
    assert len(ran.out) < 1_000_000
    assert len(caesar("ps", "--json").out) < 100_000


def test_a_repository_that_git_refuses_is_no_reason_to_work_in_place(caesar: Caesar) -> None:
    """G30: as with a folder of another user; what git said, and nothing was started."""
    config = caesar.root / ".git" / "config"
    good = config.read_text()
    config.write_text("[broken\n")

    ran = caesar("run", "--agent", "shell", "touch x.txt", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "git_failed")
    assert not (caesar.root / "x.txt").exists()
    assert not caesar.layout.records.exists()
    config.write_text(good)


@pytest.mark.parametrize("form", ["--ndjson", "--json"])
@pytest.mark.parametrize(("objective", "code"), [("seq 1000", 0), ("seq 1000; exit 3", 1)])
def test_a_reader_that_leaves_changes_no_exit_code_of_a_run(
    caesar: Caesar, form: str, objective: str, code: int
) -> None:
    run = caesar.start("run", "--agent", "shell", objective, form)
    assert run.stdout is not None
    run.stdout.close()

    assert run.wait(timeout=30) == code


def test_case_103_a_command_whose_reader_leaves_ends_without_a_word(caesar: Caesar) -> None:
    ran = _sh(caesar, "{ caesar ps --watch; echo $? >&2; } | head -n 1 > /dev/null")

    assert ran.err == "141\n"
