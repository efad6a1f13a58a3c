"""R3: killed before its agent is known, a task starts over as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caesar_core.engine.plan import load_plan, save_plan
from caesar_core.engine.project import Project
from caesar_core.store.record_store import RecordStore
from tests.fakes.sandbox import Sandbox
from tests.integration.engine.conftest import eventually, processes_of
from tests.integration.engine.killing import KilledError, begin, let_go, record_of, supervise

TWICE = """\
mark=$(dirname "$0")/first
if [ ! -e "$mark" ]; then
    touch "$mark"
    echo first
    echo x > first.txt
    mkdir "$CAESAR_TASK_DIR/questions"
    echo '{}' > "$CAESAR_TASK_DIR/questions/q_1.json"
    echo '{"protocol": "caesar.report/v1", "status": "success", "summary": "first"}' \\
        > "$CAESAR_REPORT_PATH"
    exec sleep 60
fi
echo second
"""


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("CAESAR_TRUST", "1")
    return Sandbox.make(tmp_path / "project", {"a.txt": "one\n"})


def _die_once(
    monkeypatch: pytest.MonkeyPatch, key: str, first: Callable[[], object] = lambda: None
) -> None:
    """Kill whoever is about to write `key` into the record, once."""
    real = RecordStore.update

    def update(self: RecordStore, task_id: str, **changes: Any) -> Any:
        if changes.get(key):
            monkeypatch.setattr(RecordStore, "update", real)
            first()
            raise KilledError(key)
        return real(self, task_id, **changes)

    monkeypatch.setattr(RecordStore, "update", update)


def _branches(sandbox: Sandbox) -> list[str]:
    return sandbox.git("branch", "--list", "--format=%(refname:short)", "caesar/*").split()


def _killed(project: Project, task_id: str, where: str) -> None:
    assert supervise(project, task_id) == where
    let_go(project, task_id)


def test_r3_killed_with_a_fresh_worktree_no_branch_is_left_over(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "echo x > x.txt")
    _die_once(monkeypatch, "branch")
    _killed(project, task_id, "branch")
    [first] = _branches(sandbox)
    assert record_of(project, task_id).branch is None

    assert supervise(project, task_id) == ""

    record = record_of(project, task_id)
    assert (record.status, record.branch) == ("succeeded", first)
    assert _branches(sandbox) == [first]


def test_r3_killed_before_git_made_more_than_the_branch_it_is_used_again(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "echo x > x.txt")
    _die_once(monkeypatch, "branch")
    _killed(project, task_id, "branch")
    [first] = _branches(sandbox)
    path = project.layout.worktree(sandbox.root, task_id)
    sandbox.git("worktree", "remove", "--force", str(path))
    assert _branches(sandbox) == [first]

    assert supervise(project, task_id) == ""

    assert _branches(sandbox) == [record_of(project, task_id).branch] == [first]


def test_r3_killed_with_a_fresh_worktree_and_given_up_nothing_is_left_in_git(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, "echo x > x.txt")
    _die_once(monkeypatch, "branch")
    _killed(project, task_id, "branch")
    project.layout.plan(task_id).unlink()  # nobody can go on with it

    assert supervise(project, task_id) == ""

    assert record_of(project, task_id).status == "failed"
    assert _branches(sandbox) == []
    assert not project.layout.worktree(sandbox.root, task_id).exists()


# Its parent, the killed supervisor, is this process, which forgets it without waiting for it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_r3_what_an_agent_did_whom_nobody_knew_does_not_count(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, TWICE)
    files = project.layout.task(task_id)
    handed_in = files.report.exists
    _die_once(monkeypatch, "agent_process", lambda: eventually(handed_in, bool))
    _killed(project, task_id, "agent_process")
    assert processes_of(task_id) != []

    assert supervise(project, task_id) == ""

    record = record_of(project, task_id)
    assert (record.status, record.report_source) == ("succeeded", "synthesized")
    assert files.raw_log.read_bytes() == b"second\n"
    assert not files.questions.exists()
    assert not files.agent_report.exists()
    assert record.stat == {"files": 0, "insertions": 0, "deletions": 0}
    assert processes_of(task_id) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_r3_a_session_that_may_exist_already_is_not_begun_again_under_its_name(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, task_id = begin(sandbox, 'echo "$2" >> "$(dirname "$0")/names"')
    plan = load_plan(project.layout.plan(task_id))
    assert plan is not None
    named = replace(plan, argv=(*plan.argv, "--session-id", "name-1"), session_id="name-1")
    save_plan(project.layout.plan(task_id), named)
    names = sandbox.root / ".caesar" / "names"
    _die_once(monkeypatch, "agent_process", lambda: eventually(names.exists, bool))
    _killed(project, task_id, "agent_process")

    assert supervise(project, task_id) == ""

    first, second = names.read_text().split()
    assert first == "name-1" != second
    assert record_of(project, task_id).session_id == second
