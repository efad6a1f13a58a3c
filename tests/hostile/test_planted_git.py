"""What an agent can plant in git, and what a person's own settings can do: nothing of it is run.

Cases X3, D9, D21, G9 as one: a whole life of a task, delegated, watched, applied, undone and
collected, in a repository where every setting that can run something has been set.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from caesar_core.repo.command import Git, GitMissingError, TamperedWorktreeError
from tests.fakes.sandbox import read_tree
from tests.integration.engine.conftest import Caesar, caesar

__all__ = ["caesar"]
HOOKS = (
    "applypatch-msg",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "reference-transaction",
)


def plant(place: Path, marks: Path, git: Caesar) -> None:
    """Set everything that makes git run something, where `git config` in `place` writes."""
    hooks = place / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\ntouch {marks}/hook-{name}\n")
        (hooks / name).chmod(0o755)
    (place / ".gitattributes").write_text("* diff=evil filter=evil merge=evil\n")
    (place / "extra.config").write_text(f'[core]\n\tfsmonitor = "touch {marks}/included"\n')
    for key, command in {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": f"touch {marks}/fsmonitor; false",
        "core.pager": f"touch {marks}/pager",
        "core.editor": f"touch {marks}/editor",
        "core.sshCommand": f"touch {marks}/ssh",
        "core.askPass": f"touch {marks}/askpass",
        "core.alternateRefsCommand": f"touch {marks}/alternates",
        "core.attributesFile": str(place / ".gitattributes"),
        "sequence.editor": f"touch {marks}/sequence",
        "diff.external": f"touch {marks}/external",
        "diff.evil.textconv": f"touch {marks}/textconv; cat",
        "diff.evil.command": f"touch {marks}/command",
        "merge.evil.driver": f"touch {marks}/driver",
        "filter.evil.clean": f"touch {marks}/clean; cat",
        "filter.evil.smudge": f"touch {marks}/smudge; cat",
        "filter.evil.process": f"touch {marks}/process",
        "filter.evil.required": "true",
        "gpg.program": f"touch {marks}/gpg",
        "commit.gpgSign": "true",
        "credential.helper": f"!touch {marks}/credential",
        "alias.status": f"!touch {marks}/alias",
        "alias.rev-parse": f"!touch {marks}/alias",
        "includeIf.gitdir:/.path": str(place / "extra.config"),
        "include.path": str(place / "extra.config"),
        "gc.auto": "1",
        "maintenance.auto": "true",
        "color.ui": "always",
        "diff.noprefix": "true",
        "core.quotePath": "true",
        "status.short": "true",
    }.items():
        git.git("config", key, command, cwd=place)


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def test_x3_nothing_that_was_planted_runs_in_the_whole_life_of_a_task(
    caesar: Caesar, marks: Path
) -> None:
    """Cases X3, D9, D21: what the agent plants counts for us from then on."""
    script = caesar.root.parent / "plant.sh"
    place = caesar.root.parent / "planted"
    place.mkdir()
    shutil.copytree(caesar.root / ".git", place / ".git")
    shutil.copy(place / ".git" / "config", place / ".git.config")
    plant(place, marks, caesar)
    script.write_text(
        f"cp {place}/.git/config {caesar.root}/.git/config; cp -r {place}/hooks "
        f"{place}/.gitattributes {place}/extra.config .; echo work > work.txt\n"
    )

    task = caesar.run(f"sh {script}")["task_id"]

    assert caesar("diff", task, "--stat").code == 0
    assert caesar("ps", "--json").code == 0
    assert caesar("apply", task, "--check").code == 0
    applied = caesar("apply", task, "--json")
    assert applied.code == 0, applied.err
    assert (caesar.root / "work.txt").read_text() == "work\n"
    assert caesar("undo", task).code == 0
    assert caesar("show", task).code == 0
    planted = caesar("show", task, "--json").json["report"]["findings"]
    told = json.dumps([f for f in planted if f["severity"] == "high"])
    for key in ("filter.evil.clean", "core.fsmonitor", "core.hookspath", "alias.rev-parse"):
        assert key in told
    shutil.copy(place / ".git.config", caesar.root / ".git" / "config")  # a person reads that
    second = caesar.run("echo two > two.txt")
    assert [file["path"] for file in second["diff"]["files"]] == ["two.txt"]
    assert caesar("gc", "--force").code == 0
    assert sorted(path.name for path in marks.iterdir()) == []


def test_d9_settings_of_the_person_change_no_result(caesar: Caesar, marks: Path) -> None:
    """Cases D9, G9: `~/.gitconfig` and `GIT_*` variables that point elsewhere."""
    other = caesar.root.parent / "other"
    shutil.copytree(caesar.root, other)
    before = read_tree(other), sorted((other / ".git").iterdir())
    home = Path(caesar.env["HOME"], ".gitconfig")
    home.write_text(
        home.read_text()
        + "[diff]\n noprefix = true\n mnemonicPrefix = true\n renames = copies\n"
        + f" external = touch {marks}/external\n[color]\n ui = always\n"
        + f"[core]\n autocrlf = true\n fsmonitor = touch {marks}/fsmonitor\n pager = false\n"
        + f"[alias]\n worktree = !touch {marks}/alias\n[status]\n showUntrackedFiles = no\n"
    )
    leaked = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {marks}/injected",
        "GIT_EXTERNAL_DIFF": f"touch {marks}/environment",
        "GIT_SSH_COMMAND": "false",
    }

    ran = caesar("run", "--agent", "shell", "echo new > n.txt", "--json", env=leaked)

    task = json.loads(ran.out)
    assert [file["path"] for file in task["diff"]["files"]] == ["n.txt"]
    assert caesar("apply", task["task_id"], env=leaked).code == 0
    assert (caesar.root / "n.txt").read_text() == "new\n"
    assert list(marks.iterdir()) == []
    assert (read_tree(other), sorted((other / ".git").iterdir())) == before


@pytest.mark.parametrize(
    "tamper",
    [
        "echo 'gitdir: {other}/.git' > .git",
        "rm .git; ln -s {other}/.git .git",
        "rm .git; mkdir .git; cp -r {other}/.git/. .git/",
    ],
)
def test_x3_a_git_file_that_was_redirected_leads_nowhere(caesar: Caesar, tamper: str) -> None:
    """Case X3: no command of ours ever acts on the repository that it names."""
    other = caesar.root.parent / "other"
    shutil.copytree(caesar.root, other)
    task = caesar.run("echo x > x.txt; " + tamper.format(other=other))["task_id"]
    before = read_tree(other), caesar.git("for-each-ref", cwd=other)

    caesar("diff", task)
    caesar("apply", task)
    caesar("gc", "--force")

    assert (read_tree(other), caesar.git("for-each-ref", cwd=other)) == before
    assert (caesar.root / "f.txt").exists() == (other / "f.txt").exists()


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        ("mkdir -p sub && cd sub && git init -q && git commit -qm x --allow-empty", "sub"),
        ("mkdir .GIT && printf '[core]\\n\\tfsmonitor = touch {marks}/upper\\n' > .GIT/config", ""),
        ("mkdir d && ln -s {outside} d/l", ""),
        ("rm -rf d && ln -s {outside} d && echo x > d/through.txt", ""),
        ("echo a > readme; echo b > README; echo c > ReadMe", ""),
        (
            "mkdir x; printf '[submodule \"x\"]\\n\\turl = ext::touch {marks}/m\\n' > .gitmodules",
            "",
        ),
    ],
    ids=["gitlink", "upper-case git", "link", "linked ancestor", "case", "modules"],
)
def test_d7_what_an_agent_builds_cannot_reach_out_of_the_tree(
    caesar: Caesar, marks: Path, made: str, kept: str
) -> None:
    """Cases D7, X3: gitlinks, `.GIT/config`, links, names that differ in case, `.gitmodules`."""
    outside = caesar.root.parent / "outside"
    outside.mkdir()
    (outside / "mine.txt").write_text("mine\n")
    script = caesar.root.parent / "made.sh"
    script.write_text(made.format(marks=marks, outside=outside))
    task = caesar.run(f"sh {script}")["task_id"]

    found = {"through.txt", "mine.txt"}  # the agent itself may write there: it is no sandbox
    applied = caesar("apply", task, "--json")

    assert applied.code in {0, 1, 5}, applied.err
    assert "Traceback" not in applied.err
    assert {path.name for path in outside.iterdir()} <= found
    assert (outside / "mine.txt").read_text() == "mine\n"
    assert list(marks.iterdir()) == []
    assert not kept or not (caesar.root / kept / ".git").exists()
    assert not (caesar.root / ".GIT").exists()


def test_x3_git_is_never_taken_from_a_relative_entry_of_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "git"
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert Git(tmp_path).run("version").stdout.startswith(b"git version")
    monkeypatch.setenv("PATH", ".::")
    with pytest.raises(GitMissingError):
        Git(tmp_path).run("version")
    assert not (tmp_path / "mark").exists()


def test_x3_a_git_file_that_is_not_ours_stops_every_call(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: /elsewhere\n")
    git = Git(tmp_path, expect_git_file=(tmp_path / ".git", b"gitdir: /ours\n"))
    for words in (("status",), ("rev-parse", "HEAD"), ("diff",)):
        with pytest.raises(TamperedWorktreeError):
            git.run(*words)
