from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar_core.repo.discover import Repository
from caesar_core.repo.git_dir import GitDirState, git_dir_state, ref_state
from tests.fakes.sandbox import Sandbox


@pytest.fixture
def repository(sandbox: Sandbox) -> Repository:
    return sandbox.repository()


def _state(repository: Repository, hooks: Path | None = None) -> GitDirState:
    return git_dir_state(repository.git_dir, repository.common_dir, hooks)


def _differing(before: GitDirState, after: GitDirState) -> list[str]:
    names = before.keys() | after.keys()
    return sorted(Path(name).name for name in names if before.get(name) != after.get(name))


@pytest.mark.parametrize(
    "name",
    [
        "hooks/pre-commit",
        "info/attributes",
        "info/exclude",
        "config",
        "config.worktree",
        "objects/info/alternates",
    ],
)
def test_x3_what_git_obeys_is_seen_by_content(repository: Repository, name: str) -> None:
    place = repository.common_dir / name
    place.parent.mkdir(exist_ok=True)
    content = place.read_bytes() if place.exists() else b""
    before = _state(repository)

    place.write_bytes(content + b"# more\n")
    assert _differing(before, _state(repository)) == [place.name]
    changed = _state(repository)
    place.unlink()
    place.write_bytes(content + b"# more\n")
    assert _state(repository) == changed
    place.chmod(0o755)
    assert _differing(changed, _state(repository)) == [place.name]


def test_x3_samples_do_not_count_and_hooks_elsewhere_and_of_submodules_do(
    repository: Repository, tmp_path: Path
) -> None:
    elsewhere, module = tmp_path / "elsewhere", repository.common_dir / "modules" / "a" / "b"
    elsewhere.mkdir()
    (module / "hooks").mkdir(parents=True)
    (module / "HEAD").write_text("ref: refs/heads/main\n")
    before = _state(repository, elsewhere)

    (repository.common_dir / "hooks").mkdir(exist_ok=True)
    (repository.common_dir / "hooks" / "x.sample").write_text("x")
    (elsewhere / "pre-push").write_text("x")
    (module / "hooks" / "post-checkout").write_text("x")
    (module / "config").write_text("x")
    Path(os.environ["HOME"], ".gitconfig").write_text("x")

    after = _state(repository, elsewhere)
    assert _differing(before, after) == [".gitconfig", "config", "post-checkout", "pre-push"]


def test_x3_links_fifos_and_folders_in_the_place_of_hooks_are_seen_and_not_waited_for(
    repository: Repository,
) -> None:
    hooks = repository.common_dir / "hooks"
    hooks.mkdir(exist_ok=True)
    before = _state(repository)

    os.mkfifo(hooks / "fifo")
    (hooks / "folder").mkdir()
    (hooks / "link").symlink_to("/dev/zero")
    (hooks / "loop").symlink_to("loop")

    assert _differing(before, _state(repository)) == ["fifo", "folder", "link", "loop"]
    assert _state(repository) == _state(repository)


def test_branches_but_for_ours_and_where_the_one_stands_that_is_checked_out(
    sandbox: Sandbox, repository: Repository
) -> None:
    commit = repository.head or ""
    for name in ("mine", "caesar/task"):
        sandbox.git("branch", name)
    sandbox.git("tag", "v1")

    assert ref_state(repository.git()) == {
        "refs/heads/main": "",
        "refs/heads/mine": commit,
        "refs/tags/v1": commit,
    }
