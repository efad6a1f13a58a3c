"""`caesar init`: what is detected, what is written, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesar_core.config.read import parse_config
from caesar_core.config.settings import Config
from caesar_core.engine.initialize import default_text, initialize, initialize_global
from caesar_core.engine.needs import detect_needs
from caesar_core.engine.project import Project
from caesar_core.engine.trust import review
from caesar_core.errors import CaesarError
from tests.fakes.sandbox import Sandbox


@pytest.fixture
def project(tmp_path: Path) -> Project:
    sandbox = Sandbox.make(tmp_path / "p", {".gitignore": "*.log", "package.json": "{}"})
    return Project(sandbox.root)


@pytest.mark.parametrize(
    ("files", "copy", "link", "setup"),
    [
        ((), (), (), ()),
        ((".env", ".env.local"), (".env", ".env.local"), (), ()),
        (("package.json",), (), (), ("npm install --no-package-lock",)),
        (("package.json", "package-lock.json"), (), (), ("npm ci",)),
        (("pnpm-lock.yaml", "package.json"), (), (), ("pnpm install --frozen-lockfile",)),
        (("yarn.lock",), (), (), ("yarn install --frozen-lockfile",)),
        (("Cargo.toml",), (), ("target",), ()),
        (("pyproject.toml",), (), (), ()),
        (("uv.lock", "pyproject.toml", ".venv/x"), (), (), ("uv sync",)),
        (("poetry.lock", ".venv/x"), (), (), ("poetry install",)),
    ],
)
def test_needs_of_a_project(
    tmp_path: Path,
    files: tuple[str, ...],
    copy: tuple[str, ...],
    link: tuple[str, ...],
    setup: tuple[str, ...],
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    found = detect_needs(tmp_path)

    assert (found.copy, found.link, found.setup) == (copy, link, setup)
    assert bool(found) is bool(found.reasons)


def test_case_181_first_time_writes_and_second_time_leaves_alone(project: Project) -> None:
    first = initialize(project, runtimes=["codex"])
    prompt = project.layout.roles / "reviewer.md"
    prompt.write_text("mine")
    project.layout.config.write_text("# mine\n")
    second = initialize(project, runtimes=["codex"])

    assert first.to_json()["worktree"] == {"setup": ["npm install --no-package-lock"]}
    assert (first.refreshed, second.refreshed) == (False, True)
    assert second.to_json()["worktree"] is None
    assert (len(first.to_json()["role_files"]), second.to_json()["role_files"]) == (3, [])
    assert first.ignored is not None
    assert first.ignored[0] == project.layout.ignore_file
    assert "/tasks/" in first.ignored[1]
    assert second.ignored == (project.layout.ignore_file, ())
    assert prompt.read_text() == "mine"
    assert project.layout.config.read_text() == "# mine\n"
    assert (project.root / ".gitignore").read_text() == "*.log"


def test_what_init_writes_is_trusted_and_force_writes_anew(project: Project) -> None:
    initialize(project, runtimes=["codex"])
    assert review(project.root, project.config).is_trusted
    assert len(project.config.repository_commands) == 1
    project.layout.config.write_text(
        '# mine\n[policy]\nmax_parallel = 2\n[worktree]\nsetup = ["x"]\n'
    )
    (project.layout.roles / "reviewer.md").write_text("mine")

    initialize(project, runtimes=["codex"], force=True)

    text = project.layout.config.read_text()
    setup = 'setup = ["npm install --no-package-lock"]'
    assert text == f"# mine\n[policy]\nmax_parallel = 2\n[worktree]\n{setup}\n"
    assert (project.layout.roles / "reviewer.md").read_text().startswith("You review.")


def test_case_184_without_a_runtime_the_skill_is_deposited(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("caesar_core.engine.initialize.find_repository", lambda _: None)

    done = initialize(project, runtimes=None)

    assert done.assets is not None
    assert (project.root / ".agents" / "skills" / "caesar" / "SKILL.md").is_file()
    assert initialize(project, runtimes=None, skills=False).assets is None


def test_unknown_runtime_is_refused_before_anything_is_written(project: Project) -> None:
    with pytest.raises(CaesarError, match="no runtime 'codx'"):
        initialize(project, runtimes=["codx"])
    assert not project.layout.caesar.exists()


def test_link_that_leads_out_is_not_followed(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    project.layout.caesar.mkdir()
    project.layout.roles.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CaesarError, match="leads out of the project"):
        initialize(project, runtimes=["codex"])
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_case_181_outside_of_git_there_is_a_warning(tmp_path: Path) -> None:
    done = initialize(Project(tmp_path), runtimes=["codex"])

    assert done.ignored is None
    assert done.warnings[0]


def test_own_file_says_every_default_as_a_comment(project: Project) -> None:
    done = initialize_global(project, runtimes=["codex"])
    path = Path(done["config_path"])
    assert path.read_text() == default_text()
    assert project.config == Config()
    path.write_text("# mine\n")
    assert initialize_global(project, runtimes=["codex"])["refreshed"] is True
    assert path.read_text() == "# mine\n"
    awake = "\n".join(line.removeprefix("# ") for line in default_text().splitlines()[2:] if line)
    parse_config("defaults", awake)
