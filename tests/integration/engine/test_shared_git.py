"""X3: what an agent does to the git directory that its worktree shares with the user's tree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesar_core.engine import run as engine_run
from caesar_core.process import supervise as process_supervise
from tests.fakes.sandbox import Sandbox
from tests.integration.engine.killing import KilledError, begin, let_go, supervise

SHARED = "g=$(git rev-parse --git-common-dir); mkdir -p $g/hooks $g/info; "


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    return Sandbox.make(tmp_path / "project", {"a.txt": "one\n"})


def _told(sandbox: Sandbox, script: str, config: str = "") -> dict[str, tuple[str, str, str]]:
    """Return what the report says of a task that ran this: place to severity, title and detail."""
    project, task_id = begin(sandbox, script, config=config)
    assert supervise(project, task_id) == ""
    report = json.loads(project.layout.task(task_id).report.read_bytes())
    assert list(project.layout.plans.iterdir()) == []
    return {
        found.get("file") or found["title"]: (found["severity"], found["title"], found["detail"])
        for found in report["findings"]
        if "while the task ran" in found["title"] or "meanwhile" in found["title"]
    }


def test_x3_what_the_users_git_would_obey_is_a_high_finding(sandbox: Sandbox) -> None:
    git = sandbox.root / ".git"
    (git / "hooks" / "post-merge").write_text("mine\n")
    (git / "hooks" / "pre-push").write_text("mine\n")

    told = _told(
        sandbox,
        SHARED + "echo x > $g/hooks/pre-commit; echo x > $g/hooks/pre-push; rm $g/hooks/post-merge;"
        " echo '* filter=x' > $g/info/attributes; git config user.email evil@example.org;"
        " git config --global user.name Evil",
    )

    assert {
        place: (severity, title.split()[2:5]) for place, (severity, title, _) in told.items()
    } == {
        str(git / "hooks" / "pre-commit"): ("high", ["hook", "was", "added"]),
        str(git / "hooks" / "pre-push"): ("high", ["hook", "was", "changed"]),
        str(git / "hooks" / "post-merge"): ("high", ["hook", "was", "removed"]),
        str(git / "info" / "attributes"): ("high", ["of", "git's", "rules"]),
        str(git / "config"): ("high", ["configuration", "was", "changed"]),
        str(Path.home() / ".gitconfig"): ("high", ["configuration", "was", "changed"]),
    }
    assert "Settings: user.email." in told[str(git / "config")][2]
    assert "evil@example.org" not in json.dumps(told)


def test_x3_a_program_is_told_once_and_with_its_value(sandbox: Sandbox) -> None:
    told = _told(sandbox, "git config core.fsmonitor evil; git config core.editor good")

    assert len(told) == 1
    assert "core.editor" in str(told)
    assert "evil" in str(told)


def test_what_new_branches_follow_is_low_and_nothing_new_is_nothing(sandbox: Sandbox) -> None:
    sandbox.git("config", "branch.main.remote", "origin")
    follow = "git config branch.topic.remote .; git config branch.topic.merge refs/heads/main"

    assert [s for s, *_ in _told(sandbox, follow).values()] == ["low"]
    assert [s for s, *_ in _told(sandbox, "git config branch.main.pushRemote x").values()] == [
        "high"
    ]
    assert [s for s, *_ in _told(sandbox, "git config branch.autoSetupRebase always").values()] == [
        "high"
    ]
    follow = "git config branch.topic.two.remote ."  # neither `branch.topic` nor all branches
    assert [s for s, *_ in _told(sandbox, follow).values()] == ["low"]
    assert _told(sandbox, "git config --add x.y z; git config --unset x.y; echo new > a.txt") == {}


def test_x3_a_branch_of_the_user_that_went_or_moved_is_told_with_the_way_back(
    sandbox: Sandbox,
) -> None:
    first = sandbox.git("rev-parse", "HEAD").strip()
    for name in ("old", "mine", "kept"):
        sandbox.git("branch", name)
    move = "git branch -D old; git branch new; git commit -qm x --allow-empty; git branch -f mine"

    told = _told(sandbox, move)

    assert {
        title.partition(" while")[0]: (severity, detail.rpartition(": ")[2])
        for severity, title, detail in told.values()
    } == {
        "refs/heads/old was removed": ("medium", f"git update-ref refs/heads/old {first}"),
        "refs/heads/mine was moved": ("low", f"git update-ref refs/heads/mine {first}"),
    }


def test_a_branch_that_the_user_switches_to_meanwhile_did_not_go(sandbox: Sandbox) -> None:
    sandbox.git("branch", "topic")

    assert _told(sandbox, f"git -C {sandbox.root} switch -q topic") == {}


def test_x3_a_configuration_that_git_cannot_read_any_more_is_told(sandbox: Sandbox) -> None:
    told = _told(sandbox, SHARED + "echo '[' >> $g/config")

    assert [severity for severity, *_ in told.values()] == ["high"]


def test_x3_an_agent_in_place_is_watched_as_well(sandbox: Sandbox) -> None:
    config = '[policy]\nallow_inplace_write = true\ndefault_isolation = "inplace"\n'

    told = _told(sandbox, SHARED + "echo x > $g/hooks/pre-commit", config=config)

    assert list(told) == [str(sandbox.root / ".git" / "hooks" / "pre-commit")]


def test_r3_what_one_supervisor_saw_the_next_one_compares_with(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(
        sandbox, SHARED + f"echo x > $g/hooks/pre-commit; echo x > {sandbox.root}/b"
    )
    real = process_supervise.watch_child

    def dies(agent: object, **_: object) -> None:
        monkeypatch.setattr(engine_run, "watch_child", real)
        agent.process.wait()  # type: ignore[attr-defined]
        raise KilledError("watching")

    monkeypatch.setattr(engine_run, "watch_child", dies)
    assert supervise(project, task_id) == "watching"
    let_go(project, task_id)

    assert supervise(project, task_id) == ""

    report = json.loads(project.layout.task(task_id).report.read_bytes())
    places = [found["file"] for found in report["findings"] if found.get("file")]
    assert places == [str(sandbox.root / ".git" / "hooks" / "pre-commit"), "b"]
