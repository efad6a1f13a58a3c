from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from caesar_core.errors import OperationError
from caesar_core.repo.command import TamperedWorktreeError
from caesar_core.repo.outcome import keep_outcome, list_outcomes, read_outcome
from caesar_core.repo.snapshot import _copied_index, snapshot_workspace
from caesar_core.repo.worktree import create_worktree, remove_worktree
from tests.fakes.sandbox import Sandbox, read_tree, write


def test_g18_115_commits_branches_and_rebases_do_not_matter(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        for number in range(3):
            write(root, {f"n{number}": "n\n"})
            sandbox.git("add", "-A", cwd=root)
            sandbox.git("commit", "-qm", "agent", cwd=root)
        sandbox.git("checkout", "-q", "--orphan", "other", cwd=root)
        write(root, {"uncommitted": "u\n"})

    left = sandbox.agent(work)
    names = set(sandbox.listing(left.tree)) - set(sandbox.listing(left.base))
    assert names == {"n0", "n1", "n2", "uncommitted"}


def test_g11_g12_the_agents_index_and_locks_do_not_matter(sandbox: Sandbox) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    write(made.path, {"n": "n\n"})
    index = sandbox.root / ".git" / "worktrees" / "w" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns, read_tree(made.path))
    (index.parent / "index.lock").touch()
    assert "n" in sandbox.listing(sandbox.snapshot(made).tree)
    assert (index.read_bytes(), index.stat().st_mtime_ns, read_tree(made.path)) == before


