"""Killed with SIGKILL at every step: nothing of the user is ever half done."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from caesar_core.errors import CaesarError
from caesar_core.repo.apply import apply_outcome
from caesar_core.repo.journal import held
from caesar_core.repo.replace import OnStep
from caesar_core.repo.undo import recover, undo
from tests.fakes.sandbox import Left, Sandbox, write


def work(root: Path) -> None:
    write(root, {"f.txt": "agent\n", "new/a": "a\n", "logo.png": b"\0\1"})
    (root / "g.txt").unlink()
    (root / "sub" / "x.py").chmod(0o755)
    (root / "link").symlink_to("f.txt")


def steps_of(action: Callable[[OnStep], object]) -> list[str]:
    steps: list[str] = []
    action(steps.append)
    return steps


def die_in(action: Callable[[OnStep], object], doomed: str) -> None:
    """Run `action` in a child that kills itself in one step."""
    pid = os.fork()
    if pid == 0:

        def on_step(step: str) -> None:
            if step == doomed:
                os.kill(os.getpid(), signal.SIGKILL)

        action(on_step)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status), doomed


def applying(sandbox: Sandbox, left: Left, journal: Path) -> Callable[[OnStep], object]:
    return lambda on_step: apply_outcome(
        sandbox.repository(), left.base, left.tree, journal_dir=journal, on_step=on_step
    )


def test_r4_an_apply_killed_at_any_step_is_put_back(sandbox: Sandbox) -> None:
    sandbox.write({"f.txt": (sandbox.root / "f.txt").read_text()})
    left = sandbox.agent(work)
    before, index = sandbox.files(), sandbox.index()
    journals = sandbox.root.parent / "journals"
    steps = steps_of(applying(sandbox, left, journals / "dry"))
    undo(journals / "dry")
    assert sandbox.files() == before
    assert len(steps) == 6 + 5 * 2 + 1 + 1
    for number, step in enumerate(steps):
        journal = journals / str(number)
        die_in(applying(sandbox, left, journal), step)
        found = recover(journal)
        assert found.interrupted, step
        assert not found.left_alone
        assert sandbox.files() == before, step
        assert sandbox.index() == index
        assert not recover(journal).interrupted


def test_r4_an_undo_killed_at_any_step_leaves_the_outcome_applied(sandbox: Sandbox) -> None:
    left = sandbox.agent(work)
    before = sandbox.files()
    journal = sandbox.root.parent / "journal"
    applying(sandbox, left, journal)(lambda _: None)
    after = sandbox.files()
    steps = steps_of(lambda on_step: undo(journal, on_step=on_step))
    assert sandbox.files() == before
    for number, step in enumerate(steps):
        folder = sandbox.root.parent / f"journal-{number}"
        applying(sandbox, left, folder)(lambda _: None)
        die_in(lambda on_step, folder=folder: undo(folder, on_step=on_step), step)  # type: ignore[misc]
        recover(folder)
        assert sandbox.files() == after, step
        assert undo(folder).undone
        assert sandbox.files() == before, step


def test_r4_a_recovery_leaves_files_alone_that_were_edited_since(sandbox: Sandbox) -> None:
    left = sandbox.agent(work)
    before = sandbox.files()
    journal = sandbox.root.parent / "journal"
    die_in(applying(sandbox, left, journal), "mark")
    (sandbox.root / "f.txt").write_text("edited after the crash\n")
    assert recover(journal).left_alone == ("f.txt",)
    assert sandbox.files() == before | {"f.txt": ("file", b"edited after the crash\n")}


def test_an_apply_that_died_before_its_journal_leaves_nothing(sandbox: Sandbox) -> None:
    journal = sandbox.root.parent / "journal"
    write(journal, {"old/0": "x", "new/0": "y"})
    assert not recover(journal).interrupted
    assert not journal.exists()


def test_a_folder_that_is_no_journal_is_never_deleted(tmp_path: Path) -> None:
    write(tmp_path / "mine", {"a": "a", "old/0": "x"})
    recover(tmp_path / "mine")
    assert (tmp_path / "mine" / "a").exists()


def test_a_journal_in_use_is_not_recovered_under_its_owner(sandbox: Sandbox) -> None:
    left = sandbox.agent(work)
    journal = sandbox.root.parent / "journal"
    seen: list[str] = []

    def meddle(step: str) -> None:
        if step == "check 2":
            try:
                recover(journal)
            except CaesarError as error:
                seen.append(error.message)

    applying(sandbox, left, journal)(meddle)
    assert seen == ["Another process is applying or undoing this outcome."]
    with held(journal):
        pass
