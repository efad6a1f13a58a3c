from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from caesar_core.errors import CaesarError, OperationError
from caesar_core.repo.command import Git, GitError
from caesar_core.repo.discover import find_repository, unusable_reason
from caesar_core.repo.worktree import (
    branch_name,
    create_worktree,
    delete_tree,
    list_worktrees,
    remove_worktree,
    worktree_state,
)
from tests.fakes.sandbox import Sandbox, write


def test_branch_name_has_role_objective_and_id() -> None:
    name = branch_name("Code Réviewer", "Fix ☃ the parser", "t_0123456789abcdef")
    assert name == "caesar/code-reviewer/fix-the-parser-01234567"
    assert branch_name("☃", "☃", "t_0123456789") == "caesar/01234567"
    assert len(branch_name("a", "word " * 100, "t_0123456789")) < 70


@pytest.mark.parametrize("name", ["plain", "with space", "ünï ☃", "a:b"])
def test_a_worktree_is_made_and_removed(sandbox: Sandbox, name: str) -> None:
    repository = sandbox.repository("sub")
    made = create_worktree(repository, sandbox.root / ".caesar" / name, branch_stem="caesar/x")
    assert made.workspace == made.path / "sub"
    assert (made.workspace / "x.py").exists()
    assert made.base_ref == repository.head
    state = worktree_state(repository, made.path)
    assert state is not None
    assert (state.branch, state.head, state.exists) == ("caesar/x", repository.head, True)
    remove_worktree(repository, made.path, made.branch, keep_branch=False)
    assert worktree_state(repository, made.path) is None
    assert sandbox.git("branch", "--list", "caesar/*") == ""
    assert not made.path.exists()


def test_g1_g3_an_existing_branch_is_never_touched(sandbox: Sandbox) -> None:
    sandbox.git("branch", "caesar/t1")
    sandbox.git("worktree", "add", "-q", str(sandbox.root.parent / "theirs"), "caesar/t1")
    before = sandbox.git("rev-parse", "caesar/t1")
    made = create_worktree(
        sandbox.repository(), sandbox.root.parent / "ours", branch_stem="caesar/t1"
    )
    assert made.branch == "caesar-t1"
    remove_worktree(sandbox.repository(), made.path, made.branch, keep_branch=False)
    assert sandbox.git("rev-parse", "caesar/t1") == before


def test_g1_a_branch_named_like_our_folder_is_no_obstacle(sandbox: Sandbox) -> None:
    sandbox.git("branch", "caesar")
    made = create_worktree(
        sandbox.repository(), sandbox.root.parent / "ours", branch_stem="caesar/a/b"
    )
    assert made.branch == "caesar-a-b"


@pytest.mark.parametrize("script", ["exit 3", "sleep 600"])
def test_g7_hooks_do_not_run(sandbox: Sandbox, script: str) -> None:
    hook = sandbox.root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    assert (made.path / "f.txt").exists()


def test_a_failed_creation_leaves_nothing(sandbox: Sandbox) -> None:
    sandbox.write({".gitattributes": "*.txt filter=broken\n"})
    sandbox.commit()
    sandbox.git("config", "filter.broken.smudge", "false")
    sandbox.git("config", "filter.broken.required", "true")
    with pytest.raises(OperationError):
        create_worktree(sandbox.repository(), sandbox.root.parent / "a" / "w", branch_stem="b")
    assert not (sandbox.root.parent / "a").exists()
    assert len(list_worktrees(sandbox.repository())) == 1
    assert sandbox.git("branch", "--list", "b") == ""


def test_what_is_there_already_is_not_taken(sandbox: Sandbox) -> None:
    write(sandbox.root.parent / "w", {"mine": "mine\n"})
    with pytest.raises(OperationError, match="exists already"):
        create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    assert (sandbox.root.parent / "w" / "mine").exists()


def test_124_four_worktrees_at_the_same_time(sandbox: Sandbox) -> None:
    failures: list[BaseException] = []

    def make(number: int) -> None:
        try:
            create_worktree(
                sandbox.repository(),
                sandbox.root.parent / "wt" / str(number),
                branch_stem=f"caesar/{number}",
            )
        except OperationError as error:
            failures.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(list_worktrees(sandbox.repository())) == 5


def test_g14_a_sparse_checkout_stays_sparse(sandbox: Sandbox) -> None:
    sandbox.write({"in/a": "a\n", "out/b": "b\n"})
    sandbox.commit()
    sandbox.git("sparse-checkout", "set", "--cone", "in")
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    assert (made.path / "in" / "a").exists()
    assert not (made.path / "out").exists()
    write(made.path, {"out/new": "n\n"})
    left = sandbox.snapshot(made)
    assert {"in/a", "out/b", "out/new"} <= set(sandbox.listing(left.tree))


def test_g21_a_folder_removed_by_hand_is_forgotten_alone(sandbox: Sandbox) -> None:
    repository = sandbox.repository()
    ours = create_worktree(repository, sandbox.root.parent / "ours", branch_stem="ours")
    sandbox.git("worktree", "add", "-q", str(sandbox.root.parent / "theirs"))
    delete_tree(ours.path)
    delete_tree(sandbox.root.parent / "theirs")
    sandbox.git("worktree", "lock", str(ours.path))
    state = worktree_state(repository, ours.path)
    assert state is not None
    assert (state.exists, state.locked) == (False, True)
    remove_worktree(repository, ours.path, ours.branch, keep_branch=True)
    assert [s.path.name for s in list_worktrees(repository)] == ["repo", "theirs"]
    assert "ours" in sandbox.git("branch")