def test_an_edit_within_the_same_second_is_seen(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        status = (root / "sub" / "x.py").stat()
        write(root, {"sub/x.py": "x = 2\n"})
        os.utime(root / "sub" / "x.py", ns=(status.st_atime_ns, status.st_mtime_ns))

    left = sandbox.agent(work)
    assert sandbox.git("show", f"{left.tree}:sub/x.py") == "x = 2\n"


def test_the_copied_index_keeps_its_age(sandbox: Sandbox) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    index = sandbox.root / ".git" / "worktrees" / "w" / "index"
    os.utime(index, (1_700_000_000, 1_700_000_000))
    with _copied_index(made.git()) as copy:
        copied = Path(copy.text("rev-parse", "--git-path", "index"))
        assert copied.stat().st_mtime_ns == index.stat().st_mtime_ns


def test_g17_ignored_files_count_once_staged_or_committed(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        write(root, {".env": "secret\n", "a.log": "a\n", "b.log": "b\n"})
        sandbox.git("add", "-f", ".env", cwd=root)
        sandbox.git("commit", "-qm", "x", cwd=root)
        sandbox.git("add", "-f", "a.log", cwd=root)

    names = sandbox.listing(sandbox.agent(work).tree)
    assert {".env", "a.log"} <= set(names)
    assert "b.log" not in names


def test_marks_that_hide_a_file_are_ignored(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        sandbox.git("update-index", "--assume-unchanged", "f.txt", cwd=root)
        sandbox.git("update-index", "--skip-worktree", "g.txt", cwd=root)
        write(root, {"f.txt": "hidden\n", "g.txt": "hidden\n"})

    left = sandbox.agent(work)
    for name in ("f.txt", "g.txt"):
        assert sandbox.git("show", f"{left.tree}:{name}") == "hidden\n"


def test_what_git_refuses_is_left_out_and_named(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        write(root, {".GIT/config": "x\n", "good": "good\n"})
        os.mkfifo(root / "pipe")

    left = sandbox.agent(work)
    assert "good" in sandbox.listing(left.tree)
    assert {one.path: one.reason for one in left.snapshot.left_out} == {
        ".GIT/config": "invalid path '.GIT/config'",
    }


def test_the_files_of_a_repository_without_a_commit_are_recorded(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        inner = Sandbox.make(root / "app")
        inner.write({"ünï/f": "f\n", ".gitignore": "tmp\n", "tmp": "ignored\n", "bin/run": "r\n"})
        (inner.root / "bin" / "run").chmod(0o755)
        (inner.root / "link").symlink_to("ünï/f")
        inner.git("add", "bin")
        Sandbox.make(inner.root / "deeper").write({"d": "d\n"})

    left = sandbox.agent(work)
    found = {n: m for n, m in sandbox.listing(left.tree).items() if n.startswith("app/")}
    assert found == {
        "app/.gitignore": "100644",
        "app/bin/run": "100755",
        "app/deeper/d": "100644",
        "app/link": "120000",
        "app/ünï/f": "100644",
    }
    assert sandbox.git("show", f"{left.tree}:app/ünï/f") == "f\n"
    assert sandbox.git("show", f"{left.tree}:app/link") == "ünï/f"
    assert left.snapshot.left_out == ()


def test_132_excluded_paths_go_by_whole_names(sandbox: Sandbox) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    write(made.path, {"mods/a": "a\n", "mods-old/a": "a\n", "sub/mods/a": "a\n"})
    names = set(sandbox.listing(sandbox.snapshot(made, "mods/", "sub/mods").tree))
    assert "mods-old/a" in names
    assert not names & {"mods/a", "sub/mods/a"}


def test_a_broken_or_missing_index_is_replaced(sandbox: Sandbox) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    index = sandbox.root / ".git" / "worktrees" / "w" / "index"
    expected = sandbox.snapshot(made).tree
    index.write_bytes(b"garbage")
    assert sandbox.snapshot(made).tree == expected
    index.unlink()
    assert sandbox.snapshot(made).tree == expected


@pytest.mark.parametrize("how", ["removed", "replaced", "linked"])
def test_a_worktree_that_lost_its_git_file_is_refused(sandbox: Sandbox, how: str) -> None:
    made = create_worktree(sandbox.repository(), sandbox.root / ".caesar" / "w", branch_stem="b")
    git_file = made.path / ".git"
    git_file.unlink()
    if how == "replaced":
        git_file.write_text(f"gitdir: {sandbox.root / '.git'}\n")
    if how == "linked":
        git_file.symlink_to(sandbox.root / ".git")
    with pytest.raises(TamperedWorktreeError):
        sandbox.snapshot(made)


def test_x3_nothing_that_an_agent_configures_is_run(sandbox: Sandbox) -> None:
    marks = sandbox.root.parent / "marks"
    marks.mkdir()

    def work(root: Path) -> None:
        hooks = root / "hooks"
        for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
            write(hooks, {name: f"#!/bin/sh\ntouch {marks}/{name}\n"})
            (hooks / name).chmod(0o755)
        write(root, {".gitattributes": "* diff=evil filter=evil merge=evil\n", "f.txt": "x\n"})
        for key, command in {
            "core.hooksPath": str(hooks),
            "core.fsmonitor": f"touch {marks}/fsmonitor; false",
            "diff.external": f"touch {marks}/external",
            "diff.evil.textconv": f"touch {marks}/textconv; cat",
            "diff.evil.command": f"touch {marks}/command",
            "filter.evil.clean": f"touch {marks}/clean; cat",
            "filter.evil.process": f"touch {marks}/process",
            "core.pager": f"touch {marks}/pager",
            "core.sshCommand": f"touch {marks}/ssh",
            "gpg.program": f"touch {marks}/gpg",
        }.items():
            sandbox.git("config", key, command, cwd=root)

    left = sandbox.agent(work)
    repository = sandbox.repository()
    keep_outcome(repository, "t_1", left.tree, left.base, "x", {})
    snapshot_workspace(repository, sandbox.root, filters=left.worktree.filters)
    remove_worktree(repository, left.worktree.path, left.worktree.branch, keep_branch=False)
    assert list(marks.iterdir()) == []


def test_a_known_filter_keeps_running_until_it_is_changed(sandbox: Sandbox) -> None:
    sandbox.write({".gitattributes": "*.up filter=upper\n"})
    sandbox.commit()
    sandbox.git("config", "filter.upper.clean", "tr a-z A-Z")
    made = create_worktree(sandbox.repository(), sandbox.root.parent / "w", branch_stem="b")
    write(made.path, {"a.up": "a\n"})
    assert sandbox.git("show", f"{sandbox.snapshot(made).tree}:a.up") == "A\n"
    sandbox.git("config", "filter.upper.clean", "rev")
    write(made.path, {"b.up": "ab\n"})
    assert sandbox.git("show", f"{sandbox.snapshot(made).tree}:b.up") == "ab\n"


def test_a_file_that_git_cannot_convert_does_not_spoil_the_snapshot(sandbox: Sandbox) -> None:
    def work(root: Path) -> None:
        write(root, {".gitattributes": "*.u working-tree-encoding=UTF-16\n"})
        write(root, {"0.u": "odd", "1.u": "odd", "2.u": "odd", "b": "b", "f.txt": "x\n"})
        (root / "g.txt").unlink()

    left = sandbox.agent(work)
    names = sandbox.listing(left.tree)
    assert {".gitattributes", "b"} <= set(names)
    assert "g.txt" not in names
    assert sandbox.git("show", f"{left.tree}:f.txt") == "x\n"
    assert [one.path for one in left.snapshot.left_out] == ["0.u", "1.u", "2.u"]


def test_g24_an_outcome_outlives_its_worktree_and_caesars_folder(sandbox: Sandbox) -> None:
    left = sandbox.agent(lambda root: write(root, {"n": "n\n"}))
    repository = sandbox.repository()
    meta = {"agent": "codex", "excluded": ["node_modules"], "objective": 'ünï\n☃ \0 "quoted"'}
    kept = keep_outcome(repository, "t_1", left.tree, left.base, "Fix\nit", meta)
    assert read_outcome(repository, "t_1") == kept
    assert kept.meta == meta
    shutil.rmtree(left.worktree.path)
    sandbox.git("worktree", "prune")
    sandbox.git("gc", "-q", "--prune=now")
    assert list_outcomes(repository) == (kept,)
    assert sandbox.git("show", f"{kept.commit}:n") == "n\n"
    assert sandbox.git("log", "-1", "--format=%an <%ae> %s %P", kept.commit).split() == [
        "caesar",
        "<caesar@localhost>",
        "Fix",
        "it",
        left.base,
    ]
    assert read_outcome(repository, "t_2") is None


def test_refs_of_strangers_hide_no_outcome(sandbox: Sandbox) -> None:
    sandbox.write({"a": "a\n"})
    head = sandbox.commit()
    repository = sandbox.repository()
    tree = sandbox.git("rev-parse", "HEAD^{tree}").strip()
    blob = sandbox.git("rev-parse", "HEAD:a").strip()
    for name, what in (("aaa", head), ("t_0", blob), ("deep/er", tree)):
        sandbox.git("update-ref", f"refs/caesar/{name}", what)

    kept = keep_outcome(repository, "t_1", tree, head, "x", {"agent": "a"})

    assert list_outcomes(repository) == (kept,)
    assert read_outcome(repository, "t_1") == kept
    with pytest.raises(OperationError, match="not one of ours"):
        read_outcome(repository, "aaa")


def test_one_tasks_outcome_is_not_anothers(sandbox: Sandbox) -> None:
    repository = sandbox.repository()
    head = sandbox.git("rev-parse", "HEAD").strip()
    tree = sandbox.git("rev-parse", "HEAD^{tree}").strip()
    for task_id in ("t_1", "t_10"):
        keep_outcome(repository, task_id, tree, head, "x", {"id": task_id})
    found = read_outcome(repository, "t_1")
    assert found is not None
    assert found.meta == {"id": "t_1"}
    assert [outcome.task_id for outcome in list_outcomes(repository)] == ["t_1", "t_10"]


def test_in_place_snapshots_compare_by_content(sandbox: Sandbox) -> None:
    sandbox.write({"f.txt": "dirty\n", "untracked/a": "a\n", ".caesar/x": "x", "c.log": "c"})
    repository = sandbox.repository()
    index = sandbox.index()

    def now() -> str:
        snapshot = snapshot_workspace(repository, sandbox.root)
        assert snapshot is not None
        return snapshot.tree

    first = now()
    assert now() == first
    assert ".caesar/x" not in sandbox.listing(first)
    sandbox.write({"f.txt": "dirtier\n", "untracked/b": "b\n"})
    changed = sandbox.git("diff-tree", "-r", "--name-only", first, now()).split()
    assert changed == ["f.txt", "untracked/b"]
    assert sandbox.index() == index


def test_in_place_snapshots_of_a_folder_see_that_folder(sandbox: Sandbox) -> None:
    repository = sandbox.repository("sub")
    first = snapshot_workspace(repository, sandbox.root / "sub")
    sandbox.write({"f.txt": "other\n", "sub/x.py": "x = 3\n", "sub/.caesar/y": "y"})
    second = snapshot_workspace(repository, sandbox.root / "sub")
    assert first is not None
    assert second is not None
    changed = sandbox.git("diff-tree", "-r", "--name-only", first.tree, second.tree).split()
    assert changed == ["sub/x.py"]


def test_there_is_no_in_place_snapshot_before_the_first_commit(tmp_path: Path) -> None:
    empty = Sandbox.make(tmp_path / "empty")
    assert snapshot_workspace(empty.repository(), empty.root) is None
