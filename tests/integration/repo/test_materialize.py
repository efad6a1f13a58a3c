from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.clock import FakeClock, SystemClock
from caesar_core.errors import CaesarError
from caesar_core.repo.materialize import Materialized, materialize
from caesar_core.repo.setup import SetupError, run_setup
from caesar_core.repo.worktree import Worktree, create_worktree, remove_worktree
from tests.fakes.sandbox import Sandbox


@pytest.fixture
def worktree(sandbox: Sandbox) -> Worktree:
    sandbox.write({"build/deep/a": "aaaa", "build/b": "bb", ".env": "secret", "x.log": "log"})
    (sandbox.root / "build" / "link").symlink_to("b")
    return create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")


def place(sandbox: Sandbox, worktree: Worktree, copy: list[str], link: list[str]) -> Materialized:
    return materialize(sandbox.repository(), sandbox.root, worktree, copy=copy, link=link)


def test_g27_copies_and_links_are_placed_and_stay_out_of_the_outcome(
    sandbox: Sandbox, worktree: Worktree
) -> None:
    done = place(sandbox, worktree, [".env", "build/"], ["x.log"])
    assert done.placed == (".env", "build", "x.log")
    assert (worktree.path / "build" / "deep" / "a").read_text() == "aaaa"
    assert (worktree.path / "build" / "link").is_symlink()
    assert (worktree.path / "x.log").readlink() == sandbox.root / "x.log"
    left = sandbox.snapshot(worktree, *done.placed)
    assert left.tree == sandbox.git("rev-parse", "HEAD^{tree}").strip()
    remove_worktree(sandbox.repository(), worktree.path, worktree.branch, keep_branch=False)
    assert (sandbox.root / "x.log").read_text() == "log"


def test_129_every_reason_to_skip_is_named(sandbox: Sandbox, worktree: Worktree) -> None:
    sandbox.write({"untracked": "u"})
    (worktree.path / ".env").write_text("the agent's")
    done = place(sandbox, worktree, ["absent", "f.txt", "untracked", "sub", ".env"], [])
    assert done.placed == ()
    assert {one.path: one.reason for one in done.skipped} == {
        "absent": "absent",
        "f.txt": "tracked by git",
        "sub": "tracked by git",
        "untracked": "not ignored by git",
        ".env": "already in the worktree",
    }


def test_128_a_path_in_both_lists_is_copied(sandbox: Sandbox, worktree: Worktree) -> None:
    place(sandbox, worktree, [".env"], [".env"])
    assert not (worktree.path / ".env").is_symlink()


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "..", "a/../../b", ".git", "a/.GIT/x", ".caesar", "a//b", "."]
)
def test_68_a_path_that_leaves_the_project_stops_everything(
    sandbox: Sandbox, worktree: Worktree, path: str
) -> None:
    with pytest.raises(CaesarError, match="not allowed"):
        place(sandbox, worktree, [".env"], [path])
    assert not (worktree.path / ".env").exists()


def test_paths_are_relative_to_the_projects_folder(sandbox: Sandbox) -> None:
    sandbox.write({"sub/.env": "inner"})
    repository = sandbox.repository("sub")
    made = create_worktree(repository, sandbox.root.parent / "w2", branch_stem="b2")
    done = materialize(repository, sandbox.root / "sub", made, copy=[".env"])
    assert done.placed == ("sub/.env",)
    assert (made.workspace / ".env").read_text() == "inner"


def test_progress_counts_the_bytes_copied(sandbox: Sandbox, worktree: Worktree) -> None:
    seen: list[tuple[int, int]] = []
    materialize(
        sandbox.repository(),
        sandbox.root,
        worktree,
        copy=["build", ".env"],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (12, 12)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def setup(commands: list[str], cwd: Path, *, timeout: float = 30, stop: bool = False) -> None:
    run_setup(
        commands,
        cwd,
        {"PATH": os.environ["PATH"]},
        cwd / "setup.log",
        clock=SystemClock(),
        timeout=timeout,
        should_stop=lambda: stop,
    )


def test_setup_commands_run_in_order_with_their_output_logged(tmp_path: Path) -> None:
    setup(["echo one > a; echo said", "cat a; cat"], tmp_path)
    assert (tmp_path / "setup.log").read_text() == (
        "$ echo one > a; echo said\nsaid\n$ cat a; cat\none\n"
    )


def test_g8_130_a_failure_names_command_code_and_the_last_lines(tmp_path: Path) -> None:
    command = "for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; printf '\\033[31m'; exit 7"
    with pytest.raises(SetupError) as caught:
        setup(["true", command, "touch never"], tmp_path)
    error = caught.value
    assert (error.command, error.returncode) == (command, 7)
    assert error.tail == "line 4\nline 5\nline 6\nline 7\n␛[31m"
    for part in (command, "exit 7", error.tail):
        assert part in error.message
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(("timeout", "stop"), [(0.0, False), (30.0, True)])
def test_a_stopped_command_takes_its_children_along(
    tmp_path: Path, timeout: float, *, stop: bool
) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(SetupError, match="was stopped"):
        setup(["sleep 60 > alive & sleep 60 > alive"], tmp_path, timeout=timeout, stop=stop)
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_p8_a_command_without_an_end_to_its_output_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesar_core.repo.setup._MOST", 2 << 20)

    with pytest.raises(SetupError, match="printed more than 2 MiB and was stopped"):
        setup(["yes"], tmp_path)


def test_the_time_limit_is_measured_by_the_clock_handed_in(tmp_path: Path) -> None:
    clock = FakeClock()
    calls: list[int] = []

    def later() -> bool:
        calls.append(1)
        clock.advance(10)
        return False

    with pytest.raises(SetupError, match="took too long"):
        run_setup(
            ["sleep 60"],
            tmp_path,
            {"PATH": os.environ["PATH"]},
            tmp_path / "log",
            clock=clock,
            timeout=25,
            should_stop=later,
        )
    assert len(calls) == 3


def test_g27_a_linked_folder_stays_out_although_the_rule_is_for_folders(
    sandbox: Sandbox, worktree: Worktree
) -> None:
    done = place(sandbox, worktree, [], ["build"])
    assert done.placed == ("build",)
    assert "build" in sandbox.git("status", "--porcelain", cwd=worktree.path)
    left = sandbox.snapshot(worktree, *done.placed)
    assert left.tree == sandbox.git("rev-parse", "HEAD^{tree}").strip()
    remove_worktree(sandbox.repository(), worktree.path, worktree.branch, keep_branch=False)
    assert (sandbox.root / "build" / "deep" / "a").exists()
