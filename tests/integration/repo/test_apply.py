"""What arrives, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.sandbox import Sandbox, write
from tests.integration.repo.applying import apply, edit, everything, refused, take_back
from tests.integration.repo.conftest import LINES


def test_d1_d8_d12_every_kind_of_change_arrives_byte_for_byte_and_goes_away_again(
    sandbox: Sandbox,
) -> None:
    before, index = sandbox.files(), sandbox.index()
    left = sandbox.agent(everything)
    done = apply(sandbox, left)
    assert done.applied
    assert not done.conflicts
    expected = before.copy()
    for name, found in sandbox.files().items():
        place = left.worktree.path / name
        content = os.fsencode(place.readlink()) if place.is_symlink() else place.read_bytes()
        assert content == found[1], name
    del expected["g.txt"]
    assert sandbox.files().keys() == expected.keys() | {
        "new.bin",
        "latin.txt",
        "ütf 8 ☃.txt",
        "link",
        "deep/er/file",
        "sub/y.py",
    }
    assert sandbox.files()["sub/x.py"][0] == "exec"
    assert sandbox.index() == index
    assert take_back(sandbox, left).undone
    assert sandbox.files() == before
    assert sandbox.index() == index
    assert not (sandbox.root / "deep").exists()


def test_d2_a_local_edit_elsewhere_in_the_same_file_is_merged(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    edit("line 29\n", "mine\n")(sandbox.root)
    done = apply(sandbox, left)
    assert done.files == done.merged_with_local == ("f.txt",)
    text = (sandbox.root / "f.txt").read_text()
    assert text == LINES.replace("line 2\n", "agent\n").replace("line 29\n", "mine\n")
    assert take_back(sandbox, left).undone
    assert (sandbox.root / "f.txt").read_text() == LINES.replace("line 29\n", "mine\n")


def test_d3_134_a_conflict_leaves_tree_and_index_untouched(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        edit("line 2\n", "agent\n")(root)
        everything(root)

    left = sandbox.agent(work)
    edit("line 2\n", "mine\n")(sandbox.root)
    refused(sandbox, left, "f.txt", "same lines")


def test_d3_what_is_in_the_way_and_what_collides_are_named_together(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        edit("line 2\n", "agent\n")(root)
        write(root, {"new/file": "agent\n"})

    left = sandbox.agent(work)
    edit("line 2\n", "mine\n")(sandbox.root)
    sandbox.write({"new": "in the way\n"})
    before = sandbox.files()

    found = apply(sandbox, left).conflicts

    assert {conflict.path: conflict.reason for conflict in found} == {
        "new/file": "a file is in the way of its folder",
        "f.txt": "both sides changed the same lines",
    }
    assert sandbox.files() == before


def test_d3_a_binary_changed_on_both_sides_is_a_conflict(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: (root / "logo.png").write_bytes(b"\0a"))
    (sandbox.root / "logo.png").write_bytes(b"\0b")
    refused(sandbox, left, "logo.png", "binary")


def test_d3_a_file_deleted_here_and_edited_there_is_a_conflict(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    (sandbox.root / "f.txt").unlink()
    refused(sandbox, left, "f.txt", "deleted")


def test_d4_a_staged_change_stays_staged(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("line 2\n", "agent\n"))
    sandbox.write({"g.txt": "staged\n"})
    sandbox.git("add", "g.txt")
    index = sandbox.index()
    assert apply(sandbox, left).applied
    assert sandbox.index() == index
    assert sandbox.git("diff", "--cached", "--name-only").split() == ["g.txt"]


@pytest.mark.parametrize("name", ["n.txt", "n.log"])
def test_d5_an_untracked_or_ignored_file_in_the_way_is_kept(sandbox: Sandbox, name: str) -> None:
    def work(root: Path) -> None:
        write(root, {name: "agent\n"})
        sandbox.git("add", "-f", name, cwd=root)

    left = sandbox.agent(work)
    sandbox.write({name: "mine\n"})
    refused(sandbox, left, name, "untracked or ignored file")


def test_d5_the_same_file_already_here_is_no_conflict(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"n.txt": "same\n"}))
    sandbox.write({"n.txt": "same\n"})
    assert apply(sandbox, left).already_applied


def test_d7_nothing_is_written_through_a_symlinked_folder(sandbox: Sandbox) -> None:
    left = sandbox.agent(edit("x = 1", "x = 2", "sub/x.py"))
    outside = sandbox.root.parent / "outside"
    (sandbox.root / "sub").rename(outside)
    (sandbox.root / "sub").symlink_to(outside)
    refused(sandbox, left, "sub/x.py", "symbolic link")
    assert (outside / "x.py").read_text() == "x = 1\n"


def test_d7_a_link_to_elsewhere_arrives_as_a_link(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        (root / "f.txt").unlink()
        (root / "f.txt").symlink_to("/etc/passwd")

    assert apply(sandbox, sandbox.agent(work)).applied
    assert str((sandbox.root / "f.txt").readlink()) == "/etc/passwd"


def test_d7_a_gitlink_is_refused(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        inner = Sandbox.make(root / "inner", {"a": "a\n"})
        assert inner.root.is_dir()

    refused(sandbox, sandbox.agent(work), "inner", "submodule")


def test_136_a_folder_in_the_way_is_kept(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"n": "file\n"}))
    sandbox.write({"n/mine": "mine\n"})
    refused(sandbox, left, "n", "folder with other files")


def test_136_a_file_in_the_way_of_a_folder_is_kept(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"n/a": "a\n"}))
    sandbox.write({"n": "mine\n"})
    refused(sandbox, left, "n/a", "file is in the way")


def test_136_a_folder_becomes_a_file_and_a_file_a_folder(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        (root / "sub" / "x.py").unlink()
        (root / "sub").rmdir()
        (root / "sub").write_text("now a file\n")
        (root / "f.txt").unlink()
        write(root, {"f.txt/inner": "now a folder\n"})

    before = sandbox.files()
    left = sandbox.agent(work)
    assert apply(sandbox, left).applied
    assert sandbox.files()["sub"] == ("file", b"now a file\n")
    assert sandbox.files()["f.txt/inner"] == ("file", b"now a folder\n")
    assert take_back(sandbox, left).undone
    assert sandbox.files() == before


def test_a_special_file_in_the_way_is_refused(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"pipe": "file\n"}))
    os.mkfifo(sandbox.root / "pipe")
    refused(sandbox, left, "pipe", "neither a file nor a link")