def test_127_links_inside_are_detached_not_followed(sandbox: Sandbox) -> None:
    outside = sandbox.root.parent / "outside"
    write(outside, {"keep/me": "x\n"})
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    (made.path / "linked").symlink_to(outside)
    write(made.path, {"deep/er/f": "f\n"})
    (made.path / "deep" / "linked").symlink_to(outside / "keep")
    remove_worktree(sandbox.repository(), made.path, made.branch, keep_branch=False)
    assert (outside / "keep" / "me").exists()


def test_g28_read_only_content_is_removed(sandbox: Sandbox) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    write(made.path, {"ro/in/f": "f\n"})
    for place in (made.path / "ro" / "in" / "f", made.path / "ro" / "in", made.path / "ro"):
        place.chmod(0o500)
    remove_worktree(sandbox.repository(), made.path, made.branch, keep_branch=False)
    assert not made.path.exists()


def test_g23_the_repository_itself_is_never_removed(sandbox: Sandbox) -> None:
    for place in (sandbox.root, sandbox.root.parent):
        with pytest.raises(OperationError, match="repository itself"):
            remove_worktree(sandbox.repository(), place, None, keep_branch=True)
    link = sandbox.root.parent / "link"
    link.symlink_to(sandbox.root)
    remove_worktree(sandbox.repository(), link, None, keep_branch=True)
    assert (sandbox.root / "f.txt").exists()
    assert not link.is_symlink()


def test_the_record_of_a_worktree_survives_json(sandbox: Sandbox) -> None:
    sandbox.git("config", "filter.a=b.clean", "cat")
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    assert tuple(json.loads(json.dumps(made.filters))) == made.filters == ("filter.a=b.clean\ncat",)


def test_g4_g6_119_120_unusable_places_are_named(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "plain").mkdir()
    empty = Sandbox.make(tmp_path / "empty")
    empty.git("clone", "-q", "--bare", str(sandbox.root), str(tmp_path / "bare"))
    assert unusable_reason(sandbox.root, sandbox.repository()) is None
    reasons: dict[str, str] = {}
    for name in ("plain", "empty", "bare"):
        said = unusable_reason(tmp_path / name, find_repository(tmp_path / name))
        assert said is not None
        reasons[name] = said[0].removeprefix(str(tmp_path / name))
    assert reasons == {
        "plain": " is not in a git repository.",
        "empty": " has no commit yet.",
        "bare": " is a bare repository.",
    }


def test_g5_a_shallow_clone_a_linked_worktree_and_a_detached_head_are_usable(
    sandbox: Sandbox,
) -> None:
    sandbox.commit()
    clone = sandbox.root.parent / "clone"
    sandbox.git("clone", "-q", "--depth", "1", f"file://{sandbox.root}", str(clone))
    linked = sandbox.root.parent / "linked"
    sandbox.git("worktree", "add", "-q", "--detach", str(linked))
    for place in (clone, linked):
        found = find_repository(place)
        assert found is not None
        assert found.usable
        assert found.git_root == place
        made = create_worktree(found, place.parent / f"{place.name}-w", branch_stem=place.name)
        assert (made.path / "f.txt").exists()
    assert find_repository(linked) != find_repository(sandbox.root)


def test_g15_large_files_stay_pointers(sandbox: Sandbox) -> None:
    sandbox.write({".gitattributes": "*.lfs filter=lfs\n", "a.lfs": "pointer\n"})
    sandbox.commit()
    smudge = 'test -n "$GIT_LFS_SKIP_SMUDGE" && cat || echo downloaded'
    sandbox.git("config", "filter.lfs.smudge", smudge)
    sandbox.git("config", "filter.lfs.clean", "cat")
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    assert (made.path / "a.lfs").read_text() == "pointer\n"
    left = sandbox.snapshot(made)
    assert left.tree == sandbox.git("rev-parse", "HEAD^{tree}").strip()


def test_g30_a_repository_of_somebody_else_is_refused_with_the_remedy(sandbox: Sandbox) -> None:
    git = Git(sandbox.root, environment={"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    with pytest.raises(GitError, match="dubious ownership") as caught:
        git.run("status")
    assert "safe.directory" in caught.value.hint


def test_a_repository_below_a_line_break_is_refused_by_that_reason(tmp_path: Path) -> None:
    folder = tmp_path / "two\nlines"
    folder.mkdir()
    Git(folder).run("init", "-q")

    with pytest.raises(CaesarError, match="holds a line break") as caught:
        find_repository(folder)

    assert caught.value.exit_code == 2


def test_g30_an_ambiguous_name_is_no_matter(sandbox: Sandbox) -> None:
    for remote in ("one", "two"):
        sandbox.git("remote", "add", remote, str(sandbox.root))
        sandbox.git("fetch", "-q", remote)
    sandbox.git("tag", "main", "HEAD")
    stem = branch_name("codex", "main " * 60, "t_0123456789")
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem=stem)
    assert made.branch == stem
